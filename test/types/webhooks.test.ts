import { describe, expectTypeOf, test } from "vitest";
import type { EventPayloads } from "../../generated/events.ts";
import type { UnknownEvent } from "../../src/contract/index.ts";
import {
  createReceiver,
  type Handlers,
  type ReceiverOptions,
  type Verify,
} from "../../src/webhooks/index.ts";

/** `npm run check` compiles these tests. They fail as type errors, not at run time. */

describe("createReceiver", () => {
  test("types the event of each handler by its key", () => {
    createReceiver({
      on: {
        "transaction.updated": ({ name, body }) => {
          expectTypeOf(name).toEqualTypeOf<"transaction.updated">();
          expectTypeOf(body).toEqualTypeOf<EventPayloads["transaction.updated"]>();
        },
        "banktransaction.created": async ({ body }) => {
          expectTypeOf(body.category).toEqualTypeOf<string | null>();
        },
        // ENR-02: the shape is experimental, so no field is guaranteed.
        "enrichment.merchant.created": ({ body }) => expectTypeOf(body).toBeUnknown(),
      },
      fallback: (event) => expectTypeOf(event).toEqualTypeOf<UnknownEvent>(),
    });
  });

  test("accepts several maps of handlers with the same types", () => {
    const settlements: Handlers = { "transaction.updated": ({ body }) => body.status };
    createReceiver({
      on: [
        settlements,
        {
          "banktransaction.deleted": ({ body }) =>
            expectTypeOf(body).toEqualTypeOf<EventPayloads["banktransaction.deleted"]>(),
        },
      ],
    });
  });

  test("refuses an unknown event name and a handler that is not a function", () => {
    // @ts-expect-error: no such event
    const wrongName: Handlers = { "transaction.deleted": () => {} };
    // @ts-expect-error: not a function
    const wrongHandler: Handlers = { "transaction.updated": "handle it" };
    const other = (event: { body: { matchId: string } }) => event.body.matchId;
    // @ts-expect-error: it expects the body of another event
    const wrongBody: Handlers = { "transaction.updated": other };
    // @ts-expect-error: `on` is required
    const nothing: ReceiverOptions = {};
    expectTypeOf([wrongName, wrongHandler, wrongBody]).items.toEqualTypeOf<Handlers>();
    expectTypeOf(nothing).toEqualTypeOf<ReceiverOptions>();
  });

  test("refuses a wrong name inside the call", () => {
    const make = () =>
      createReceiver({
        on: {
          // @ts-expect-error: no such event
          "transaction.deleted": () => {},
        },
      });
    expectTypeOf(make).toBeFunction();
  });

  test("accepts a verify that returns a verdict, not one that returns a payload", () => {
    const verifies: Verify[] = [
      () => true,
      async () => false,
      ({ headers }) => ({ verified: true, deliveryId: headers.get("webhook-id") }),
      async () => ({ verified: true, eventName: "transaction.updated" }),
    ];
    // @ts-expect-error: a decoded payload
    const payload: Verify = () => ({ id: "msg_1" });
    // @ts-expect-error: a refusal is false or an error
    const refusal: Verify = () => ({ verified: false });
    expectTypeOf([...verifies, payload, refusal]).items.toEqualTypeOf<Verify>();
  });

  test("is a fetch handler", () => {
    expectTypeOf(createReceiver).returns.toExtend<(request: Request) => Promise<Response>>();
  });
});
