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

/** A transport that responds without a network, and records the requests. */
export interface MockTransport extends Transport {
  /**
   * Every request so far, in order: each attempt and each token exchange is one entry. Access
   * tokens and the client secret are removed.
   */
  readonly calls: readonly AnyRecordedCall[];
  /**
   * Returns the requests of one operation.
   *
   * @throws {TxfeedError} `usage` if the contract has no such operation
   */
  callsOf<Key extends OperationKey>(operation: Key): readonly RecordedCall<Key>[];
  /**
   * Replaces the override of an operation; `{}` restores the contract's examples.
   *
   * @throws {TxfeedError} `usage` as {@link createMockTransport} does
   */
  on<Key extends OperationKey>(operation: Key, override: MockOverride<Key>): void;
  /** Clears the calls and restores the initial overrides. */
  reset(): void;
}

/**
 * Creates a transport for tests, which responds with the contract's examples, without a network.
 * Every list ends, and the cards and accounts that its items link to are listed, too. The transport
 * has no state: an unknown id or page gets a default example, and a PATCH changes nothing. It
 * accepts any base address and any credentials. Like the service, it responds with 401 to a request
 * without an access token (AUTH-07), and with 404 to an unknown operation.
 *
 * @param overrides Responses by operation: a response, an Error to simulate a network error, a
 * function of the call, or an array of these for consecutive calls. `{}` is the contract's example.
 * With status 200, `body` is the complete body.
 * @returns the transport, for the option `transport` of a client.
 * @throws {TxfeedError} `usage` for an unknown operation, a status outside of 200 to 599, or an
 * empty array
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
 * await feed.cards.get("any");
 * console.log(mock.callsOf("GET /cards/{id}").length); // 2
 * ```
 */
export function createMockTransport(overrides: MockOverrides = {}): MockTransport {
  const calls: AnyRecordedCall[] = [];
  const queues = new ReplyQueues();
  let exchanges = 0;
  const defaultBody = (operation: OperationKey, call: AnyRecordedCall): unknown => {
    if (operation !== TOKEN) return exampleFor(operation, call);
    exchanges += 1;
    // Each token is new, because the client replaces a refused token only by a different one.
    const { body } = responseExamples[TOKEN][0];
    return { ...body, access_token: `${body.access_token}-${exchanges}` };
  };
  const respond = async (
    call: AnyRecordedCall,
    request: TransportRequest,
  ): Promise<AnyResponse> => {
    const { operation } = call;
    if (operation === undefined) return { status: 404 };
    if (operations[operation].secured && !hasToken(request)) {
      return { status: 401, headers: { "www-authenticate": "Bearer" } };
    }
    const { status = 200, headers, body } = await queues.next(operation, call);
    const isDefault = body === undefined && status === 200;
    return { status, headers, body: isDefault ? defaultBody(operation, call) : body };
  };
  const transport: Transport = async (request) => {
    const call = recordOf(request);
    calls.push(call);
    return toResponse(await respond(call, request), request.maxBytes);
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

/** Serializes a response, so that changes to a parsed body do not affect later responses. */
function toResponse(
  { status = 200, headers, body }: AnyResponse,
  maxBytes: number,
): TransportResponse {
  const text = body === undefined ? "" : JSON.stringify(body);
  if (new TextEncoder().encode(text).length > maxBytes) throw new ResponseTooLong();
  const type: Record<string, string> = text === "" ? {} : { "content-type": "application/json" };
  return { status, headers: new Headers({ ...type, ...headers }), text };
}

/** Whether a request has an access token (AUTH-07). */
function hasToken({ headers }: TransportRequest): boolean {
  return /^Bearer \S/i.test(new Headers(headers).get("authorization") ?? "");
}
