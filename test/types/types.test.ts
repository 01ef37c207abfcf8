import { describe, expectTypeOf, test } from "vitest";
import { type EventName, type EventPayloads, eventNames } from "../../generated/events.ts";
import type { ResponseBodies } from "../../generated/operations.ts";
import type { RequirementId } from "../../generated/requirements.ts";
import type { components, paths, webhooks } from "../../generated/types.ts";
import { events } from "../../generated/validators.js";
import { type FeedEvent, validateEvent, validateResponse } from "../../src/contract/index.ts";

/** `npm run check` compiles these tests. They fail as type errors, not at run time. */
type Schemas = components["schemas"];
type Updated =
  webhooks["transaction.updated"]["post"]["requestBody"]["content"]["application/json"];
type Subscription =
  webhooks["cardsubscription.created"]["post"]["requestBody"]["content"]["application/json"];

describe("webhooks", () => {
  test("transaction.updated has the transaction and its metadata", () => {
    expectTypeOf<Updated>().toEqualTypeOf<Schemas["TransactionEvent"]>();
    expectTypeOf<Updated["cardId"]>().toEqualTypeOf<string | null>();
    expectTypeOf<Updated["transactionSettledAmount"]>().toEqualTypeOf<number>();
    expectTypeOf<Updated>().toExtend<Schemas["Transaction"]>();
    expectTypeOf<Updated["metadata"]>().toExtend<{ resourceId?: string } | undefined>();
  });

  test("the header has the name of the event", () => {
    type Header = webhooks["transaction.updated"]["post"]["parameters"]["header"];
    expectTypeOf<Header["webhook-event-type"]>().toEqualTypeOf<"transaction.updated">();
  });

  test("EventPayloads has the 13 events and narrows by name", () => {
    expectTypeOf<EventPayloads["transaction.updated"]>().toEqualTypeOf<Updated>();
    expectTypeOf(eventNames).items.toExtend<EventName>();
    // @ts-expect-error: no such event
    type _Unknown = EventPayloads["transaction.deleted"];
  });
});

describe("card subscriptions narrow by enrollmentType", () => {
  test("bank-feed has a bank account and no feed", () => {
    type BankFeed = Extract<Subscription, { enrollmentType: "bank-feed" }>;
    expectTypeOf<BankFeed["bankAccountId"]>().toEqualTypeOf<string>();
    expectTypeOf<BankFeed["networkBulkFeedId"]>().toEqualTypeOf<null>();
    expectTypeOf<BankFeed["_links"]["bankAccount"]["href"]>().toEqualTypeOf<string>();
  });

  test("network-bulk has a feed, and optionally a bank account", () => {
    const read = (subscription: Subscription) => {
      if (subscription.enrollmentType !== "network-bulk") return undefined;
      expectTypeOf(subscription.networkBulkFeedId).toEqualTypeOf<string>();
      expectTypeOf(subscription.bankAccountId).toEqualTypeOf<string | undefined>();
      return subscription._links.networkBulkFeed.href;
    };
    expectTypeOf(read).returns.toEqualTypeOf<string | undefined>();
  });

  test("cardholder-single has no link to a feed", () => {
    type Single = Extract<Subscription, { enrollmentType: "cardholder-single" }>;
    // @ts-expect-error: no such link
    type _Link = Single["_links"]["networkBulkFeed"];
  });
});

describe("paths", () => {
  test("the path of a transaction takes an id and returns a transaction", () => {
    type Get = paths["/transactions/{transactionId}"]["get"];
    expectTypeOf<Get["parameters"]["path"]>().toEqualTypeOf<{ transactionId: string }>();
    type Answer = Get["responses"][200]["content"]["application/json"];
    expectTypeOf<Answer>().toEqualTypeOf<Schemas["Transaction"]>();
    expectTypeOf<
      ResponseBodies["GET /transactions/{transactionId}"][200]
    >().toEqualTypeOf<Answer>();
  });

  test("cards are in offset style, subaccounts in cursor style", () => {
    type Cards = NonNullable<paths["/cards"]["get"]["parameters"]["query"]>;
    expectTypeOf<Cards>().toEqualTypeOf<{ offset?: number; limit?: number }>();
    type Subaccounts = NonNullable<paths["/subaccounts"]["get"]["parameters"]["query"]>;
    expectTypeOf<Subaccounts>().toEqualTypeOf<{ cursor?: string; limit?: number }>();
    expectTypeOf<Schemas["CardPage"]["totalItems"]>().toEqualTypeOf<number>();
    expectTypeOf<Schemas["TransactionPage"]["totalItems"]>().toEqualTypeOf<number | undefined>();
  });

  test("every path is in the contract", () => {
    expectTypeOf<"/bank-transactions/{subaccountId}/{id}">().toExtend<keyof paths>();
    // @ts-expect-error: no such path
    type _Unknown = paths["/webhooks"];
  });
});

describe("values", () => {
  test("an open set accepts any string, a closed set only its values", () => {
    const status: Schemas["TransactionStatus"] = "REVERSED";
    expectTypeOf(status).toExtend<string>();
    // @ts-expect-error: not one of the closed set
    const confidence: Schemas["Confidence"] = "SURE";
    expectTypeOf(confidence).toExtend<string>();
  });

  test("expires_in is 300 and token_type is Bearer", () => {
    expectTypeOf<Schemas["AccessToken"]["expires_in"]>().toEqualTypeOf<300>();
    expectTypeOf<Schemas["AccessToken"]["token_type"]>().toEqualTypeOf<"Bearer">();
  });

  test("open fields of a resource are unknown", () => {
    expectTypeOf<Schemas["Card"]["anything"]>().toEqualTypeOf<unknown>();
    expectTypeOf<Schemas["Card"]["id"]>().toEqualTypeOf<string>();
  });

  test("a requirement id is in the catalogue", () => {
    expectTypeOf<"TXN-06">().toExtend<RequirementId>();
    expectTypeOf<"TXN-99">().not.toExtend<RequirementId>();
  });
});

describe("validation narrows", () => {
  test("a validator is a type guard", () => {
    const body: unknown = {};
    const validate = events["banktransaction.created"];
    if (validate(body)) expectTypeOf(body).toEqualTypeOf<Schemas["BankTransactionEvent"]>();
  });

  test("a valid event has the payload type, an invalid one does not", () => {
    const validation = validateEvent("banktransaction.created", {});
    if (validation.ok) expectTypeOf(validation.body.category).toEqualTypeOf<string | null>();
    else expectTypeOf(validation.body).toEqualTypeOf<unknown>();
  });

  test("a valid response has the type of its operation", () => {
    const validation = validateResponse("GET /bank-transactions/{subaccountId}/{id}", 200, {});
    if (validation.ok) expectTypeOf(validation.body.category).toEqualTypeOf<unknown[]>();
    // @ts-expect-error: its response is not specified
    const operation: Parameters<typeof validateResponse>[0] = "PATCH /bank-links/{bankLinkId}";
    expectTypeOf(operation).toExtend<string>();
  });
});

describe("feed events", () => {
  test("the name narrows the body, also for an unknown event", () => {
    const report = (event: FeedEvent) => {
      switch (event.name) {
        case "transaction.updated":
          return expectTypeOf(event.body).toEqualTypeOf<Schemas["TransactionEvent"]>();
        case "banktransaction.deleted":
          return expectTypeOf(event.body.reason).toExtend<string>();
        case "unknown":
          expectTypeOf(event.receivedName).toEqualTypeOf<string>();
          return expectTypeOf(event.body).toEqualTypeOf<unknown>();
        default:
          return expectTypeOf(event.name).toExtend<EventName>();
      }
    };
    expectTypeOf(report).toBeFunction();
  });

  test("the events are those of the contract and the unknown event", () => {
    expectTypeOf<FeedEvent["name"]>().toEqualTypeOf<EventName | "unknown">();
  });
});
