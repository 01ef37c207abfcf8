import { expect, test } from "vitest";
import type { Mutation } from "../../mutation/mutation.ts";
import { mutations } from "../../mutation/mutations/index.ts";
import { replayMutation } from "../../mutation/replay.ts";
import { readRun, recordedRun } from "../../mutation/task.ts";
import { failedClaims, runTrial } from "../../mutation/trial.ts";

const run = readRun(await recordedRun());

const named = (wanted: string) => mutations.find(({ id }) => id === wanted) as Mutation;

test.each([
  // A response changes, a delivery, both; a delivery is missing, repeated or late.
  ...["ep/transactions-abridged", "nbf/states-swapped", "txn/counts-superseded"],
  ...["bac/second-recovery-unannounced", "blk/completed-twice", "btx/match-deleted-first"],
])(
  "the recorded run with %s fails the claims that a live run fails",
  async (id) => {
    const replayed = await replayMutation(run, named(id));
    const live = await runTrial({ mutation: named(id) });
    const failed = failedClaims(live.report);
    expect(failed).toEqual(expect.arrayContaining([...named(id).claims]));
    expect(replayed?.isComplete).toBe(true);
    expect(replayed && failedClaims(replayed.report)).toEqual(failed);
  },
  60_000,
);

test.each([
  ["patches the sandbox", "sub/single-begins-active"],
  ["reads the sandbox's state", "ep/lost-accounts-not-listed"],
  ["changes a request", "page/limit-ignored"],
  ["changes a token", "auth/refresh-token"],
  ["reads a token", "auth/alg-none"],
])("a mutation that %s needs a live run", async (_, id) => {
  expect(await replayMutation(run, named(id))).toBeUndefined();
});

test("a replay in which the suite asks for something else is incomplete", async () => {
  const replayed = await replayMutation(run, named("page/next-to-first"));
  expect(replayed?.isComplete).toBe(false);
});
