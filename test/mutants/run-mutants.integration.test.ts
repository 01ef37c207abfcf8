import { expect, test } from "vitest";
import { ROOT } from "../../mutants/files.ts";
import { instrument } from "../../mutants/instrument.ts";
import { runMutants } from "../../mutants/run-mutants.ts";
import type { Verdict } from "../../mutants/task.ts";

const FILE = "src/model/network-bulk-feed.ts";

test("of one file, a mutant is caught, one is equivalent, and one does not start", async () => {
  const instrumented = await instrument(ROOT, [FILE]);
  const wanted = {
    // The name of the requirement in the table is for readers only.
    equivalent: 'BULK_FEED_TRANSITIONS StringLiteral: "NBF-04" => ""',
    caught: 'CHANGED ArrayDeclaration: ["networkbulkfeed.statechanged"] => []',
    "not started": 'BULK_FEED_TRANSITIONS StringLiteral: "feed-submit" => ""',
  };
  const chosen = Object.values(wanted).map((end) => {
    const mutant = instrumented.mutants.find(({ key }) => key === `${FILE} ${end}`);
    if (!mutant) throw new Error(`there is no mutant ${end}`);
    return mutant;
  });
  const verdicts = new Map<string, Verdict>();
  await runMutants(chosen, instrumented, 1, ({ key }, verdict) => verdicts.set(key, verdict));
  const outcomes = chosen.map(({ key }) => verdicts.get(key)?.outcome);
  expect(outcomes).toEqual(Object.keys(wanted));
  const caught = verdicts.get(chosen[1]?.key ?? "");
  expect(caught?.requirements).toContain("NBF-04");
  expect(caught?.isByGroups).toBe(true);
  expect(caught?.where).toBe("delivery networkbulkfeed.statechanged");
}, 300_000);
