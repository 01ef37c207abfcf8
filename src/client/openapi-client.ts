import createClient, { type Client } from "openapi-fetch";
import type { paths } from "../../generated/types.ts";
import { segmentOf } from "./base-address.ts";
import {
  type FeedFetch,
  type FetchInit,
  originalOf,
  ownOptionsOf,
  responseOf,
  type SendText,
  type TextRequest,
} from "./feed-fetch.ts";
import { type CallHeaders, withoutAuthorization } from "./headers.ts";
import type { TransportResponse } from "./transport.ts";

/** The operations of the contract by method and path: methods of openapi-fetch's client. */
export type OpenapiClient = Pick<Client<paths>, "GET" | "PATCH">;

type AnyMethod = (path: string, init?: object) => Promise<unknown>;

interface Init extends FetchInit {
  readonly params?: { readonly header?: unknown };
}

/** Options of openapi-fetch by which something else sees the request or the response. */
const OPEN = ["middleware", "parseAs", "fetch", "bodySerializer"];

/**
 * Creates openapi-fetch's client on a fetch. Only this file knows openapi-fetch: a replacement has
 * to provide `GET` and `PATCH`, typed by `paths`.
 *
 * @param baseUrl The base address, without a slash at its end.
 * @param sendText Does what `fetch` does at less cost. It is used if nothing but openapi-fetch
 * sees the request and the body of the response.
 */
export function createOpenapiClient(
  baseUrl: string,
  fetch: FeedFetch,
  sendText: SendText,
): OpenapiClient {
  const client = createClient<paths>({ baseUrl, fetch, pathSerializer });
  const method = (name: keyof OpenapiClient) => {
    const send = client[name] as AnyMethod;
    const call = (path: string, init: Init) => {
      if (OPEN.some((option) => option in init)) {
        // A Request that middleware makes has no options of the call.
        const open = (request: Request) => fetch(request, ownOptionsOf(init));
        return send(path, { fetch: open, ...init });
      }
      const quick = async (request: TextRequest) =>
        readResponseOf(await sendText(path, request), request.url);
      const isBare = !(init.headers || init.body || init.params?.header);
      return send(path, { ...init, fetch: quick, Request: isBare ? BareRequest : PlainRequest });
    };
    return (path: string, init: Init = {}) =>
      init.headers ? checkHeaders(init.headers).then(() => call(path, init)) : call(path, init);
  };
  return { GET: method("GET"), PATCH: method("PATCH") } as unknown as OpenapiClient;
}

/** Rejects as a call does: an error of Headers would repeat a value. */
async function checkHeaders(headers: RequestInit["headers"]): Promise<void> {
  withoutAuthorization(headers as CallHeaders);
}

/** A response that gives its text at once: a stream of it takes longer than all else. */
function readResponseOf(answer: TransportResponse, url: string): Response {
  const { text } = answer;
  const response = originalOf(answer);
  if (!response) return responseOf(answer, url);
  return Object.assign(response, { text: async () => text, json: async () => JSON.parse(text) });
}

/** What openapi-fetch makes a `Request` of: nothing else reads it, and a Request takes longer. */
class PlainRequest {
  constructor(url: string, init: object) {
    Object.assign(this, init, { url });
  }
}

/** One without headers: a Headers takes long to read even if it is empty. */
class BareRequest extends PlainRequest {
  readonly headers = undefined;
}

/** openapi-fetch would send `..` and an empty id, which make the address of something else. */
function pathSerializer(address: string, values: Readonly<Record<string, unknown>>): string {
  const parts = address.split(/[{}]/);
  return parts.map((part, at) => (at % 2 ? segmentOf(part, values[part]) : part)).join("");
}
