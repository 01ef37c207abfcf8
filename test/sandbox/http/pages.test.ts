import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { FeedClient } from "../../../src/client/index.ts";
import type { Kind } from "../../../src/world/resources.ts";
import { camelCase, idsOf, LISTS, startTestServer, type TestServer } from "./test-server.ts";

/** The client's method for each list. */
const RESOURCES = {
  subaccounts: "subaccounts",
  cards: "cards",
  transactions: "transactions",
  "bank-links": "bankLinks",
  "bank-accounts": "bankAccounts",
  "bank-transactions": "bankTransactions",
  "transaction-matches": "transactionMatches",
} as const;

function listOf(feed: FeedClient, kind: Kind, limit?: number) {
  const resource = RESOURCES[kind as keyof typeof RESOURCES];
  return (feed[resource] as FeedClient["cards"]).list({ limit });
}

describe.each(LISTS)("the list /%s", (kind) => {
  test("EP-01, EP-02, EP-03, EP-06, EP-08, EP-09, EP-11, PAGE-10: names its items", async () => {
    const { put, ask, service } = await startTestServer();
    const ids = [put(kind), put(kind)];
    const { status, json } = await ask("GET", `/${kind}`);
    expect(status).toBe(200);
    expect(Object.keys(json._embedded)).toEqual([camelCase(kind)]);
    expect(idsOf(json._embedded[camelCase(kind)])).toEqual(ids);
    expect(service.violations).toEqual([]);
  });

  test("PAGE-04, PAGE-05: an empty page has a self link and no next link", async () => {
    const { ask } = await startTestServer();
    const { _links: links, _embedded: embedded } = (await ask("GET", `/${kind}`)).json;
    expect(links.self).toEqual({ href: `/${kind}?limit=20` });
    expect(links.next).toBeUndefined();
    expect(links.prev).toBeUndefined();
    expect(embedded).toEqual({ [camelCase(kind)]: [] });
  });

  test.each([
    [0, 3],
    [1, 3],
    [2, 3],
    [3, 3],
    [4, 3],
    [6, 3],
    [7, 3],
    [5, 1],
  ])(
    "PAGE-05, PAGE-11, PAGE-12: %i items in pages of %i are walked once each",
    async (count, limit) => {
      const { put, feed, ask } = await startTestServer();
      const ids = Array.from({ length: count }, () => put(kind));
      const seen: string[][] = [];
      for await (const page of listOf(feed(), kind, limit).pages()) {
        const { _links: links, _embedded: embedded } = page as {
          _links: Record<string, { href: string }>;
          _embedded: Record<string, { id: string }[]>;
        };
        seen.push(idsOf(Object.values(embedded)[0] ?? []));
        // PAGE-15: each link keeps the limit.
        for (const { href } of Object.values(links)) {
          expect(href).toMatch(new RegExp(`^/${kind}\\?([^&]+&)?limit=${limit}$`));
        }
        const again = await ask("GET", links["self"]?.href ?? "");
        expect(again.json).toEqual(page);
      }
      expect(seen.flat()).toEqual(ids);
      // PAGE-01
      expect(seen.map(({ length }) => length).every((length) => length <= limit)).toBe(true);
      expect(seen).toHaveLength(Math.max(1, Math.ceil(count / limit)));
    },
  );

  test("PAGE-01: has 20 items by default, and up to 100", async () => {
    const { put, ask } = await startTestServer();
    for (let count = 0; count < 101; count += 1) put(kind);
    const lengthAt = async (path: string) => {
      return (await ask("GET", path)).json._embedded[camelCase(kind)].length;
    };
    expect(await lengthAt(`/${kind}`)).toBe(20);
    expect(await lengthAt(`/${kind}?limit=1`)).toBe(1);
    expect(await lengthAt(`/${kind}?limit=100`)).toBe(100);
  });

  test("AUTH-12: contains only the account's own items", async () => {
    const { put, feed, accounts } = await startTestServer();
    const [one, other] = accounts;
    const ids = [one, other, other, one, other].map((account) => [account, put(kind, { account })]);
    for (const account of accounts) {
      const own = ids.filter(([owner]) => owner === account).map(([, id]) => id);
      expect(idsOf(await listOf(feed(account), kind, 1).toArray({ max: 9 }))).toEqual(own);
    }
  });

  test("ignores unknown parameters", async () => {
    const { put, ask } = await startTestServer();
    put(kind);
    const response = await ask("GET", `/${kind}?x=1&x=2&filter=%ZZ&__proto__=1&limit=1`);
    expect(response.status).toBe(200);
    expect(response.json._links.self.href).toBe(`/${kind}?limit=1`);
  });

  test("PAGE-11: skips and repeats no earlier item while others are added", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 9 }),
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 6 }),
        async (count, limit, inserts) => {
          const { put, feed, accounts, close } = await startTestServer();
          const atFirst = Array.from({ length: count }, () => put(kind));
          const seen: string[] = [];
          let turn = 0;
          for await (const page of listOf(feed(), kind, limit).pages()) {
            seen.push(...idsOf(Object.values(page._embedded)[0] ?? []));
            for (let more = inserts[turn] ?? 0; more > 0; more -= 1) {
              put(kind);
              put(kind, { account: accounts[1] });
            }
            turn += 1;
          }
          await close();
          expect(seen.slice(0, count)).toEqual(atFirst);
          expect(new Set(seen).size).toBe(seen.length);
        },
      ),
      { numRuns: 25, seed: 1 },
    );
  });

  test("can lag: new items are missing and removed items still present", async () => {
    const { put, ask, engine, service, accounts } = await startTestServer();
    const { accountId } = accounts[0];
    const names = async () => idsOf((await ask("GET", `/${kind}`)).json._embedded[camelCase(kind)]);
    const [old, retired] = [put(kind), put(kind)];
    engine.clock.moveTo(engine.clock.now() + 10_000);
    const added = put(kind);
    const event = RETIREMENTS[kind];
    engine.commit((work) => {
      work.store.update({ ...work.store.find(kind, retired), listed: false });
      if (event) announce(work, event, accountId, retired);
    });
    expect(await names()).toEqual([old, added]);
    service.faults.set({ listLagMs: 5_000 });
    const shown = event ? [old, retired] : [old];
    expect(await names()).toEqual(shown);
    engine.clock.moveTo(engine.clock.now() + 4_999);
    expect(await names()).toEqual(shown);
    engine.clock.moveTo(engine.clock.now() + 1);
    expect(await names()).toEqual([old, added]);
    service.faults.set({});
    expect(await names()).toEqual([old, added]);
  });
});

/** The event that removes an item from its list, by kind. */
const RETIREMENTS: Partial<Record<Kind, "banktransaction.deleted" | "transaction.match.deleted">> =
  {
    "bank-transactions": "banktransaction.deleted",
    "transaction-matches": "transaction.match.deleted",
  };

type UnitOfWork = Parameters<Parameters<TestServer["engine"]["commit"]>[0]>[0];

function announce(work: UnitOfWork, name: string, accountId: string, id: string): void {
  const metadata = { resourceId: id };
  if (name === "banktransaction.deleted") {
    const deletedAt = work.now();
    const body = {
      id,
      bankAccountId: id,
      deletedAt,
      reason: "provider_removed",
      metadata,
    } as const;
    work.announce(name, { accountId, resource: id }, body);
  } else {
    const ids = { matchId: id, bankTransactionId: id, cardTransactionId: id };
    const body = { ...ids, reason: "rematch_superseded", metadata } as const;
    work.announce("transaction.match.deleted", { accountId, resource: id }, body);
  }
}
