import { UsageError } from "../errors.ts";
import type { DeliveryFilter, ListedDelivery } from "./inbox.ts";

/** Returns the times of a filter in the format of `receivedAt`, which sorts as text. */
export function timesOf(filter: DeliveryFilter): {
  readonly since?: string;
  readonly before?: string;
} {
  const { since, before } = filter;
  return {
    ...(since !== undefined && { since: isoTime("since", since) }),
    ...(before !== undefined && { before: isoTime("before", before) }),
  };
}

function isoTime(name: string, text: string): string {
  const time = new Date(text);
  if (!Number.isNaN(time.getTime())) return time.toISOString();
  throw new UsageError(`${name} must be a time such as 2025-03-04T12:30:16Z; got ${text}`);
}

/** Creates a function that returns whether a delivery fulfils all conditions, except `limit`. */
export function matcherOf(filter: DeliveryFilter): (delivery: ListedDelivery) => boolean {
  const { state, event, lane, after } = filter;
  const { since, before } = timesOf(filter);
  const ids = filter.ids && new Set(filter.ids);
  return (delivery) =>
    (state === undefined || delivery.state === state) &&
    (ids === undefined || ids.has(delivery.id)) &&
    (event === undefined || delivery.event === event) &&
    (lane === undefined || delivery.lane === lane) &&
    (since === undefined || delivery.receivedAt >= since) &&
    (before === undefined || delivery.receivedAt < before) &&
    (after === undefined || delivery.id > after);
}
