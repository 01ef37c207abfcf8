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

/** The options of openapi-fetch that need a complete Request and Response. */
const OPEN = ["middleware", "parseAs", "fetch", "bodySerializer"];

/**
 * Creates openapi-fetch's client on a `fetch`. No other file uses openapi-fetch: a replacement must
 * provide `GET` and `PATCH`, typed by `paths`.
 *
 * @param baseUrl The base address, without a trailing slash.
 * @param sendText A faster `fetch`, used if only openapi-fetch reads the request and the response.
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
        // A Request that middleware creates lacks the options of the call.
        const open = (request: Request) => fetch(request, ownOptionsOf(init));
        return send(path, { fetch: open, ...init });
      }
      const sendQuickly = async (request: TextRequest) =>
        readResponseOf(await sendText(path, request), request.url);
      const isBare = !(init.headers || init.body || init.params?.header);
      return send(path, {
        ...init,
        fetch: sendQuickly,
        Request: isBare ? BareRequest : PlainRequest,
      });
    };
    return (path: string, init: Init = {}) =>
      init.headers ? checkHeaders(init.headers).then(() => call(path, init)) : call(path, init);
  };
  return { GET: method("GET"), PATCH: method("PATCH") } as unknown as OpenapiClient;
}

/** Checks headers first, because an error of Headers would repeat a value. */
async function checkHeaders(headers: RequestInit["headers"]): Promise<void> {
  withoutAuthorization(headers as CallHeaders);
}

/** A Response with its text already read: reading a stream is the slowest part of a call. */
function readResponseOf(received: TransportResponse, url: string): Response {
  const { text } = received;
  const response = originalOf(received);
  if (!response) return responseOf(received, url);
  return Object.assign(response, { text: async () => text, json: async () => JSON.parse(text) });
}

/** Replaces `Request` for openapi-fetch, because creating a Request is slow. */
class PlainRequest {
  constructor(url: string, init: object) {
    Object.assign(this, init, { url });
  }
}

/** A request without headers: reading even an empty Headers is slow. */
class BareRequest extends PlainRequest {
  readonly headers = undefined;
}

/** Replaces openapi-fetch's serializer, which accepts `..` and empty ids: they change the path. */
function pathSerializer(address: string, values: Readonly<Record<string, unknown>>): string {
  const parts = address.split(/[{}]/);
  return parts.map((part, at) => (at % 2 ? segmentOf(part, values[part]) : part)).join("");
}
