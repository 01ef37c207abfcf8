import { type OperationKey, operations } from "../../generated/operations.ts";
import { BaseAddress, segmentOf } from "../../src/client/base-address.ts";
import { TxfeedError } from "../../src/errors.ts";
import type { Verb, VerbParams, VerbResult } from "../driver.ts";
import { Skip } from "../run/skip.ts";
import {
  ACCEPT,
  type Delivery,
  type Exchange,
  type RecordedRequest,
  type Variable,
} from "./exchange.ts";

/**
 * The interface between a run and its target: live and recorded, or replayed from evidence.
 * Requests and responses contain the variables of `SecretStore` in place of secrets.
 */
export interface Transport {
  /**
   * Sends a request once. Redirects are not followed.
   *
   * @param scope The check or shared data that sends it.
   * @param keepAs The variable that stores the token of the response.
   * @returns Resolves to the exchange, even without a response. Rejects with a `Skip` if the run
   * was aborted or the target stopped responding. Rejects with a TxfeedError if the target never
   * responded (`unreachable`) or no request can be sent (`usage`).
   */
  send(scope: string, request: RecordedRequest, keepAs?: Variable): Promise<Exchange>;
  /**
   * Returns the deliveries so far.
   *
   * @param isEnough If it returns false, waits for more deliveries, up to a timeout.
   */
  deliveries(
    scope: string,
    isEnough?: (deliveries: readonly Delivery[]) => boolean,
  ): Promise<readonly Delivery[]>;
  /** Calls a verb of the driver. Rejects with a `Skip` if the target refuses. */
  drive<V extends Verb>(scope: string, verb: V, params: VerbParams<V>): Promise<VerbResult<V>>;
}

/** An operation that takes an access token. */
export type SecuredOperation = Exclude<OperationKey, `POST ${string}`>;

type ParameterOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterOf<Rest>
  : never;

/** The input of an operation: values of its path parameters, a query and a body. */
export interface OperationInput<Operation extends string = string> {
  readonly path?: Readonly<Record<ParameterOf<Operation>, string>>;
  readonly query?: Readonly<Record<string, string | number>>;
  /** Sent as JSON. */
  readonly body?: unknown;
}

/**
 * Builds the request of an operation, with the run's access token.
 *
 * @throws {Skip} if an id results in an address that is not plain
 * @throws {TxfeedError} `usage` if an id is not a single path segment
 */
export function operationRequest<Operation extends SecuredOperation>(
  baseUrl: string,
  operation: Operation,
  { path = {}, query = {}, body }: OperationInput = {},
): RecordedRequest {
  const { method, path: template } = operations[operation];
  const values: Readonly<Record<string, string>> = path;
  const filled = template.replaceAll(/\{(\w+)\}/g, (_, name) => segmentOf(name, values[name]));
  const fields = Object.entries(query).map(
    ([name, value]) => `${name}=${encodeURIComponent(value)}`,
  );
  const url = addressBelow(baseUrl, fields.length > 0 ? `${filled}?${fields.join("&")}` : filled);
  return {
    method,
    url,
    headers: headersFor(body !== undefined),
    ...(body !== undefined && { body: JSON.stringify(body) }),
  };
}

/**
 * Builds the request that follows a link, with the run's access token.
 *
 * @throws {Skip} if the link leaves the base address or is not plain (PAGE-14)
 */
export function linkRequest(baseUrl: string, href: string): RecordedRequest {
  return { method: "GET", url: addressBelow(baseUrl, href), headers: headersFor(false) };
}

function headersFor(hasBody: boolean): RecordedRequest["headers"] {
  return {
    accept: ACCEPT,
    ...(hasBody && { "content-type": "application/json" }),
    authorization: "Bearer $TXFEED_TOKEN",
  };
}

const REFUSED = "the link is not followed: it leaves the base URL or is not a plain path";

/** Resolves a path or link as the client does, so that tokens are sent only below the base URL. */
function addressBelow(baseUrl: string, href: string): string {
  try {
    return new BaseAddress(baseUrl).resolve(href, { method: "GET", path: "(link)", attempts: 0 });
  } catch (error) {
    const isRefused = error instanceof TxfeedError && error.code === "refused-link";
    throw isRefused ? new Skip(REFUSED) : error;
  }
}
