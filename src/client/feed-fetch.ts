import { refusalError } from "./errors.ts";
import { type CallOptions, checkCall } from "./options.ts";
import type { Requester } from "./requester.ts";
import type { TransportAnswer } from "./transport.ts";
import type { Wiring } from "./wiring.ts";

/** The options of a fetch, and those of a call. */
export interface FetchInit extends RequestInit, Omit<CallOptions, "headers" | "signal"> {}

/** A WHATWG `fetch` of the service. */
export type FeedFetch = (input: string | URL | Request, init?: FetchInit) => Promise<Response>;

/** Statuses of a response that can have no body. */
const WITHOUT_BODY = [204, 205, 304];

/** Creates the client's `fetch`. */
export function fetchOf({ base, server }: Wiring, requester: Requester): FeedFetch {
  return async (input, init) => {
    const isRequest = typeof input === "object" && "url" in input;
    const facts = { method: init?.method ?? "GET", path: "(address)", attempts: 0 };
    const url = base.resolve(isRequest ? input.url : String(input), facts);
    const request = isRequest && !init ? input : new Request(isRequest ? input : url, init);
    const { headers, signal } = request;
    const method = request.method.toUpperCase();
    // openapi-fetch copies the options that it does not know to the request.
    const given: FetchInit = { ...(isRequest ? (input as object) : undefined), ...init };
    const { timeoutMs, attemptTimeoutMs, retries, validate } = given;
    const options = { headers, signal, timeoutMs, attemptTimeoutMs, retries, validate };
    checkCall("fetch", options);
    const text = request.body === null ? "" : await request.text();
    const operation = requester.operationOf(method, url);
    const { call, answer } = await requester.exchange(operation, url, options, text || undefined);
    await requester.check(call, answer);
    if (!isShowable(answer)) throw refusalError("api", answer, server, call);
    return responseOf(answer);
  };
}

/** A browser hides the status of a redirect that is not followed: it is 0. */
function isShowable({ status }: TransportAnswer): boolean {
  return status >= 200 && status <= 599;
}

function responseOf({ status, headers, text }: TransportAnswer): Response {
  const body = WITHOUT_BODY.includes(status) ? null : text;
  const response = new Response(body, { status, headers: [...headers] });
  // The type that a Response gives to a text.
  if (!headers.has("content-type")) response.headers.delete("content-type");
  return response;
}
