import { join } from "node:path";
import { expect, test } from "vitest";
import { createFeedClient, type FeedClient } from "../../../src/client/index.ts";
import { createSandbox, type Sandbox } from "../../../src/sandbox/index.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { LISTS } from "./test-server.ts";

/** The interface of a whole sandbox, called over HTTP. */

function feedOf({ baseUrl, accounts: [account] }: Sandbox): FeedClient {
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

/** A resource's links within the interface. */
function hrefsOf(value: unknown): string[] {
  const text = JSON.stringify(value);
  return [...text.matchAll(/"href":"(\/[^"]+)"/g)].map(([, href = ""]) => href);
}

test("EP-13, CONV-09, PAGE-11: a world's resources are listed and links resolve", async () => {
  await using sandbox = await createSandbox({ clock: "frozen", validate: true });
  const feed = feedOf(sandbox);
  const [byOne, byMany] = [await walk(feed, 3), await walk(feed, 100)];
  expect(byOne).toEqual(byMany);
  const hrefs = new Set(hrefsOf(byMany));
  expect(hrefs.size).toBeGreaterThan(50);
  for (const href of hrefs) await feed.follow({ href });
  expect(sandbox.violations).toEqual([]);
});

test("CONV-09: every event's links resolve, even after the resource changed", async () => {
  await using sandbox = await createSandbox({ clock: "frozen", validate: true });
  const feed = feedOf(sandbox);
  const { accountId } = sandbox.accounts[0];
  const events = await sandbox.events({ accountId });
  const hrefs = new Set(events.flatMap(({ body }) => hrefsOf(body)));
  for (const href of hrefs) await feed.follow({ href });
  expect(sandbox.violations).toEqual([]);
});

test("a token survives a restart with kept data and a reset with the same seed", async () => {
  const directory = tempDir();
  const options = { data: join(directory, "data"), world: "empty", clock: "frozen" } as const;
  let headers: Record<string, string> | undefined;
  for (const _ of ["first", "second"]) {
    await using sandbox = await createSandbox(options);
    const { baseUrl, accounts } = sandbox;
    const { accountId, clientId, clientSecret } = accounts[0];
    if (!headers) {
      const response = await fetch(
        `${baseUrl}/auth/realms/${accountId}/protocol/openid-connect/token`,
        {
          method: "POST",
          body: new URLSearchParams({
            ...{ grant_type: "client_credentials", client_id: clientId },
            client_secret: clientSecret,
          }),
        },
      );
      headers = { authorization: `Bearer ${(await response.json()).access_token}` };
    }
    expect((await fetch(`${baseUrl}/cards`, { headers })).status).toBe(200);
    await sandbox.reset();
    expect((await fetch(`${baseUrl}/cards`, { headers })).status).toBe(200);
    await sandbox.reset({ seed: 2 });
    expect((await fetch(`${baseUrl}/cards`, { headers })).status).toBe(401);
    await sandbox.reset({ seed: 1 });
  }
});

test("the control API's paths are not part of the interface", async () => {
  await using sandbox = await createSandbox({ world: "empty" });
  await sandbox.setFaults({ api: [{ kind: "500" }] });
  expect((await fetch(`${sandbox.controlUrl}/status`)).status).toBe(200);
  expect((await fetch(`${sandbox.controlUrl}/nothing`)).status).toBe(404);
  expect((await fetch(`${sandbox.baseUrl}/nothing`)).status).toBe(404);
  expect((await fetch(`${sandbox.baseUrl}/cards`)).status).toBe(500);
});
