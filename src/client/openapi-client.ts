import createClient, { type Client } from "openapi-fetch";
import type { paths } from "../../generated/types.ts";
import { segmentOf } from "./base-address.ts";
import type { FeedFetch } from "./feed-fetch.ts";

/** The operations of the contract by method and path: methods of openapi-fetch's client. */
export type OpenapiClient = Pick<Client<paths>, "GET" | "PATCH">;

/**
 * Creates openapi-fetch's client on a fetch. Only this file imports openapi-fetch: a replacement
 * has to provide `GET` and `PATCH`, typed by `paths`.
 *
 * @param baseUrl The base address, without a slash at its end.
 */
export function createOpenapiClient(baseUrl: string, fetch: FeedFetch): OpenapiClient {
  const { GET, PATCH } = createClient<paths>({ baseUrl, fetch, pathSerializer });
  return { GET, PATCH };
}

/** openapi-fetch would send `..` and an empty id, which make the address of something else. */
function pathSerializer(address: string, values: Readonly<Record<string, unknown>>): string {
  return address.replace(/\{(\w+)\}/g, (_, name: string) => segmentOf(name, values[name]));
}
