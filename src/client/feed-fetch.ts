import { refusalError } from "./errors.ts";
import { type CallOptions, checkNumbers } from "./options.ts";
import type { Requester } from "./requester.ts";
import type { TransportAnswer } from "./transport.ts";
import type { Wiring } from "./wiring.ts";

/** The options of a fetch, and those of a call. */
export interface FetchInit extends RequestInit, Omit<CallOptions, "headers" | "signal"> {}

/** A WHATWG `fetch` of the service. */
export type FeedFetch = (input: string | URL | Request, init?: FetchInit) => Promise<Response>;

/** A request with a body of text, and the options of a call. */
interface TextRequest extends CallOptions {
  readonly method: string;
  readonly body?: string | undefined;
}

/**
 * Fetches a response for a caller that reads its body once, as text or JSON.
 *
 * @param path The path template of the request.
 */
export type ReadFetch = (
  path: string,
  request: TextRequest & { readonly url: string },
) => Promise<Response>;

/** Statuses of a response that can have no body. */
const WITHOUT_BODY = [204, 205, 304];

/** Creates the client's `fetch`, and one for openapi-fetch. */
export function fetchesOf(
  { base, server }: Wiring,
  requester: Requester,
): { readonly fetch: FeedFetch; readonly readFetch: ReadFetch } {
  const exchange = async (
    path: string,
    url: string,
    request: TextRequest,
    toResponse: (answer: TransportAnswer) => Response,
  ) => {
    const { method, body, headers, signal } = request;
    const { timeoutMs, attemptTimeoutMs, retries, validate } = request;
    const options = { headers, signal, timeoutMs, attemptTimeoutMs, retries, validate };
    checkNumbers(options);
    const call = requester.callOf(
      requester.operationOf(method, path),
      url,
      options,
      body || undefined,
    );
    const answer = await requester.makeCall(call);
    if (requester.isChecked(call, answer)) await requester.dataOf(call, answer.text);
    // A browser hides the status of a redirect that is not followed: it is 0.
    if (!(answer.status >= 200 && answer.status <= 599))
      throw refusalError("api", answer, server, call);
    return toResponse(answer);
  };
  const resolve = (url: string, method: string) =>
    base.resolve(url, { method, path: "(address)", attempts: 0 });
  return {
    fetch: async (input, init) => {
      const isRequest = typeof input === "object" && "url" in input;
      const url = resolve(isRequest ? input.url : String(input), init?.method ?? "GET");
      const request = isRequest && !init ? input : new Request(isRequest ? input : url, init);
      const { headers, signal } = request;
      const method = request.method.toUpperCase();
      const body = request.body === null ? undefined : await request.text();
      // Other options than those of a Request are copied to it by openapi-fetch.
      const own = isRequest ? (input as object) : undefined;
      const all = { ...own, ...init, method, headers, signal, body } as TextRequest;
      return exchange(base.pathOf(url), url, all, responseOf);
    },
    readFetch: async (path, request) =>
      exchange(path, resolve(request.url, request.method), request, readResponseOf),
  };
}

function responseOf({ status, headers, text }: TransportAnswer): Response {
  const body = WITHOUT_BODY.includes(status) ? null : text;
  const response = new Response(body, { status, headers: [...headers] });
  // The type that a Response gives to a text.
  if (!headers.has("content-type")) response.headers.delete("content-type");
  return response;
}

/** A response that gives its text at once: a stream of it takes longer than all else. */
function readResponseOf({ status, headers, text, response }: TransportAnswer): Response {
  // A step may have changed the answer.
  const isUnchanged = response?.headers === headers && response.status === status;
  const read = isUnchanged ? response : new Response(null, { status, headers: [...headers] });
  return Object.assign(read, { text: async () => text, json: async () => JSON.parse(text) });
}
