import type { Call } from "./call.ts";
import type { ClientContext } from "./context.ts";
import { httpErrorOf } from "./errors.ts";
import { type CallHeaders, withoutAuthorization } from "./headers.ts";
import { type CallOptions, checkValues } from "./options.ts";
import type { Requester } from "./requester.ts";
import type { TransportResponse } from "./transport.ts";

/** The options of a fetch, and those of a call. */
export interface FetchInit extends RequestInit, Omit<CallOptions, "headers" | "signal"> {}

/** A WHATWG `fetch` of the service. */
export type FeedFetch = (input: string | URL | Request, init?: FetchInit) => Promise<Response>;

/** A request with a body of text, and the options of a call. */
export interface TextRequest extends CallOptions {
  readonly method: string;
  readonly url: string;
  readonly body?: string | undefined;
}

/** Sends a request to a path template as `fetch` does, without a Request and a Response. */
export type SendText = (path: string, request: TextRequest) => Promise<TransportResponse>;

/** The statuses of responses that cannot have a body. */
const WITHOUT_BODY = [204, 205, 304];

/** Creates the client's `fetch`, and the function that sends for openapi-fetch. */
export function fetchesOf(
  { base, server }: ClientContext,
  requester: Requester,
): { readonly fetch: FeedFetch; readonly sendText: SendText } {
  const resolve = (url: string, method: string) =>
    base.resolve(url, { method, path: "(address)", attempts: 0 });
  const callOf = (method: string, path: string, url: string, given: CallOptions, body?: string) => {
    const { headers, signal } = given;
    const options = { headers, signal, ...ownOptionsOf(given) };
    checkValues(options);
    return requester.callOf(requester.operationOf(method, path), url, options, body);
  };
  const exchange = async (call: Call) => {
    const response = await requester.makeCall(call);
    if (requester.isChecked(call, response)) await requester.dataOf(call, response.text);
    // Browsers report an unfollowed redirect as status 0.
    if (response.status < 200 || response.status > 599)
      throw httpErrorOf("api", response, server, call);
    return response;
  };
  return {
    fetch: async (input, init) => {
      const isRequest = typeof input === "object" && "url" in input;
      const { method = "GET" } = init?.method || !isRequest ? (init ?? {}) : input;
      const url = resolve(isRequest ? input.url : String(input), method);
      // Checked first, because an error of Request would repeat a header's value.
      if (init?.headers) withoutAuthorization(init.headers as CallHeaders);
      const request = isRequest && !init ? input : new Request(isRequest ? input : url, init);
      const { headers, signal } = request;
      // openapi-fetch copies the call's own options to the Request as properties.
      const all = { ...(isRequest && (input as object)), ...init, headers, signal };
      const call = callOf(request.method.toUpperCase(), base.pathOf(url), url, all);
      if (request.body) await call.readBody(request.body);
      return responseOf(await exchange(call), url);
    },
    sendText: (path, request) => {
      const { method, body } = request;
      return exchange(callOf(method, path, resolve(request.url, method), request, body));
    },
  };
}

/** The options of a call that are not options of `fetch`. */
export function ownOptionsOf(options: Omit<CallOptions, "headers" | "signal">) {
  const { timeoutMs, attemptTimeoutMs, retries, validate } = options;
  return { timeoutMs, attemptTimeoutMs, retries, validate };
}

/** Creates a `Response` for an address. */
export function responseOf(received: TransportResponse, url: string): Response {
  const { status, headers, text } = received;
  const body = WITHOUT_BODY.includes(status) ? null : text;
  const { statusText = "" } = originalOf(received) ?? {};
  const response = new Response(body, { status, headers: [...headers] });
  // Remove the default type that Response adds for text.
  if (!headers.has("content-type")) response.headers.delete("content-type");
  // Set here, because the constructor rejects some characters that a server may send.
  return Object.defineProperties(response, {
    url: { value: url },
    statusText: { value: statusText },
  });
}

/** The `Response` from `fetch`; undefined if there is none, or if middleware changed it. */
export function originalOf({ status, headers, response }: TransportResponse): Response | undefined {
  return response?.headers === headers && response.status === status ? response : undefined;
}
