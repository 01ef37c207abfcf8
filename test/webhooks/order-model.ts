import type { FeedEvent, KnownEvent } from "../../src/contract/index.ts";
import { isNewer } from "../../src/webhooks/index.ts";
import { playScript } from "../sandbox/play-script.ts";
import { TestSandbox } from "../sandbox/test-sandbox.ts";
import { opening, type Step } from "../sandbox/verb-scripts.ts";

// Histories of the sandbox, and consumers that store the last state of each resource.

/** An integer from 0 to below `limit`. */
export type Draw = (limit: number) => number;

/** A fast deterministic generator (mulberry32). */
export function drawFrom(seed: number): Draw {
  let state = seed;
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
}

export function shuffled<T>(list: readonly T[], draw: Draw): T[] {
  const copy = [...list];
  for (let last = copy.length - 1; last > 0; last -= 1) {
    const other = draw(last + 1);
    [copy[last], copy[other]] = [copy[other] as T, copy[last] as T];
  }
  return copy;
}

export const bodyOf = ({ body }: FeedEvent) => body as { readonly [member: string]: unknown };
export const isDeletion = ({ name }: FeedEvent) => name.endsWith(".deleted");
const updatedAt = (event: FeedEvent) => bodyOf(event)["updatedAt"] as string | undefined;

/** The type and the id of a resource, regardless of how isNewer finds them. */
export function keyOf(event: FeedEvent): string {
  const { matchId, id, bankLinkId, bankAccountId } = bodyOf(event);
  const type = event.name.split(".").slice(0, -1).join(".");
  return `${type} ${matchId ?? id ?? bankLinkId ?? bankAccountId}`;
}

/** How the service of a history sets `updatedAt`. */
export interface ServiceTimes {
  /** All changes happen in the same millisecond, except that a script may advance the clock. */
  readonly isFrozen: boolean;
  /**
   * `updatedAt` is the time of the change in whole multiples of this duration, which other changes
   * may share. null: it increases with each change of the resource.
   */
  readonly resolutionMs: number | null;
}

/** Plays a script in a sandbox, and returns the events in the order of sending. */
export async function historyOf(
  script: readonly Step[],
  { isFrozen, resolutionMs }: ServiceTimes,
): Promise<FeedEvent[]> {
  const sandbox = new TestSandbox();
  await playScript(sandbox, [...opening, ...script], { isFrozen });
  const events = sandbox.events();
  sandbox.engine.store.database.close();
  return events.map(({ name, body, at }) => {
    const event = { name, body } as FeedEvent;
    if (resolutionMs === null || updatedAt(event) === undefined) return event;
    const ms = Math.floor(Date.parse(at) / resolutionMs) * resolutionMs;
    return {
      name,
      body: { ...bodyOf(event), updatedAt: new Date(ms).toISOString() },
    } as FeedEvent;
  });
}

/** The last event of each resource. */
export function finalStates(history: readonly FeedEvent[]): Map<string, FeedEvent> {
  return new Map(history.map((event) => [keyOf(event), event]));
}

/** The common rule: stores what has a greater `updatedAt`, and removes what is deleted. */
export class CommonConsumer {
  readonly stored = new Map<string, FeedEvent>();

  receive(event: FeedEvent): void {
    const key = keyOf(event);
    const [time, before] = [updatedAt(event), this.stored.get(key)];
    if (isDeletion(event)) this.stored.delete(key);
    else if (!before || time === undefined || time > (updatedAt(before) ?? "")) {
      this.stored.set(key, event);
    }
  }
}

type Change = KnownEvent<"bankaccount.state_changed">;

/** Follows isNewer, and fetches what it cannot decide from a service that may be behind. */
export class FactsConsumer {
  readonly stored = new Map<string, FeedEvent>();
  /** The deliveries of each bank account; the same object is the same delivery. */
  readonly changes = new Map<string, Set<Change>>();
  /** The number of GETs, and how many of them had to be repeated. */
  readonly gets = { sent: 0, behind: 0 };
  readonly #history: readonly FeedEvent[];
  readonly #draw: Draw;

  constructor(history: readonly FeedEvent[], draw: Draw) {
    this.#history = history;
    this.#draw = draw;
  }

  receive(event: FeedEvent): void {
    const key = keyOf(event);
    if (event.name === "bankaccount.state_changed") {
      this.changes.set(key, (this.changes.get(key) ?? new Set()).add(event));
      return;
    }
    const before = this.stored.get(key);
    const newer = isNewer(event, before);
    if (newer === false) return;
    this.stored.set(key, newer === true ? event : this.#fetch(key, event, before));
  }

  #fetch(key: string, event: FeedEvent, before: FeedEvent | undefined): FeedEvent {
    for (;;) {
      const fetched = this.#get(key);
      const isBehind =
        !fetched ||
        isNewer(event, fetched) === true ||
        (before !== undefined && isNewer(before, fetched) === true);
      this.gets.sent += 1;
      if (fetched && !isBehind) return fetched;
      this.gets.behind += 1;
    }
  }

  /** The state of a resource at a random time of its history, or now. It shows a whole millisecond. */
  #get(key: string): FeedEvent | undefined {
    const events = this.#history.filter((event) => keyOf(event) === key);
    const times = events.map((event) => updatedAt(event) ?? "");
    const until = this.#draw(2) === 0 ? times.at(-1) : times[this.#draw(times.length)];
    const last = events.findLast((event) => (updatedAt(event) ?? "") <= (until ?? ""));
    // A GET has no event name: it is compared as an update.
    return last && ({ ...last, name: last.name.replace(".created", ".updated") } as FeedEvent);
  }
}
