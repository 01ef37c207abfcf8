import type { PGlite, Transaction as PGliteTransaction } from "@electric-sql/pglite";
import type pg from "pg";
import { describe, expectTypeOf, test } from "vitest";
import type { EventPayloads } from "../../generated/events.ts";
import type { UnknownEvent } from "../../src/contract/index.ts";
import {
  createReceiver,
  type Handler,
  type Handlers,
  type Inbox,
  type ReceiverOptions,
  type Verify,
} from "../../src/webhooks/index.ts";
import { postgresInbox } from "../../src/webhooks/postgres/index.ts";
import {
  memoryInbox,
  type SqliteTransaction,
  sqliteInbox,
} from "../../src/webhooks/sqlite/index.ts";

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

describe("the transaction of a handler", () => {
  /** Only compiles: the inbox is never created. */
  const typed = <Tx>(inbox: () => Inbox<Tx>, check: (tx: Tx) => void) => {
    expectTypeOf(() =>
      createReceiver({
        on: { "transaction.updated": (_event, { tx }) => check(tx) },
        inbox: inbox(),
      }),
    ).toBeFunction();
  };

  test("has the type of the driver", () => {
    typed(
      () => postgresInbox({ client: {} as pg.Pool }),
      (tx) => expectTypeOf(tx).toEqualTypeOf<pg.PoolClient>(),
    );
    typed(
      () => postgresInbox({ client: {} as PGlite }),
      (tx) => expectTypeOf(tx).toEqualTypeOf<PGliteTransaction>(),
    );
  });

  test("is a function on SQLite, and undefined without a database", () => {
    typed(
      () => sqliteInbox({ path: "feed.db" }),
      (tx) => expectTypeOf(tx).toEqualTypeOf<SqliteTransaction>(),
    );
    typed(memoryInbox, (tx) => expectTypeOf(tx).toEqualTypeOf<SqliteTransaction>());
    createReceiver({
      on: { "transaction.updated": (_, { tx }) => expectTypeOf(tx).toEqualTypeOf<undefined>() },
    });
  });

  test("is unknown to a handler that does not name its type", () => {
    const handler: Handler<"transaction.updated"> = (_, { tx }) =>
      expectTypeOf(tx).toEqualTypeOf<unknown>();
    createReceiver({ on: { "transaction.updated": handler }, inbox: memoryInbox(), work: false });
    const onPg: Handler<"transaction.updated", pg.PoolClient> = (_, { tx }) => tx.query("SELECT 1");
    const refuse = () =>
      // @ts-expect-error: the inbox has no transaction of pg
      createReceiver({ on: { "transaction.updated": onPg }, inbox: memoryInbox() });
    expectTypeOf(refuse).toBeFunction();
  });
});
