import { describe, expectTypeOf, test } from "vitest";
import type { components, LinkTo } from "../../generated/types.ts";
import type { Failure, FeedClient, LinkLike, OtherFailure } from "../../src/client/index.ts";

/** `npm run check` compiles these tests. They fail as type errors, not at run time. */
type Schemas = components["schemas"];

/** This code is compiled and never run. */
const compiled = (_check: (feed: FeedClient) => Promise<unknown>) => {};

describe("a result narrows by its status", () => {
  test("of a GET", () => {
    compiled(async (feed) => {
      const result = await feed.cards.getResult("1");
      if (result.status === 200) {
        expectTypeOf(result.data).toEqualTypeOf<Schemas["Card"]>();
        expectTypeOf(result.data.id).toEqualTypeOf<string>();
        expectTypeOf(result.error).toEqualTypeOf<undefined>();
      }
      if (result.status === 404) {
        expectTypeOf(result.error).toBeUnknown();
        expectTypeOf(result.data).toEqualTypeOf<undefined>();
        expectTypeOf(result.ok).toEqualTypeOf<false>();
      }
      if (result.status === 401) expectTypeOf(result).toEqualTypeOf<Failure<401>>();
      if (result.status === 404) {
        expectTypeOf(result).toEqualTypeOf<OtherFailure<200 | 400 | 401 | 429>>();
      }
      if (result.ok) expectTypeOf(result.status).toEqualTypeOf<200>();
      else expectTypeOf<200>().not.toExtend<typeof result.status>();
      // @ts-expect-error: data exists only after a success
      result.data.id;
      // @ts-expect-error: no response has this status
      result.status === 700;
    });
  });

  test("of a PATCH, which succeeds with any 2xx", () => {
    compiled(async (feed) => {
      const result = await feed.bankLinks.completeResult("1", { body: { any: 1 } });
      if (result.ok) expectTypeOf<200 | 202 | 204>().toExtend<typeof result.status>();
      if (result.status === 204) expectTypeOf(result.ok).toEqualTypeOf<true>();
      if (result.status === 400) expectTypeOf(result.ok).toEqualTypeOf<false>();
      if (result.ok) expectTypeOf(result.data).toBeUnknown();
      expectTypeOf(await feed.bankLinks.complete("1")).toBeUnknown();
    });
  });

  test("of a resource's own method", () => {
    compiled(async (feed) => {
      const result = await feed.bankTransactions.getResult("s", "1");
      if (result.ok) expectTypeOf(result.data).toEqualTypeOf<Schemas["BankTransaction"]>();
      const page = await feed.cards.listResult({ limit: 3 });
      if (page.status === 200) expectTypeOf(page.data.totalItems).toEqualTypeOf<number>();
    });
  });
});

test("a single resource has its own type", () => {
  compiled(async (feed) => {
    const { get } = feed.subaccounts;
    expectTypeOf(await get("1")).toEqualTypeOf<Schemas["Subaccount"]>();
    expectTypeOf(await feed.cards.get("1")).toEqualTypeOf<Schemas["Card"]>();
    expectTypeOf(await feed.cardSubscriptions.get("1")).toEqualTypeOf<
      Schemas["CardSubscription"]
    >();
    expectTypeOf(await feed.networkBulkFeeds.get("1")).toEqualTypeOf<Schemas["NetworkBulkFeed"]>();
    expectTypeOf(await feed.transactions.get("1")).toEqualTypeOf<Schemas["Transaction"]>();
    const message = await feed.transactionMessages.get("1");
    expectTypeOf(message).toEqualTypeOf<Schemas["TransactionMessage"]>();
    expectTypeOf(await feed.bankAccounts.get("1")).toEqualTypeOf<Schemas["BankAccount"]>();
    const movement = await feed.bankTransactions.get("s", "1");
    expectTypeOf(movement).toEqualTypeOf<Schemas["BankTransaction"]>();
    const match = await feed.transactionMatches.get("s", "1");
    expectTypeOf(match).toEqualTypeOf<Schemas["TransactionMatch"]>();
  });
});

test("a list yields its items, and its pages theirs", () => {
  compiled(async (feed) => {
    for await (const each of feed.transactions.list({ limit: 100 })) {
      expectTypeOf(each).toEqualTypeOf<Schemas["Transaction"]>();
    }
    expectTypeOf(await feed.cards.list().toArray({ max: 5 })).toEqualTypeOf<Schemas["Card"][]>();
    for await (const page of feed.subaccounts.list().pages()) {
      expectTypeOf(page._embedded.subaccounts).toEqualTypeOf<Schemas["Subaccount"][]>();
      expectTypeOf(page._links.next).toEqualTypeOf<LinkTo<"/subaccounts"> | undefined>();
      if (page._links.next) feed.subaccounts.list({ from: page._links.next });
    }
    // @ts-expect-error: a maximum is required
    feed.cards.list().toArray();
    // @ts-expect-error: a page is requested by its link
    feed.cards.list({ offset: 5 });
    // @ts-expect-error: a single page has no ahead option
    feed.cards.listResult({ ahead: true });
  });
});

describe("the target of a link", () => {
  test("is known if the contract declares it", () => {
    compiled(async (feed) => {
      const { _links } = await feed.transactions.get("1");
      if (_links.card) {
        expectTypeOf(await feed.follow(_links.card)).toEqualTypeOf<Schemas["Card"]>();
        const result = await feed.followResult(_links.card);
        if (result.status === 200) expectTypeOf(result.data).toEqualTypeOf<Schemas["Card"]>();
      }
      for (const link of _links.messages) {
        const message = await feed.follow(link);
        expectTypeOf(message).toEqualTypeOf<Schemas["TransactionMessage"]>();
      }
      const { value: page } = await feed.cards.list().pages().next();
      if (page?._links.next) {
        const next = await feed.follow(page._links.next);
        expectTypeOf(next).toEqualTypeOf<typeof page>();
        expectTypeOf(next._embedded.cards).toEqualTypeOf<Schemas["Card"][]>();
      }
    });
  });

  test("is unknown for a plain link and for an address", () => {
    compiled(async (feed) => {
      const plain: Schemas["Link"] = { href: "/cards/1" };
      expectTypeOf(await feed.follow("/cards/1")).toBeUnknown();
      expectTypeOf(await feed.follow({ href: "/cards/1" })).toBeUnknown();
      const like: LinkLike = plain;
      expectTypeOf(await feed.follow(like)).toBeUnknown();
      const result = await feed.followResult(plain);
      if (result.ok) expectTypeOf(result.data).toBeUnknown();
    });
  });

  test("is refused if the link may be absent", () => {
    compiled(async (feed) => {
      const { _links } = await feed.transactions.get("1");
      // @ts-expect-error: omitted when cardId is null (TXN-03)
      await feed.follow(_links.card);
      // @ts-expect-error: no link
      await feed.followResult(undefined);
    });
  });
});

test("unknown paths and parameters are refused", () => {
  compiled(async (feed) => {
    // @ts-expect-error: no such path
    await feed.GET("/webhooks");
    // @ts-expect-error: a path with an id needs its template
    await feed.GET("/cards/1");
    // @ts-expect-error: only bank links support PATCH
    await feed.PATCH("/cards/{id}", { params: { path: { id: "1" } } });
    // @ts-expect-error: the client exchanges tokens itself
    await feed.GET("/auth/realms/{account_id}/protocol/openid-connect/token");
    // @ts-expect-error: an id is missing
    await feed.GET("/cards/{id}");
    // @ts-expect-error: an id of another name
    await feed.GET("/cards/{id}", { params: { path: { cardId: "1" } } });
    // @ts-expect-error: an id is a string
    await feed.GET("/cards/{id}", { params: { path: { id: 1 } } });
    // @ts-expect-error: no such parameter
    await feed.GET("/cards", { params: { query: { sort: "asc" } } });
    // @ts-expect-error: a limit is a number
    await feed.GET("/cards", { params: { query: { limit: "5" } } });
    // @ts-expect-error: the subaccount is missing
    await feed.bankTransactions.get("1");
    // @ts-expect-error: bank links have no get
    await feed.bankLinks.get("1");
    // @ts-expect-error: subscriptions have no list
    feed.cardSubscriptions.list();
    // @ts-expect-error: a GET has no body
    await feed.cards.get("1", { body: {} });
  });
});

describe("a page fetched by its link", () => {
  test("is a page of the same collection", () => {
    compiled(async (feed) => {
      const listed = await feed.cards.listResult();
      if (!listed.ok || !listed.data._links.next) return;
      const second = await feed.follow(listed.data._links.next);
      expectTypeOf(second).toEqualTypeOf<typeof listed.data>();
      expectTypeOf(second._embedded.cards).toEqualTypeOf<Schemas["Card"][]>();

      const third = await feed.followResult(listed.data._links.next);

      if (!third.ok || !third.data._links.next) return;
      expectTypeOf(third.data).toEqualTypeOf<typeof listed.data>();
      const fourth = await feed.follow(third.data._links.next);
      expectTypeOf(fourth).toEqualTypeOf<typeof listed.data>();
      feed.cards.list({ from: third.data._links.next });
    });
  });
});
