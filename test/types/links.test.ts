import { describe, expectTypeOf, test } from "vitest";
import type { EventPayloads } from "../../generated/events.ts";
import type { ResponseBodies } from "../../generated/operations.ts";
import type { components, LinkTo, TargetOf } from "../../generated/types.ts";

/** `npm run check` compiles these tests. They fail as type errors, not at run time. */
type Schemas = components["schemas"];
type Link = Schemas["Link"];
type Links = Schemas["Transaction"]["_links"];

/** The response of the GET of a link's target. */
type Followed<L> = ResponseBodies[`GET ${TargetOf<L>}` & keyof ResponseBodies][200];

describe("the type of a link has its target", () => {
  test("links of a transaction have the targets of its parts", () => {
    expectTypeOf<Links["self"]>().toEqualTypeOf<LinkTo<"/transactions/{transactionId}">>();
    expectTypeOf<Links["subaccount"]>().toEqualTypeOf<LinkTo<"/subaccounts/{id}">>();
    expectTypeOf<Links["card"]>().toEqualTypeOf<LinkTo<"/cards/{id}"> | undefined>();
    expectTypeOf<Links["messages"]>().toEqualTypeOf<LinkTo<"/transaction-messages/{id}">[]>();
  });

  test("links of events have the same targets as links of resources", () => {
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

  test("an unknown path is not a target", () => {
    // @ts-expect-error: no such path
    type _Unknown = LinkTo<"/webhooks">;
  });
});

describe("the type of a target follows from the type of its link", () => {
  test("a card, even for an optional link", () => {
    expectTypeOf<Followed<NonNullable<Links["card"]>>>().toEqualTypeOf<Schemas["Card"]>();
    expectTypeOf<Followed<Links["card"]>>().toEqualTypeOf<Schemas["Card"]>();
    expectTypeOf<Followed<Links["messages"][number]>>().toEqualTypeOf<
      Schemas["TransactionMessage"]
    >();
    type Self = NonNullable<NonNullable<Schemas["TransactionMatch"]["_links"]>["self"]>;
    expectTypeOf<Followed<Self>>().toEqualTypeOf<Schemas["TransactionMatch"]>();
  });

  test("either target for a union of links", () => {
    type Either = Followed<Links["self"] | Links["subaccount"]>;
    expectTypeOf<Either>().toEqualTypeOf<Schemas["Transaction"] | Schemas["Subaccount"]>();
  });

  test("never for a plain link", () => {
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

describe("a link with a target", () => {
  test("is assignable to a plain link and vice versa", () => {
    expectTypeOf<LinkTo<"/cards/{id}">>().toExtend<Link>();
    expectTypeOf<Link>().toExtend<LinkTo<"/cards/{id}">>();
    const byHand: LinkTo<"/cards/{id}"> = { href: "/cards/1" };
    expectTypeOf(byHand.href).toEqualTypeOf<string>();
  });

  test("is not assignable to a link with another target", () => {
    expectTypeOf<LinkTo<"/cards/{id}">>().not.toExtend<LinkTo<"/subaccounts/{id}">>();
  });
});
