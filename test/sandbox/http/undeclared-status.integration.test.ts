import { expect, onTestFinished, test, vi } from "vitest";
import { createFeedClient } from "../../../src/client/index.ts";
import { createSandbox } from "../../../src/sandbox/index.ts";
import { UNKNOWN_ID } from "../test-server.ts";

// A contract that declares only 200 and 401.
vi.mock(import("../../../src/sandbox/contract-document.ts"), async (original) => ({
  ...(await original()),
  declaresStatus: (_, status) => status === 200 || status === 401,
}));

async function violationsOf(validate: boolean) {
  const sandbox = await createSandbox({ validate });
  onTestFinished(() => sandbox.close());
  const feed = createFeedClient({ baseUrl: sandbox.baseUrl, ...sandbox.accounts[0], retries: 0 });
  for (let times = 0; times < 3; times += 1) {
    await expect(feed.transactions.get(UNKNOWN_ID)).rejects.toMatchObject({ status: 404 });
  }
  await feed.cards.list().toArray({ max: 10 });
  expect((await fetch(`${sandbox.baseUrl}/cards`)).status).toBe(401);
  await sandbox.setFaults({ api: [{ kind: "500", path: "/cards" }] });
  await expect(feed.cards.list().toArray({ max: 10 })).rejects.toMatchObject({ status: 500 });
  return sandbox.violations;
}

test("an undeclared response status is reported as a violation once", async () => {
  expect(await violationsOf(true)).toEqual([
    "GET /transactions/{transactionId} returned 404, which the contract does not declare",
    "GET /cards returned 500, which the contract does not declare",
  ]);
});

test("it is not reported if responses are not checked", async () => {
  expect(await violationsOf(false)).toEqual([]);
});
