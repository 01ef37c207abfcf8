import { expect, test } from "vitest";
import { scripts } from "../../mutants/scripts/index.ts";
import { Divergence, playScript } from "../../mutants/scripts/player.ts";
import { readOptions } from "../../mutation/options.ts";
import { plans, runPlan } from "../../mutation/plan.ts";
import { type Json, patch } from "../../mutation/rewrite.ts";
import { BANK_ACCOUNT_TRANSITIONS, BANK_LINK_TRANSITIONS } from "../../src/model/bank-account.ts";
import { BANK_TRANSACTION_TRANSITIONS } from "../../src/model/bank-transaction.ts";
import { SUBSCRIPTION_TRANSITIONS } from "../../src/model/card-subscription.ts";
import { BULK_FEED_TRANSITIONS } from "../../src/model/network-bulk-feed.ts";
import { TRANSACTION_TRANSITIONS } from "../../src/model/transaction.ts";
import { MATCH_TRANSITIONS } from "../../src/model/transaction-match.ts";
import { verbs } from "../../src/world/verbs/index.ts";

const tables = {
  BANK_ACCOUNT_TRANSITIONS,
  BANK_LINK_TRANSITIONS,
  BANK_TRANSACTION_TRANSITIONS,
  SUBSCRIPTION_TRANSITIONS,
  BULK_FEED_TRANSITIONS,
  TRANSACTION_TRANSITIONS,
  MATCH_TRANSITIONS,
};

/** The scripts that start without seed data, which would use most rows by itself. */
const ofEmptyWorlds = scripts.filter(({ world }) => world === "empty");

test("the scripts use every row of every transition table, and every verb", async () => {
  const open = new Set<string>();
  for (const [table, rows] of Object.entries(tables)) {
    for (const row of rows as readonly { trigger: string; from: readonly string[] }[]) {
      const name = `${table}: ${row.trigger} from ${row.from.join(" or ")}`;
      open.add(name);
      for (const field of ["to", "sends"]) {
        const value = Reflect.get(row, field);
        const get = () => {
          open.delete(name);
          return value;
        };
        Object.defineProperty(row, field, { get, enumerable: true });
      }
    }
  }
  for (const [name, verb] of Object.entries(verbs)) {
    open.add(name);
    patch(verb as Json, "run", (original: Json) => {
      return (...args: Json[]) => {
        const result = original(...args);
        open.delete(name);
        return result;
      };
    });
  }
  for (const script of ofEmptyWorlds) await playScript(script);
  expect([...open]).toEqual([]);
}, 120_000);

test("a script shows the same twice, and ends at the first other line", async () => {
  const [script] = scripts.filter(({ name }) => name === "random 1");
  if (!script) throw new Error("there is no such script");
  const trace = await playScript(script);
  expect(await playScript(script, trace)).toEqual(trace);
  const other = trace.map((line) => line.replace('"reqSCA"', '"active"'));
  const wrong = await playScript(script, other).catch((error: unknown) => error);
  expect(wrong).toBeInstanceOf(Divergence);
  expect((wrong as Divergence).actual).toMatch(/^delivery cardsubscription.created/);
  await expect(playScript(script, [...trace, "more"])).rejects.toThrow(Divergence);
}, 60_000);

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
