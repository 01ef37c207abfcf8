import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { FeedClient } from "../../../src/client/index.ts";
import type { Kind } from "../../../src/sandbox/store/resources.ts";
import { LISTS, type Stage, stage } from "./stage.ts";

const CURSOR_LISTS = LISTS.filter((kind) => kind !== "cards");
const camelCase = (kind: Kind) => kind.replace(/-(\w)/, (_, letter) => letter.toUpperCase());

/** How our client calls a list. */
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

const idsOf = (items: readonly { id: string }[]) => items.map(({ id }) => id);

describe.each(LISTS)("the list /%s", (kind) => {
  test("EP-01, EP-02, EP-03, EP-06, EP-08, EP-09, EP-11, PAGE-10: has its items by their name", async () => {
    const { put, ask, service } = await stage();
    const ids = [put(kind), put(kind)];
    const { status, json } = await ask("GET", `/${kind}`);
    expect(status).toBe(200);
    expect(Object.keys(json._embedded)).toEqual([camelCase(kind)]);
    expect(idsOf(json._embedded[camelCase(kind)])).toEqual(ids);
    expect(service.violations).toEqual([]);
  });

  test("PAGE-04, PAGE-05: an empty one has a self link and nothing to go on with", async () => {
    const { ask } = await stage();
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
      const { put, feed, ask } = await stage();
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

  test("PAGE-01: holds 20 items unless told otherwise, and up to 100", async () => {
    const { put, ask } = await stage();
    for (let count = 0; count < 101; count += 1) put(kind);
    const lengthAt = async (path: string) => {
      return (await ask("GET", path)).json._embedded[camelCase(kind)].length;
    };
    expect(await lengthAt(`/${kind}`)).toBe(20);
    expect(await lengthAt(`/${kind}?limit=1`)).toBe(1);
    expect(await lengthAt(`/${kind}?limit=100`)).toBe(100);
  });

  test("AUTH-12: shows an account its own alone", async () => {
    const { put, feed, accounts } = await stage();
    const [one, other] = accounts;
    const ids = [one, other, other, one, other].map((account) => [account, put(kind, { account })]);
    for (const account of accounts) {
      const own = ids.filter(([owner]) => owner === account).map(([, id]) => id);
      expect(idsOf(await listOf(feed(account), kind, 1).toArray({ max: 9 }))).toEqual(own);
    }
  });

  test("ignores what is no parameter of its own", async () => {
    const { put, ask } = await stage();
    put(kind);
    const answer = await ask("GET", `/${kind}?x=1&x=2&filter=%ZZ&__proto__=1&limit=1`);
    expect(answer.status).toBe(200);
    expect(answer.json._links.self.href).toBe(`/${kind}?limit=1`);
  });

  test("PAGE-11: skips and repeats nothing of the beginning while others come", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 9 }),
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 6 }),
        async (count, limit, inserts) => {
          const { put, feed, accounts, close } = await stage();
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
          close();
          expect(seen.slice(0, count)).toEqual(atFirst);
          expect(new Set(seen).size).toBe(seen.length);
        },
      ),
      { numRuns: 25 },
    );
  });

  test("lags behind on demand: what came since is not there, what went since still is", async () => {
    const { put, ask, engine, service, accounts } = await stage();
    const { accountId } = accounts[0];
    const names = async () => idsOf((await ask("GET", `/${kind}`)).json._embedded[camelCase(kind)]);
    const [old, retired] = [put(kind), put(kind)];
    engine.clock.moveTo(engine.clock.now() + 10_000);
    const young = put(kind);
    const event = RETIREMENTS[kind];
    engine.commit((ledger) => {
      ledger.store.update({ ...ledger.store.find(kind, retired), listed: false });
      if (event) announce(ledger, event, accountId, retired);
    });
    expect(await names()).toEqual([old, young]);
    service.faults.set({ listLagMs: 5_000 });
    const shown = event ? [old, retired] : [old];
    expect(await names()).toEqual(shown);
    engine.clock.moveTo(engine.clock.now() + 4_999);
    expect(await names()).toEqual(shown);
    engine.clock.moveTo(engine.clock.now() + 1);
    expect(await names()).toEqual([old, young]);
    service.faults.set({});
    expect(await names()).toEqual([old, young]);
  });
});

/** What says that one of a list is there no more. */
const RETIREMENTS: Partial<Record<Kind, "banktransaction.deleted" | "transaction.match.deleted">> =
  {
    "bank-transactions": "banktransaction.deleted",
    "transaction-matches": "transaction.match.deleted",
  };

type Ledger = Parameters<Parameters<Stage["engine"]["commit"]>[0]>[0];

function announce(ledger: Ledger, name: string, accountId: string, id: string): void {
  if (name === "banktransaction.deleted") {
    const deletedAt = ledger.now();
    const body = { id, bankAccountId: id, deletedAt, reason: "provider_removed" } as const;
    ledger.announce(name, { accountId, resource: id }, body);
  } else {
    const ids = { matchId: id, bankTransactionId: id, cardTransactionId: id };
    const body = { ...ids, reason: "rematch_superseded" } as const;
    ledger.announce("transaction.match.deleted", { accountId, resource: id }, body);
  }
}

describe.each(CURSOR_LISTS)("the cursor style of /%s", (kind) => {
  test("PAGE-09: has no first, last, prev and totalItems", async () => {
    const { put, ask } = await stage();
    for (let count = 0; count < 5; count += 1) put(kind);
    const first = (await ask("GET", `/${kind}?limit=2`)).json;
    const second = (await ask("GET", first._links.next.href)).json;
    const third = (await ask("GET", second._links.next.href)).json;
    expect(Object.keys(first._links)).toEqual(["self", "next"]);
    expect(Object.keys(second._links)).toEqual(["self", "next"]);
    expect(Object.keys(third._links)).toEqual(["self"]);
    for (const page of [first, second, third]) {
      expect(Object.keys(page)).toEqual(["_links", "_embedded"]);
    }
  });

  test("PAGE-11: goes on where it was when what it stood on is gone", async () => {
    const { put, ask, engine } = await stage();
    const ids = [put(kind), put(kind), put(kind)];
    const { next } = (await ask("GET", `/${kind}?limit=1`)).json._links;
    engine.commit(({ store }) => store.remove(kind, ids[0] ?? ""));
    const { _embedded: embedded } = (await ask("GET", next.href)).json;
    expect(idsOf(embedded[camelCase(kind)])).toEqual([ids[1]]);
  });

  test("refuses a cursor that was altered at any place, cut or made up", async () => {
    const { put, ask, token, send, dump } = await stage();
    for (let count = 0; count < 3; count += 1) put(kind);
    const { href } = (await ask("GET", `/${kind}?limit=1`)).json._links.next;
    const cursor = /cursor=([\w-]+)/.exec(href)?.[1] ?? "";
    const authorization = `Bearer ${await token()}`;
    const before = dump();
    const wrong = [
      "",
      "0",
      "1",
      cursor.slice(1),
      cursor.slice(0, -1),
      `${cursor}A`,
      `${cursor}%3D`,
    ];
    wrong.push(...["%00", "%ZZ", "%FF", "null", "..", cursor.toLowerCase(), `%20${cursor}`]);
    for (let at = 0; at < cursor.length; at += 1) {
      for (const letter of ["A", "B", "x", "-"]) {
        if (letter !== cursor[at]) wrong.push(cursor.slice(0, at) + letter + cursor.slice(at + 1));
      }
    }
    for (const one of wrong) {
      const path = `/${kind}?cursor=${one}&limit=1`;
      const { status, headers } = await send("GET", path, { headers: { authorization } });
      expect([one, status]).toEqual([one, 400]);
      expect(headers["content-type"]).toBe("application/problem+json");
    }
    expect(dump()).toBe(before);
  });

  test("AUTH-12: refuses the cursor of another list, account and sandbox", async () => {
    const [here, there] = [await stage(), await stage()];
    const other = kind === "subaccounts" ? "transactions" : "subaccounts";
    for (let count = 0; count < 2; count += 1) {
      for (const { put } of [here, there]) {
        put(kind);
        put(other);
        put(kind, { account: here.accounts[1] });
      }
    }
    const { href } = (await here.ask("GET", `/${kind}?limit=1`)).json._links.next;
    expect((await here.ask("GET", href)).status).toBe(200);
    expect((await here.ask("GET", href.replace(kind, other))).status).toBe(400);
    expect((await here.ask("GET", href, {}, here.accounts[1])).status).toBe(400);
    expect((await there.ask("GET", href)).status).toBe(400);
  });

  test("follows a cursor with another limit", async () => {
    const { put, ask } = await stage();
    const ids = Array.from({ length: 5 }, () => put(kind));
    const { href } = (await ask("GET", `/${kind}?limit=1`)).json._links.next;
    const page = (await ask("GET", href.replace("limit=1", "limit=3"))).json;
    expect(idsOf(page._embedded[camelCase(kind)])).toEqual(ids.slice(1, 4));
    expect(page._links.next.href).toMatch(/&limit=3$/);
  });

  test("refuses an offset, by which nobody gets on", async () => {
    const { ask } = await stage();
    for (const offset of ["0", "5", "-1", "x"]) {
      expect((await ask("GET", `/${kind}?offset=${offset}`)).status).toBe(400);
    }
  });
});

describe("the offset style of /cards", () => {
  const LINKS: [query: string, links: Record<string, string>, items: number[]][] = [
    ["limit=2", { self: "limit=2", next: "offset=2&limit=2" }, [0, 1]],
    ["offset=0&limit=2", { self: "offset=0&limit=2", next: "offset=2&limit=2" }, [0, 1]],
    [
      "offset=2&limit=2",
      { self: "offset=2&limit=2", next: "offset=4&limit=2", prev: "offset=0&limit=2" },
      [2, 3],
    ],
    ["offset=4&limit=2", { self: "offset=4&limit=2", prev: "offset=2&limit=2" }, [4]],
    [
      "offset=1&limit=2",
      { self: "offset=1&limit=2", next: "offset=3&limit=2", prev: "offset=0&limit=2" },
      [1, 2],
    ],
    ["offset=3&limit=2", { self: "offset=3&limit=2", prev: "offset=1&limit=2" }, [3, 4]],
    ["offset=5&limit=2", { self: "offset=5&limit=2", prev: "offset=4&limit=2" }, []],
    [
      "offset=9007199254740991&limit=2",
      { self: "offset=9007199254740991&limit=2", prev: "offset=4&limit=2" },
      [],
    ],
  ];

  test.each(LINKS)(
    "PAGE-06, PAGE-07, PAGE-08, PAGE-13: ?%s of 5 has its links",
    async (query, links, items) => {
      const { put, ask } = await stage();
      const ids = Array.from({ length: 5 }, () => put("cards"));
      const { json } = await ask("GET", `/cards?${query}`);
      expect(json.totalItems).toBe(5);
      expect(idsOf(json._embedded.cards)).toEqual(items.map((at) => ids[at]));
      const all = { first: "offset=0&limit=2", last: "offset=4&limit=2", ...links };
      const hrefs = Object.entries(all).map(([name, rest]) => [name, { href: `/cards?${rest}` }]);
      expect(json._links).toEqual(Object.fromEntries(hrefs));
    },
  );

  test.each([
    [0, 3, 0],
    [1, 3, 0],
    [3, 3, 0],
    [4, 3, 3],
    [6, 3, 3],
    [7, 3, 6],
  ])(
    "PAGE-12: the last of %i in pages of %i begins at %i, and has no next",
    async (count, limit, at) => {
      const { put, ask } = await stage();
      for (let made = 0; made < count; made += 1) put("cards");
      const { last } = (await ask("GET", `/cards?limit=${limit}`)).json._links;
      expect(last.href).toBe(`/cards?offset=${at}&limit=${limit}`);
      expect((await ask("GET", last.href)).json._links.next).toBeUndefined();
    },
  );

  test("PAGE-12: prev leads back the way that next led", async () => {
    const { put, ask } = await stage();
    for (let count = 0; count < 7; count += 1) put("cards");
    const pages = [(await ask("GET", "/cards?limit=3")).json];
    for (let page = pages[0]; page._links.next; pages.push(page)) {
      page = (await ask("GET", page._links.next.href)).json;
    }
    for (const [at, page] of pages.entries()) {
      if (at === 0) expect(page._links.prev).toBeUndefined();
      else {
        const before = (await ask("GET", page._links.prev.href)).json;
        expect(before._embedded).toEqual(pages[at - 1]._embedded);
      }
    }
  });

  test("refuses a cursor, by which nobody gets on", async () => {
    const { ask } = await stage();
    expect((await ask("GET", "/cards?cursor=x")).status).toBe(400);
  });
});
