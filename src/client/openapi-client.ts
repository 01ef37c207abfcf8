import createClient, { type Client } from "openapi-fetch";
import type { paths } from "../../generated/types.ts";
import { segmentOf } from "./base-address.ts";
import type { FeedFetch, ReadFetch } from "./feed-fetch.ts";

/** The operations of the contract by method and path: methods of openapi-fetch's client. */
export type OpenapiClient = Pick<Client<paths>, "GET" | "PATCH">;

/** What else than openapi-fetch sees the request or the response, or changes the path. */
interface Overrides {
  readonly middleware?: unknown;
  readonly parseAs?: unknown;
  readonly baseUrl?: unknown;
}

type AnyMethod = (path: string, init?: object) => Promise<unknown>;

/**
 * Creates openapi-fetch's client on a fetch. Only this file imports openapi-fetch: a replacement
 * has to provide `GET` and `PATCH`, typed by `paths`.
 *
 * @param baseUrl The base address, without a slash at its end.
 * @param readFetch Does what `fetch` does at less cost. It is used if nothing but openapi-fetch
 * sees the request and the body of the response.
 */
export function createOpenapiClient(
  baseUrl: string,
  fetch: FeedFetch,
  readFetch: ReadFetch,
): OpenapiClient {
  const client = createClient<paths>({ baseUrl, fetch, pathSerializer });
  const method = (name: keyof OpenapiClient) => {
    const send = client[name] as AnyMethod;
    return (path: string, init: Overrides = {}) => {
      if (init.middleware || init.parseAs || init.baseUrl) return send(path, init);
      const fetch = (request: Parameters<ReadFetch>[1]) => readFetch(path, request);
      return send(path, { fetch, Request: PlainRequest, ...init });
    };
  };
  return { GET: method("GET"), PATCH: method("PATCH") } as unknown as OpenapiClient;
}

/** What openapi-fetch makes a `Request` of: nothing else reads it, and a Request takes longer. */
class PlainRequest {
  constructor(url: string, init: object) {
    Object.assign(this, init, { url });
  }
}

/** openapi-fetch would send `..` and an empty id, which make the address of something else. */
function pathSerializer(address: string, values: Readonly<Record<string, unknown>>): string {
  const parts = address.split(/[{}]/);
  return parts.map((part, at) => (at % 2 ? segmentOf(part, values[part]) : part)).join("");
}
