import { UsageError } from "../errors.ts";
import type { ResponseHeaders } from "./transport.ts";

/** The headers of a call: an object by name, or a `Headers`. */
export type CallHeaders = Readonly<Record<string, string>> | ResponseHeaders;

/** Accepts any type, because the interface does not specify the type of error bodies (ERR-02). */
const OWN = { accept: "application/json, */*;q=0.1" };

/** Merges a call's headers into the client's own, without `authorization`. */
export function headersOf(
  headers: CallHeaders | undefined,
  contentType?: string,
): Readonly<Record<string, string>> {
  const own = contentType ? { ...OWN, "content-type": contentType } : OWN;
  return headers ? { ...own, ...withoutAuthorization(headers) } : own;
}

/**
 * Removes `authorization` from headers, and lower-cases the names to prevent duplicates.
 *
 * @throws {TxfeedError} `usage` for an invalid header, without its value, which `fetch` would print
 */
export function withoutAuthorization(headers: CallHeaders): Record<string, string> {
  const all = entriesOf(headers).filter(([name]) => name !== "authorization");
  for (const [name, value] of all) {
    if (/^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)) continue;
    throw new UsageError(`headers: ${JSON.stringify(name)} is not a valid header`);
  }
  return Object.fromEntries(all);
}

/** Returns the entries, with names in lower case. */
export function entriesOf(headers: CallHeaders): [name: string, value: string][] {
  const all = Symbol.iterator in headers ? [...headers] : Object.entries(headers);
  return all.map(([name, value]) => [name.toLowerCase(), value]);
}
