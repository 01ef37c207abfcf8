import type { FeedEvent } from "../contract/feed-event.ts";
import { resourceOf } from "./resource.ts";

/**
 * What the deliveries that are handled one after another have in common: their resource, nothing,
 * or what a function returns. Deliveries for which it returns undefined need no order.
 */
export type OrderBy = "resource" | "none" | ((event: FeedEvent) => string | undefined);

/** The longest name of a lane. Longer ones share a lane if they begin alike, which is harmless. */
const MAX_LENGTH = 200;

/** Creates the function that names the lane of an event: a text that every database can store. */
export function createLaneOf(orderBy: OrderBy = "resource"): (event: FeedEvent) => string | null {
  if (orderBy === "none") return () => null;
  const nameOf = orderBy === "resource" ? resourceOf : orderBy;
  return (event) => {
    const name = nameOf(event) ?? null;
    // JavaScript callers may return any value.
    return name === null ? null : storable(String(name).slice(0, MAX_LENGTH));
  };
}

/** Replaces what a database can't store as text: NUL characters and lone surrogates. */
export function storable(text: string): string {
  if (text.isWellFormed() && !text.includes("\0")) return text;
  return text.toWellFormed().replaceAll("\0", "\ufffd");
}

/** A value, or a promise of it. */
export type Awaitable<T> = T | Promise<T>;

/** Runs functions of the same lane one after another, those of different lanes in parallel. */
export function createLanes(): <T>(lane: string | null, run: () => Awaitable<T>) => Awaitable<T> {
  const last = new Map<string, Promise<unknown>>();
  return (lane, run) => {
    const before = lane === null ? undefined : last.get(lane);
    const result = before ? before.then(run, run) : run();
    if (lane === null || !(result instanceof Promise)) return result;
    last.set(lane, result);
    const remove = () => {
      if (last.get(lane) === result) last.delete(lane);
    };
    result.then(remove, remove);
    return result;
  };
}
