import type { Context } from "hono";
import { maxPageSize } from "../../../generated/resources.ts";
import { badRequest } from "../../world/refusal.ts";

/** The default limit. */
const DEFAULT_LIMIT = 20;

/** PAGE-01, PAGE-02: the requested number of items. Throws a Refusal 400. */
export function limitOf(context: Context): number {
  const given = parameterOf(context, "limit");
  if (given === undefined) return DEFAULT_LIMIT;
  const limit = wholeNumber(given);
  if (limit === undefined || limit < 1 || limit > maxPageSize) {
    throw badRequest(`limit must be an integer from 1 to ${maxPageSize}`);
  }
  return limit;
}

/** PAGE-13: the requested offset, if any. Throws a Refusal 400. */
export function offsetOf(context: Context): number | undefined {
  const given = parameterOf(context, "offset");
  if (given === undefined) return undefined;
  const offset = wholeNumber(given);
  if (offset === undefined) throw badRequest("offset must be an integer of at least 0");
  return offset;
}

/** The requested cursor, if any. Throws a Refusal 400. */
export function cursorOf(context: Context): string | undefined {
  return parameterOf(context, "cursor");
}

/**
 * Refuses the parameter of the other style, with which a client would always get the first page.
 */
export function refuseParameter(context: Context, name: "offset" | "cursor"): void {
  if (context.req.query(name) === undefined) return;
  throw badRequest(`this list has no ${name}: follow the links of its pages`);
}

function parameterOf(context: Context, name: string): string | undefined {
  const [value, ...more] = context.req.queries(name) ?? [];
  if (more.length > 0) throw badRequest(`${name} is given more than once`);
  return value;
}

/** A safe integer in the notation of JSON. */
function wholeNumber(text: string): number | undefined {
  const number = /^(0|[1-9]\d*)$/.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(number) ? number : undefined;
}
