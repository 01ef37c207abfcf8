import { type OperationKey, operations } from "../../generated/operations.ts";
import { BaseAddress, segmentOf } from "../../src/client/base-address.ts";
import { hasCode, reasonOf } from "../../src/errors.ts";
import { shortened } from "../../src/text.ts";
import type { Verb, VerbParams, VerbResult } from "../driver.ts";
import { Skip } from "../skip.ts";

/** Accepts problem+json too: without it, Prism returns 406 for invalid requests. */
export const ACCEPT = "application/json, application/problem+json";

/**
 * The placeholder of a secret in evidence, reports and comparisons. It is the name of a shell
 * variable, so that a curl line works if the variable is set.
 */
export type Variable = `$TXFEED_${string}`;

/**
 * A request and its response. Variables of `SecretStore` replace secrets. Bodies are text; a JSON
 * body is also parsed.
 */
export interface Exchange {
  /** The position among all recorded entries, from 1, in the order of their start. */
  readonly nr: number;
  readonly request: RecordedRequest;
  /** Omitted if there was no response; `failure` then has the reason. */
  readonly response?: RecordedResponse;
  readonly failure?: string;
  /**
   * Whether the target refused every attempt by 429, or by 503 with `Retry-After`. What a check
   * finds without the response is then no violation.
   */
  readonly throttled?: true;
  readonly durationMs: number;
}

export interface RecordedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface RecordedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Describes the full body if `body` is truncated. */
  readonly cut?: string;
  /** The parsed body; undefined if it is not JSON. It is not written to files. */
  readonly json?: unknown;
}

/** A delivery as received by the run, without secrets. */
export interface Delivery {
  /** Its sequence number in the run's recording, starting at 1. */
  readonly nr: number;
  /** ISO 8601. */
  readonly receivedAt: string;
  /** When its response was sent. Concurrent deliveries have no order. */
  readonly answeredAt: string;
  readonly request: {
    readonly method: string;
    /** Path and query, below the path of the run's receiver. */
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    /** The body as received; truncated if it was aborted. */
    readonly body: string;
  };
  /** The `webhook-event-type` header; empty if missing. */
  readonly name: string;
  /** Why the body is incomplete; omitted if it is complete. */
  readonly cut?: string;
  /**
   * Why the run's receiver refused it; omitted if accepted. Its body is not kept. Only the first
   * delivery refused as `full` is recorded.
   */
  readonly refused?: "too large" | "full";
  /** The parsed body; undefined if it is not JSON. Files contain only the text. */
  readonly json?: unknown;
}

export function isDelivery(entry: Exchange | Delivery): entry is Delivery {
  return "receivedAt" in entry;
}

/** The body of a response or delivery as text; empty if there is none. */
export function receivedText(entry: Exchange | Delivery | undefined): string {
  if (!entry) return "";
  return isDelivery(entry) ? entry.request.body : (entry.response?.body ?? "");
}

/** The maximum length of a recorded body that is not parsed. */
const MAX_UNPARSED_CHARS = 10_000;

/** Parses a body, or truncates it if it cannot be parsed. */
export function storedBody(body: string): Pick<RecordedResponse, "body" | "cut" | "json"> {
  const json = parseJson(body);
  if (json !== undefined) return { body, json };
  if (body.length <= MAX_UNPARSED_CHARS) return { body };
  const cut = `${kindOf(body)}, of ${body.length} characters`;
  return { body: body.slice(0, MAX_UNPARSED_CHARS), cut };
}

function kindOf(body: string): string {
  return isTooLarge(body) ? "JSON larger than any page" : "not JSON";
}

/** Describes a response in a few words. */
export function outcomeOf({ response, failure }: Exchange): string {
  if (!response) return `no response (${failure})`;
  const { headers, body, cut, json } = response;
  const status = `${response.status}${whereFrom(response)}`;
  const kind = headers["content-type"]?.split(";")[0] ?? "no content type";
  if (json !== undefined || body === "") return status;
  return `${status} with ${kind} that is ${cut ?? kindOf(body)}`;
}

/** Whether the status of a response is 2xx. */
export function isSuccess({ response }: Pick<Exchange, "response">): boolean {
  return response !== undefined && response.status >= 200 && response.status < 300;
}

/** What a gateway asks for instead of a token; undefined if nothing does. */
export function challengeOf({ status, headers }: RecordedResponse): string | undefined {
  const { "www-authenticate": challenge } = headers;
  return status === 401 && !/^bearer\b/i.test(challenge ?? "Bearer") ? challenge : undefined;
}

/** The target of a redirect, or what a gateway asks for instead of a token. */
function whereFrom(response: RecordedResponse): string {
  const { status, headers } = response;
  const { location } = headers;
  if (status >= 300 && status < 400 && location) {
    // A query often repeats the requested path, which would make each endpoint's finding differ.
    return ` to ${shortened(location.replace(/[?#].*/, ""), MAX_SHOWN)}`;
  }
  const challenge = challengeOf(response);
  return challenge ? ` asking for ${shortened(challenge, MAX_SHOWN)}` : "";
}

/** The longest part of a header in a message. */
const MAX_SHOWN = 200;

/**
 * Parses a body. Returns undefined if it is not JSON, or if it is so deep or so large that walking
 * it could exhaust the stack or the memory.
 */
export function parseJson(text: string): unknown {
  try {
    return isTooLarge(text) ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A page has at most 100 items, each with a few levels and a few hundred values. */
const MAX_LEVELS = 100;
const MAX_VALUES = 100_000;

function isTooLarge(text: string): boolean {
  const { levels, values } = sizeOf(text);
  return levels > MAX_LEVELS || values > MAX_VALUES;
}

/** The number of nested levels and an upper bound of the number of values of a JSON text. */
export function sizeOf(text: string): { readonly levels: number; readonly values: number } {
  let level = 0;
  let levels = 0;
  let values = 1;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '"') {
      do at = text.indexOf('"', at + 1);
      while (at > 0 && isEscaped(text, at));
      // An unterminated string: not JSON.
      if (at < 0) break;
    } else if (char === "[" || char === "{") {
      level += 1;
      levels = Math.max(levels, level);
      values += 1;
    } else if (char === "]" || char === "}") level -= 1;
    else if (char === ",") values += 1;
  }
  return { levels, values };
}

/** Whether an odd number of backslashes precedes a character. */
function isEscaped(text: string, at: number): boolean {
  let before = at - 1;
  while (text[before] === "\\") before -= 1;
  return (at - before) % 2 === 0;
}

/** Returns a curl command that repeats the request, with shell variables in place of secrets. */
export function curlOf({ method, url, headers, body }: RecordedRequest): string {
  const words = ["curl -i", method === "GET" ? "" : `-X ${method}`, quote(url)];
  for (const [name, value] of Object.entries(headers))
    words.push(`-H ${VARIABLE.test(value) ? `"${name}: ${value}"` : quote(`${name}: ${value}`)}`);
  if (body !== undefined) words.push(`-d ${quote(body)}`);
  return words.filter(Boolean).join(" ");
}

/** A header that is a variable, which a scheme may precede. No target can write one. */
const VARIABLE = /^(?:[A-Za-z]+ )?\$[A-Za-z_]\w*$/;

/** Puts a word in double quotes, so that the shell expands `$TXFEED_TOKEN` and nothing else. */
function quote(text: string): string {
  const masked = text.replace(/["\\`]|\$(?!TXFEED_[A-Z_]+)/g, "\\$&");
  return `"${masked}"`;
}

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
 * @throws {Skip} if an id of the target is not a single path segment, or makes an address that is
 * not plain
 */
export function operationRequest<Operation extends SecuredOperation>(
  baseUrl: string,
  operation: Operation,
  { path = {}, query = {}, body }: OperationInput = {},
): RecordedRequest {
  const { method, path: template } = operations[operation];
  const values: Readonly<Record<string, string>> = path;
  const filled = template.replaceAll(/\{(\w+)\}/g, (_, name) => {
    try {
      return segmentOf(name, values[name]);
    } catch (error) {
      throw new Skip(reasonOf(error));
    }
  });
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

/**
 * Resolves a path or link as the client does, so that requests stay below the base URL.
 *
 * @throws {Skip} if it leaves the base address or is not plain (PAGE-14)
 */
export function addressBelow(baseUrl: string, href: string): string {
  try {
    return new BaseAddress(baseUrl).resolve(href, { method: "GET", path: "(link)", attempts: 0 });
  } catch (error) {
    const isRefused = hasCode(error, "refused-link");
    throw isRefused ? new Skip(REFUSED) : error;
  }
}
