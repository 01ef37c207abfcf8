import { UsageError } from "../errors.ts";
import type { ResponseHeaders } from "./transport.ts";

/** Headers of a call's own: by name, or a `Headers`. */
export type CallHeaders = Readonly<Record<string, string>> | ResponseHeaders;

/** The client's own; the interface leaves the type of an error's body open (ERR-02). */
const OWN = { accept: "application/json, */*;q=0.1" };

/** Joins a call's headers to the client's own; the access token is the client's matter. */
export function headersOf(
  headers: CallHeaders | undefined,
  contentType?: string,
): Readonly<Record<string, string>> {
  const own = contentType === undefined ? OWN : { ...OWN, "content-type": contentType };
  return headers ? { ...own, ...withoutAuthorization(headers) } : own;
}

/**
 * The headers with their names in lower case, as they would stand there twice otherwise, and
 * without one for the access token. Throws a TxfeedError `usage` at one that can't be sent, which
 * fetch would repeat with its value.
 */
export function withoutAuthorization(headers: CallHeaders): Record<string, string> {
  const all = entriesOf(headers).filter(([name]) => name !== "authorization");
  for (const [name, value] of all) {
    if (/^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)) continue;
    throw new UsageError(`headers: ${JSON.stringify(name)} can't be sent as it is`);
  }
  return Object.fromEntries(all);
}

/** Names in lower case, and values. */
export function entriesOf(headers: CallHeaders): [name: string, value: string][] {
  const all = Symbol.iterator in headers ? [...headers] : Object.entries(headers);
  return all.map(([name, value]) => [name.toLowerCase(), value]);
}
