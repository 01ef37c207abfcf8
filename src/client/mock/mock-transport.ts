import { type OperationKey, operations } from "../../../generated/operations.ts";
import { responseExamples } from "../../../generated/response-examples.ts";
import {
  ResponseTooLong,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from "../transport.ts";
import { exampleFor } from "./example.ts";
import {
  type AnyResponse,
  checkOperation,
  type MockOverride,
  type MockOverrides,
  ReplyQueues,
} from "./overrides.ts";
import { type AnyRecordedCall, type RecordedCall, recordOf } from "./recorded-call.ts";

const TOKEN = "POST /auth/realms/{account_id}/protocol/openid-connect/token";

/** A transport that answers by itself, and tells what it was asked. */
export interface MockTransport extends Transport {
  /**
   * Every request so far in the order sent, each attempt and each token exchange for itself.
   * Neither access tokens nor the client secret are in it.
   */
  readonly calls: readonly AnyRecordedCall[];
  /** The requests of one operation. Throws a TxfeedError `usage` where there is none such. */
  callsOf<Key extends OperationKey>(operation: Key): readonly RecordedCall<Key>[];
  /**
   * Answers an operation otherwise from now on, in place of any override before; with `{}` by the
   * contract's examples again. Throws a TxfeedError `usage` as {@link createMockTransport} does.
   */
  on<Key extends OperationKey>(operation: Key, override: MockOverride<Key>): void;
  /** Forgets the calls, and starts anew with the overrides it was created with. */
  reset(): void;
}

/**
 * Creates a transport for tests, which answers from the examples of the contract with no network.
 * The examples are one world: links lead from one to the next, and lists can be walked to their
 * end. It keeps no state. An id or a page that no example has gets the operation's first example, a
 * PATCH changes nothing, and any base address and any credentials do. As the service would, it
 * answers 401 to a request without an access token (AUTH-07), and 404 where the contract has no
 * operation.
 *
 * @param overrides What is answered otherwise, by operation: an answer, an Error where the network
 * is to fail, a function of the call, or several of these for one call after the other. `{}` is the
 * contract's own answer. At status 200 a body is the operation's whole body.
 * @returns the transport, for the option `transport` of a client. Throws a TxfeedError `usage` at
 * an operation that the contract does not have, a status outside of 200 to 599, or an empty array.
 *
 * @example
 * ```ts
 * const mock = createMockTransport({
 *   "GET /cards/{id}": [{ status: 503, headers: { "retry-after": "0" } }, {}],
 *   "GET /bank-accounts": new Error("connection reset"),
 * });
 * const feed = createFeedClient({
 *   baseUrl: "https://feed.example",
 *   accountId: "any",
 *   clientId: "any",
 *   clientSecret: "any",
 *   transport: mock,
 * });
 *
 * const card = await feed.cards.get("bc806344-066c-4947-b770-9d25dee501a3");
 * console.log(card._links.self.href, mock.callsOf("GET /cards/{id}").length);
 * ```
 */
export function createMockTransport(overrides: MockOverrides = {}): MockTransport {
  const calls: AnyRecordedCall[] = [];
  const queues = new ReplyQueues();
  let exchanges = 0;
  const usualBody = (operation: OperationKey, call: AnyRecordedCall): unknown => {
    if (operation !== TOKEN) return exampleFor(operation, call);
    exchanges += 1;
    // One that was refused is only given up for another.
    const { body } = responseExamples[TOKEN][0];
    return { ...body, access_token: `${body.access_token}-${exchanges}` };
  };
  const answer = async (call: AnyRecordedCall, request: TransportRequest): Promise<AnyResponse> => {
    const { operation } = call;
    if (operation === undefined) return { status: 404 };
    if (operations[operation].secured && !hasToken(request)) {
      return { status: 401, headers: { "www-authenticate": "Bearer" } };
    }
    const { status = 200, headers, body } = await queues.next(operation, call);
    const isUsual = body === undefined && status === 200;
    return { status, headers, body: isUsual ? usualBody(operation, call) : body };
  };
  const transport: Transport = async (request) => {
    const call = recordOf(request);
    calls.push(call);
    return written(await answer(call, request), request.maxBytes);
  };
  const reset = () => {
    calls.length = 0;
    queues.clear();
    for (const [operation, override] of Object.entries(overrides)) {
      if (override !== undefined) queues.set(operation, override);
    }
  };
  reset();
  const mock = {
    calls,
    callsOf: (operation: OperationKey) => {
      checkOperation(operation);
      return calls.filter((call) => call.operation === operation);
    },
    on: (operation: OperationKey, override: unknown) => queues.set(operation, override),
    reset,
  };
  return Object.assign(transport, mock) as MockTransport;
}

/** The answer in new words each time, so that nobody can change the next one. */
function written(
  { status = 200, headers, body }: AnyResponse,
  maxBytes: number,
): TransportResponse {
  const text = body === undefined ? "" : JSON.stringify(body);
  if (new TextEncoder().encode(text).length > maxBytes) throw new ResponseTooLong();
  const type: Record<string, string> = text === "" ? {} : { "content-type": "application/json" };
  return { status, headers: new Headers({ ...type, ...headers }), text };
}

/** AUTH-07: a request without a token gets nothing. */
function hasToken({ headers }: TransportRequest): boolean {
  return /^Bearer \S/i.test(new Headers(headers).get("authorization") ?? "");
}
