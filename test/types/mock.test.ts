import { describe, expectTypeOf, test } from "vitest";
import type { OperationKey } from "../../generated/operations.ts";
import {
  createFeedClient,
  type FeedClientOptions,
  type Transport,
} from "../../src/client/index.ts";
import {
  createMockTransport,
  type MockOverrides,
  type RecordedCall,
} from "../../src/client/mock/index.ts";

/** `npm run check` compiles these tests. They fail as type errors, not at run time. */

const card = { id: "1", _links: { self: { href: "/cards/1" } } };

describe("createMockTransport", () => {
  test("is a transport for a client", () => {
    expectTypeOf(createMockTransport()).toExtend<Transport>();
    const client = (options: FeedClientOptions) =>
      createFeedClient({ ...options, transport: createMockTransport() });
    expectTypeOf(client).toBeFunction();
  });

  test("accepts responses, errors, functions and lists of them", () => {
    createMockTransport({
      "GET /cards/{id}": [{ status: 503, headers: { "retry-after": "2" } }, {}, { body: card }],
      "GET /cards": new TypeError("fetch failed"),
      "GET /transactions": { status: 400, body: "anything" },
      "PATCH /bank-links/{bankLinkId}": { status: 204 },
      "GET /bank-transactions/{subaccountId}/{id}": async ({ params }) => {
        expectTypeOf(params).toEqualTypeOf<Readonly<Record<"subaccountId" | "id", string>>>();
        return { status: 404 };
      },
      "GET /subaccounts/{id}": [({ params }) => ({ status: 404, body: params.id }), new Error()],
    });
  });

  test("refuses an operation that the contract does not have", () => {
    const make = () =>
      createMockTransport({
        // @ts-expect-error: no such operation
        "GET /card/{id}": { status: 404 },
      });
    expectTypeOf(make).toBeFunction();
  });

  test("refuses a success with another body, or a part of it", () => {
    const overrides: MockOverrides[] = [
      // @ts-expect-error: a list's body
      { "GET /cards/{id}": { body: { _embedded: { cards: [] }, _links: {} } } },
      // @ts-expect-error: no links
      { "GET /cards/{id}": { status: 200, body: { id: "1" } } },
      // @ts-expect-error: an amount is a number
      { "GET /transactions/{transactionId}": () => ({ body: { transactionHoldAmount: "1" } }) },
      // @ts-expect-error: no links, in one response of a list
      { "GET /cards/{id}": [{ status: 503 }, { body: { id: "1" } }] },
    ];
    expectTypeOf(overrides).toBeArray();
  });

  test("refuses an invalid response", () => {
    const overrides: MockOverrides[] = [
      // @ts-expect-error: a status is a number
      { "GET /cards": { status: "503" } },
      // @ts-expect-error: no final response has this status
      { "GET /cards": { status: 100 } },
      // @ts-expect-error: not a response
      { "GET /cards": "503" },
    ];
    expectTypeOf(overrides).toBeArray();
  });
});

describe("a mock", () => {
  const mock = createMockTransport();

  test("types later overrides like the initial ones", () => {
    mock.on("GET /cards/{id}", ({ params }) => ({ body: { ...card, id: params.id } }));
    const wrong = () => {
      // @ts-expect-error: no such operation
      mock.on("GET /card/{id}", {});
      // @ts-expect-error: no links
      mock.on("GET /cards/{id}", { body: { id: "1" } });
      // @ts-expect-error: no such parameter
      mock.on("GET /cards/{id}", ({ params }) => ({ status: 404, body: params.cardId }));
    };
    expectTypeOf(wrong).toBeFunction();
  });

  test("returns calls that narrow by operation", () => {
    const [call] = mock.calls;
    expectTypeOf(call?.operation).toEqualTypeOf<OperationKey | undefined>();
    if (call?.operation === "GET /cards/{id}") {
      expectTypeOf(call).toEqualTypeOf<RecordedCall<"GET /cards/{id}">>();
    }
    expectTypeOf(mock.callsOf("GET /cards")).items.toEqualTypeOf<RecordedCall<"GET /cards">>();
    // @ts-expect-error: no such operation
    expectTypeOf(() => mock.callsOf("GET /card")).toBeFunction();
  });
});
