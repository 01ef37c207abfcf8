import { expect, test } from "vitest";
import { readOptions } from "../../mutation/options.ts";
import { plans, runPlan } from "../../mutation/plan.ts";

const FILE = "src/model/network-bulk-feed.ts";

test("of one file, a mutant is caught, one is equivalent, and one does not start", async () => {
  const wanted = {
    // The name of the requirement in the table is for readers only.
    equivalent: 'BULK_FEED_TRANSITIONS StringLiteral: "NBF-04" => ""',
    "by name": 'CHANGED ArrayDeclaration: ["networkbulkfeed.statechanged"] => []',
    "not started": 'BULK_FEED_TRANSITIONS StringLiteral: "feed-submit" => ""',
  };
  const only = Object.values(wanted).flatMap((end) => ["--only", `${FILE} ${end}`]);
  const { all } = await runPlan(await plans.mutants(readOptions(["--mutants", ...only])), 1);
  const outcomes = new Map(all.map(({ fault, score }) => [fault.id, score.outcome]));
  const ended = Object.values(wanted).map((end) => outcomes.get(`${FILE} ${end}`));
  expect(ended).toEqual(Object.keys(wanted));
  const caught = all.find(({ score }) => score.outcome === "by name")?.result;
  expect(caught).toMatchObject({ failed: expect.arrayContaining(["NBF-04"]), way: "own checks" });
  expect(caught?.difference?.[0]).toContain("delivery networkbulkfeed.statechanged");
}, 300_000);
