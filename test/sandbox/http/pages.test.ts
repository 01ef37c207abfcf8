import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { FeedClient } from "../../../src/client/index.ts";
import type { Kind } from "../../../src/world/resources.ts";
import type { UnitOfWork } from "../../../src/world/unit-of-work.ts";
import { camelCase, idsOf, LISTS, startTestServer } from "../test-server.ts";

function listOf(feed: FeedClient, kind: Kind, limit?: number) {
  return (feed[camelCase(kind) as "cards"] as FeedClient["cards"]).list({ limit });
}

/** A server with items of a kind, and the ids on its pages. */
async function startWith(kind: Kind, count: number) {
  const server = await startTestServer();
  const ids = Array.from({ length: count }, () => server.put(kind));
  const page = async (query = "") => (await server.ask("GET", `/${kind}${query}`)).json;
  const idsOn = async (query = "") => idsOf((await page(query))._embedded[camelCase(kind)]);
  return { ...server, ids, page, idsOn };
}

describe.each(LISTS)("the list /%s", (kind) => {
  test("EP-01, EP-02, EP-03, EP-06, EP-08, EP-09, EP-11, PAGE-10: names its items", async () => {
    const { ids, page, service } = await startWith(kind, 2);
    const { _embedded: embedded } = await page();
    expect(Object.keys(embedded)).toEqual([camelCase(kind)]);
    expect(idsOf(embedded[camelCase(kind)])).toEqual(ids);
    expect(service.violations).toEqual([]);
  });

  test("PAGE-04, PAGE-05: an empty page has a self link and no next link", async () => {
    const { _links: links, _embedded: embedded } = await (await startWith(kind, 0)).page();
    expect(links.self).toEqual({ href: `/${kind}?limit=20` });
    expect([links.next, links.prev]).toEqual([undefined, undefined]);
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
    "PAGE-01, PAGE-05, PAGE-11, PAGE-12: %i items in pages of %i are walked once each",
    async (count, limit) => {
      const { feed, ask, ids } = await startWith(kind, count);
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
        expect((await ask("GET", links["self"]?.href ?? "")).json).toEqual(page);
      }
      expect(seen.flat()).toEqual(ids);
      expect(seen.every(({ length }) => length <= limit)).toBe(true);
      expect(seen).toHaveLength(Math.max(1, Math.ceil(count / limit)));
    },
  );

  test("PAGE-01: has 20 items by default, and up to 100", async () => {
    const { idsOn } = await startWith(kind, 101);
    const lengths = [await idsOn(), await idsOn("?limit=1"), await idsOn("?limit=100")];
    expect(lengths.map(({ length }) => length)).toEqual([20, 1, 100]);
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
    const { page } = await startWith(kind, 1);
    const { _links } = await page("?x=1&x=2&filter=%ZZ&__proto__=1&limit=1");
    expect(_links.self.href).toBe(`/${kind}?limit=1`);
  });

  test("PAGE-11: skips and repeats no earlier item while others are added", async () => {
    const { integer } = fc;
    const inserts = fc.array(integer({ min: 0, max: 3 }), { maxLength: 6 });
    const walked = fc.asyncProperty(
      ...[integer({ min: 0, max: 9 }), integer({ min: 1, max: 4 }), inserts],
      async (count, limit, inserts) => {
        const { put, feed, accounts, close, ids } = await startWith(kind, count);
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
        expect(seen.slice(0, count)).toEqual(ids);
        expect(new Set(seen).size).toBe(seen.length);
      },
    );
    await fc.assert(walked, { numRuns: 25, seed: 1 });
  });

  test("can lag: new items are missing and removed items still present", async () => {
    const { put, idsOn, engine, service, accounts, ids } = await startWith(kind, 2);
    const [old, retired = ""] = ids;
    const wait = (ms: number) => engine.clock.moveTo(engine.clock.now() + ms);
    wait(10_000);
    const added = put(kind);
    engine.commit((work) => {
      work.store.update({ ...work.store.find(kind, retired), listed: false });
      retire(work, kind, { accountId: accounts[0].accountId, resource: retired });
    });
    expect(await idsOn()).toEqual([old, added]);
    service.faults.set({ listLagMs: 5_000 });
    // Only an event tells when an item was removed.
    const shown = kind in RETIREMENTS ? [old, retired] : [old];
    expect(await idsOn()).toEqual(shown);
    wait(4_999);
    expect(await idsOn()).toEqual(shown);
    wait(1);
    expect(await idsOn()).toEqual([old, added]);
    service.faults.set({});
    expect(await idsOn()).toEqual([old, added]);
  });
});

/** The event that removes an item from its list, by kind, and its fields. */
const RETIREMENTS: { readonly [K in Kind]?: readonly [name: string, body: object] } = {
  "bank-transactions": [
    "banktransaction.deleted",
    { reason: "provider_removed", deletedAt: "2026-01-05T09:00:10.000Z" },
  ],
  "transaction-matches": ["transaction.match.deleted", { reason: "rematch_superseded" }],
};

function retire(
  work: UnitOfWork,
  kind: Kind,
  owner: { readonly accountId: string; readonly resource: string },
): void {
  const [name, fields] = RETIREMENTS[kind] ?? [];
  if (!name) return;
  const { resource: id } = owner;
  const ids =
    kind === "bank-transactions"
      ? { id, bankAccountId: id }
      : { matchId: id, bankTransactionId: id, cardTransactionId: id };
  const body = { ...ids, ...fields, metadata: { resourceId: id } };
  work.announce(name as "banktransaction.deleted", owner, body as never);
}

describe.each(LISTS.filter((kind) => kind !== "cards"))("the cursor style of /%s", (kind) => {
  test("PAGE-09: omits first, last, prev and totalItems", async () => {
    const { page, ask } = await startWith(kind, 5);
    const first = await page("?limit=2");
    const second = (await ask("GET", first._links.next.href)).json;
    const third = (await ask("GET", second._links.next.href)).json;
    const links = [first, second, third].map(({ _links }) => Object.keys(_links));
    expect(links).toEqual([["self", "next"], ["self", "next"], ["self"]]);
    for (const one of [first, second, third]) {
      expect(Object.keys(one)).toEqual(["_links", "_embedded"]);
    }
  });

  test("PAGE-11: continues after the item of its cursor, even if that is gone", async () => {
    const { page, ask, ids, engine } = await startWith(kind, 5);
    const { href } = (await page("?limit=1"))._links.next;
    const other = (await ask("GET", href.replace("limit=1", "limit=3"))).json;
    expect(idsOf(other._embedded[camelCase(kind)])).toEqual(ids.slice(1, 4));
    expect(other._links.next.href).toMatch(/&limit=3$/);
    engine.commit(({ store }) => store.remove(kind, ids[0] ?? ""));
    const { _embedded: embedded } = (await ask("GET", href)).json;
    expect(idsOf(embedded[camelCase(kind)])).toEqual([ids[1]]);
  });

  test("refuses a modified, truncated or invented cursor", async () => {
    const { page, token, send, dump } = await startWith(kind, 3);
    const { href } = (await page("?limit=1"))._links.next;
    const cursor = /cursor=([\w-]+)/.exec(href)?.[1] ?? "";
    const headers = { authorization: `Bearer ${await token()}` };
    const before = dump();
    const modified = [...cursor].flatMap((letter, at) =>
      ["A", "B", "x", "-"]
        .filter((other) => other !== letter)
        .map((other) => cursor.slice(0, at) + other + cursor.slice(at + 1)),
    );
    for (const wrong of [
      ...["", "0", "1", cursor.slice(1), cursor.slice(0, -1), `${cursor}A`, `${cursor}%3D`],
      ...["%00", "%ZZ", "%FF", "null", "..", cursor.toLowerCase(), `%20${cursor}`],
      ...modified,
    ]) {
      const { status } = await send("GET", `/${kind}?cursor=${wrong}&limit=1`, { headers });
      expect([wrong, status]).toEqual([wrong, 400]);
    }
    expect(dump()).toBe(before);
  });

  test("AUTH-12: refuses the cursor of another list, account or sandbox", async () => {
    const [here, elsewhere] = [await startTestServer(), await startTestServer()];
    const other = kind === "subaccounts" ? "transactions" : "subaccounts";
    for (const { put } of [here, here, elsewhere, elsewhere]) {
      put(kind);
      put(other);
      put(kind, { account: here.accounts[1] });
    }
    const { href } = (await here.ask("GET", `/${kind}?limit=1`)).json._links.next;
    const statuses = [
      await here.ask("GET", href),
      await here.ask("GET", href.replace(kind, other)),
      await here.ask("GET", href, {}, here.accounts[1]),
      await elsewhere.ask("GET", href),
    ].map(({ status }) => status);
    expect(statuses).toEqual([200, 400, 400, 400]);
  });

  test("refuses an offset", async () => {
    const { ask } = await startTestServer();
    for (const offset of ["0", "5", "-1", "x"]) {
      expect((await ask("GET", `/${kind}?offset=${offset}`)).status).toBe(400);
    }
  });
});

describe("the offset style of /cards", () => {
  test.each<[query: string, links: Record<string, string>, items: number[]]>([
    ["limit=2", { self: "limit=2", next: "offset=2" }, [0, 1]],
    ["offset=0&limit=2", { self: "offset=0", next: "offset=2" }, [0, 1]],
    ["offset=2&limit=2", { self: "offset=2", next: "offset=4", prev: "offset=0" }, [2, 3]],
    ["offset=4&limit=2", { self: "offset=4", prev: "offset=2" }, [4]],
    ["offset=1&limit=2", { self: "offset=1", next: "offset=3", prev: "offset=0" }, [1, 2]],
    ["offset=3&limit=2", { self: "offset=3", prev: "offset=1" }, [3, 4]],
    ["offset=5&limit=2", { self: "offset=5", prev: "offset=4" }, []],
    ["offset=9007199254740991&limit=2", { self: "offset=9007199254740991", prev: "offset=4" }, []],
  ])("PAGE-06, PAGE-07, PAGE-08, PAGE-13: ?%s of 5 has its links", async (query, links, items) => {
    const { page, ids } = await startWith("cards", 5);
    const { totalItems, _links, _embedded } = await page(`?${query}`);
    expect(totalItems).toBe(5);
    expect(idsOf(_embedded.cards)).toEqual(items.map((at) => ids[at]));
    const hrefs = Object.entries({ first: "offset=0", last: "offset=4", ...links });
    const expected = hrefs.map(([name, start]) => {
      const limit = start === "limit=2" ? "" : "&limit=2";
      return [name, { href: `/cards?${start}${limit}` }];
    });
    expect(_links).toEqual(Object.fromEntries(expected));
  });

  test.each([
    [0, 0],
    [1, 0],
    [3, 0],
    [4, 3],
    [6, 3],
    [7, 6],
  ])("PAGE-12: the last page of %i, 3 each, begins at %i and has no next", async (count, at) => {
    const { page, ask } = await startWith("cards", count);
    const { last } = (await page("?limit=3"))._links;
    expect(last.href).toBe(`/cards?offset=${at}&limit=3`);
    expect((await ask("GET", last.href)).json._links.next).toBeUndefined();
  });

  test("PAGE-12: prev reverses next", async () => {
    const { page, ask } = await startWith("cards", 7);
    let before = await page("?limit=3");
    expect(before._links.prev).toBeUndefined();
    while (before._links.next) {
      const next = (await ask("GET", before._links.next.href)).json;
      const { _embedded } = (await ask("GET", next._links.prev.href)).json;
      expect(_embedded).toEqual(before._embedded);
      before = next;
    }
  });

  test("refuses a cursor", async () => {
    const { ask } = await startTestServer();
    expect((await ask("GET", "/cards?cursor=x")).status).toBe(400);
  });
});
