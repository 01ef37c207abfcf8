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

/**
 * Sends a request of a path template as `fetch` does, at less cost.
 *
 * @returns Resolves to the answer.
 */
export type SendText = (path: string, request: TextRequest) => Promise<TransportResponse>;

/** Statuses of a response that can have no body. */
const WITHOUT_BODY = [204, 205, 304];

/** Creates the client's `fetch`, and what openapi-fetch sends by. */
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
  const answerOf = async (call: Call) => {
    const answer = await requester.makeCall(call);
    if (requester.isChecked(call, answer)) await requester.dataOf(call, answer.text);
    // A browser hides the status of a redirect that is not followed: it is 0.
    if (answer.status < 200 || answer.status > 599) throw httpErrorOf("api", answer, server, call);
    return answer;
  };
  return {
    fetch: async (input, init) => {
      const isRequest = typeof input === "object" && "url" in input;
      const { method = "GET" } = init?.method || !isRequest ? (init ?? {}) : input;
      const url = resolve(isRequest ? input.url : String(input), method);
      // An error of Request would repeat a header's value.
      if (init?.headers) withoutAuthorization(init.headers as CallHeaders);
      const request = isRequest && !init ? input : new Request(isRequest ? input : url, init);
      const { headers, signal } = request;
      // Other options than those of a Request are copied to it by openapi-fetch.
      const all = { ...(isRequest && (input as object)), ...init, headers, signal };
      const call = callOf(request.method.toUpperCase(), base.pathOf(url), url, all);
      if (request.body) await call.readBody(request.body);
      return responseOf(await answerOf(call), url);
    },
    sendText: (path, request) => {
      const { method, body } = request;
      return answerOf(callOf(method, path, resolve(request.url, method), request, body));
    },
  };
}

/** The options of a call that those of a fetch do not have. */
export function ownOptionsOf(options: Omit<CallOptions, "headers" | "signal">) {
  const { timeoutMs, attemptTimeoutMs, retries, validate } = options;
  return { timeoutMs, attemptTimeoutMs, retries, validate };
}

/** Makes a Response of an answer, as `fetch` gives it for an address. */
export function responseOf(answer: TransportResponse, url: string): Response {
  const { status, headers, text } = answer;
  const body = WITHOUT_BODY.includes(status) ? null : text;
  const { statusText = "" } = originalOf(answer) ?? {};
  const response = new Response(body, { status, headers: [...headers] });
  // The type that a Response gives to a text.
  if (!headers.has("content-type")) response.headers.delete("content-type");
  // A server's text may have characters that the constructor refuses.
  return Object.defineProperties(response, {
    url: { value: url },
    statusText: { value: statusText },
  });
}

/** What `fetch` resolved to; undefined if there is none, or if a step changed the answer. */
export function originalOf({ status, headers, response }: TransportResponse): Response | undefined {
  return response?.headers === headers && response.status === status ? response : undefined;
}
