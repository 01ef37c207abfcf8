import { expect, test } from "vitest";
import { createFeedClient, type FeedClient } from "../../../src/client/index.ts";
import { createSandbox, type SandboxAccount } from "../../../src/sandbox/index.ts";
import { LISTS } from "../test-server.ts";

// The interface of a whole sandbox, called over HTTP.

function feedOf(baseUrl: string, account: SandboxAccount): FeedClient {
  return createFeedClient({ baseUrl, ...account, retries: 0, validate: "throw" });
}

async function walk(feed: FeedClient, limit: number): Promise<object[]> {
  const lists = [
    ...[feed.subaccounts, feed.cards, feed.transactions, feed.bankLinks, feed.bankAccounts],
    ...[feed.bankTransactions, feed.transactionMatches],
  ] as FeedClient["cards"][];
  expect(lists).toHaveLength(LISTS.length);
  const walked = [];
  for (const list of lists) walked.push(...(await list.list({ limit }).toArray({ max: 10_000 })));
  return walked;
}

/** A payload's links below the base URL, and its bank transactions. */
function pathsIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  const { href, subaccountId, bankData } = value as Record<string, string>;
  const { bankTransactionId } = (bankData ?? {}) as { bankTransactionId?: string };
  const posting = bankTransactionId && subaccountId ? [`${subaccountId}/${bankTransactionId}`] : [];
  return [
    ...(href?.startsWith("/") ? [href] : []),
    ...posting.map((path) => `/bank-transactions/${path}`),
    ...Object.values(value).flatMap(pathsIn),
  ];
}

test("EP-13, CONV-09, PAGE-11: a world's resources are listed and links resolve", async () => {
  await using sandbox = await createSandbox({ clock: "frozen", validate: true });
  const feed = feedOf(sandbox.baseUrl, sandbox.accounts[0]);
  const [byOne, byMany] = [await walk(feed, 3), await walk(feed, 100)];
  expect(byOne).toEqual(byMany);
  const hrefs = new Set(pathsIn(byMany));
  expect(hrefs.size).toBeGreaterThan(50);
  for (const href of hrefs) await feed.follow({ href });
  expect(sandbox.violations).toEqual([]);
});

test("CONV-09, MSG-11, AUTH-12: only its account can fetch an event's links", async () => {
  await using sandbox = await createSandbox({ clock: "frozen", world: "small", validate: true });
  await sandbox.trigger("purchase", { amount: 42.5 });
  for (const verb of ["bank-post", "clear", "rematch", "retire-duplicate"] as const) {
    await sandbox.trigger(verb);
  }
  await sandbox.trigger("bank-post", { amount: 9.9, description: "KIOSK 8" });
  await sandbox.trigger("late-card-data");
  await sandbox.advance("1d");
  await sandbox.trigger("provider-remove");
  await sandbox.trigger("enrich");
  const [one, other] = sandbox.accounts;
  const [own, foreign] = [feedOf(sandbox.baseUrl, one), feedOf(sandbox.baseUrl, other)];
  const events = await sandbox.events({ accountId: one.accountId, limit: 10_000 });
  const hrefs = new Set(events.flatMap(({ body }) => pathsIn(body)));
  expect(hrefs.size).toBeGreaterThan(30);
  for (const href of hrefs) {
    await own.follow({ href });
    await expect(foreign.follow({ href })).rejects.toMatchObject({ status: 404 });
  }
  expect(sandbox.violations).toEqual([]);
});

test("the control API's paths are not part of the interface", async () => {
  await using sandbox = await createSandbox({ world: "empty" });
  await sandbox.setFaults({ api: [{ kind: "500" }] });
  expect((await fetch(`${sandbox.controlUrl}/status`)).status).toBe(200);
  expect((await fetch(`${sandbox.controlUrl}/nothing`)).status).toBe(404);
  expect((await fetch(`${sandbox.baseUrl}/nothing`)).status).toBe(404);
  expect((await fetch(`${sandbox.baseUrl}/cards`)).status).toBe(500);
});
