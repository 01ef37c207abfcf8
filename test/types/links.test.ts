import { describe, expectTypeOf, test } from "vitest";
import type { EventPayloads } from "../../generated/events.ts";
import type { ResponseBodies } from "../../generated/operations.ts";
import type { components, LinkTo, TargetOf } from "../../generated/types.ts";

/** `npm run check` compiles these; each fails there, as a type, and not when it runs. */
type Schemas = components["schemas"];
type Link = Schemas["Link"];
type Links = Schemas["Transaction"]["_links"];

/** What the GET of a link's target answers with, as a client that follows it finds it. */
type Followed<L> = ResponseBodies[`GET ${TargetOf<L>}` & keyof ResponseBodies][200];

describe("a link's type says where it leads", () => {
  test("a transaction's lead to its own parts", () => {
    expectTypeOf<Links["self"]>().toEqualTypeOf<LinkTo<"/transactions/{transactionId}">>();
    expectTypeOf<Links["subaccount"]>().toEqualTypeOf<LinkTo<"/subaccounts/{id}">>();
    expectTypeOf<Links["card"]>().toEqualTypeOf<LinkTo<"/cards/{id}"> | undefined>();
    expectTypeOf<Links["messages"]>().toEqualTypeOf<LinkTo<"/transaction-messages/{id}">[]>();
  });

  test("those of events do as those of resources", () => {
    type Updated = EventPayloads["transaction.updated"]["_links"];
    expectTypeOf<Updated>().toEqualTypeOf<Links>();
    type Moved = EventPayloads["networkbulkfeed.statechanged"]["_links"];
    expectTypeOf<Moved["self"]>().toEqualTypeOf<LinkTo<"/network-bulk-feeds/{id}">>();
    type Created = EventPayloads["cardsubscription.created"]["_links"];
    expectTypeOf<Created["card"]>().toEqualTypeOf<LinkTo<"/cards/{id}">>();
    type Account = LinkTo<"/bank-accounts/{id}"> | undefined;
    expectTypeOf<Created["bankAccount"]>().toEqualTypeOf<Account>();
    type Enriched = EventPayloads["enrichment.merchant.created"]["_links"];
    expectTypeOf<Enriched["message"]>().toEqualTypeOf<LinkTo<"/transaction-messages/{id}">>();
  });

  test("a path that is none of the contract is no target", () => {
    // @ts-expect-error: no such path
    type _Unknown = LinkTo<"/webhooks">;
  });
});

describe("what a link leads to is found by its type", () => {
  test("a card, of a link that may be absent too", () => {
    expectTypeOf<Followed<NonNullable<Links["card"]>>>().toEqualTypeOf<Schemas["Card"]>();
    expectTypeOf<Followed<Links["card"]>>().toEqualTypeOf<Schemas["Card"]>();
    expectTypeOf<Followed<Links["messages"][number]>>().toEqualTypeOf<
      Schemas["TransactionMessage"]
    >();
    type Self = NonNullable<NonNullable<Schemas["TransactionMatch"]["_links"]>["self"]>;
    expectTypeOf<Followed<Self>>().toEqualTypeOf<Schemas["TransactionMatch"]>();
  });

  test("either of what two links lead to", () => {
    type Either = Followed<Links["self"] | Links["subaccount"]>;
    expectTypeOf<Either>().toEqualTypeOf<Schemas["Transaction"] | Schemas["Subaccount"]>();
  });

  test("nothing of a plain link", () => {
    expectTypeOf<TargetOf<Link>>().toEqualTypeOf<never>();
    expectTypeOf<TargetOf<Schemas["CardPage"]["_links"]["self"]>>().toEqualTypeOf<never>();
    expectTypeOf<TargetOf<Schemas["BankLink"]["_links"]["self"]>>().toEqualTypeOf<never>();
    type External = Schemas["EnrichmentLinks"]["merchant"];
    expectTypeOf<External>().toEqualTypeOf<Schemas["ExternalLink"]>();
    expectTypeOf<TargetOf<External>>().toEqualTypeOf<never>();
    expectTypeOf<TargetOf<undefined>>().toEqualTypeOf<never>();
    expectTypeOf<TargetOf<object>>().toEqualTypeOf<never>();
  });
});

describe("a link that says where it leads", () => {
  test("is a plain link, and a plain link is one of these", () => {
    expectTypeOf<LinkTo<"/cards/{id}">>().toExtend<Link>();
    expectTypeOf<Link>().toExtend<LinkTo<"/cards/{id}">>();
    const byHand: LinkTo<"/cards/{id}"> = { href: "/cards/1" };
    expectTypeOf(byHand.href).toEqualTypeOf<string>();
  });

  test("is no link to something else", () => {
    expectTypeOf<LinkTo<"/cards/{id}">>().not.toExtend<LinkTo<"/subaccounts/{id}">>();
  });
});
