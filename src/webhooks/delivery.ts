import type { EventName } from "../../generated/events.ts";
import type { FeedEvent } from "../contract/feed-event.ts";
import { sha256Hex } from "./crypto.ts";
import type { DeliveryRequest } from "./request.ts";
import { resourceOf } from "./resource.ts";

/**
 * A delivery, from its receipt to its handler. Texts have no NUL character and no lone surrogate,
 * because a database can't store them.
 */
export interface Delivery {
  /** Identifies duplicates, in at most 100 characters; null if equal content can be a new event. */
  readonly key: string | null;
  /**
   * The deliveries of a lane are handled one after another, in order of receipt. At most 200
   * characters; null if the delivery needs no order.
   */
  readonly lane: string | null;
  /** The value of the header `webhook-event-type`. */
  readonly event: string;
  /** The body as text. */
  readonly body: string;
  /** The headers that are kept, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The sender's id of the delivery, if the signature covers it; null otherwise. */
  readonly deliveryId: string | null;
  /** ISO 8601, in the format of `Date.toISOString`. */
  readonly receivedAt: string;
  /** Grows in order of receipt within a lane; 0 if the delivery is not stored. */
  readonly id: number;
  readonly state: "waiting" | "quarantined";
  /** How often handling it failed since it was stored or replayed. */
  readonly failures: number;
  /** Why it was retried or quarantined last; null if it was not, or was replayed since. */
  readonly reason: string | null;
  /** In a lease: how many earlier deliveries of its lane are in quarantine; 0 otherwise. */
  readonly missing: number;
}

/** The members of a delivery that is not stored. */
export const NOT_STORED = {
  id: 0,
  state: "waiting",
  failures: 0,
  reason: null,
  missing: 0,
} as const;

/**
 * What the deliveries that are handled one after another have in common: their resource, nothing,
 * or what a function returns. Deliveries for which it returns undefined need no order.
 */
export type OrderBy = "resource" | "none" | ((event: FeedEvent) => string | undefined);

/** The longest name of a lane. Longer ones share a lane if they begin alike, which is harmless. */
const MAX_LANE_LENGTH = 200;

/** Creates the function that names the lane of an event. */
export function createLaneOf(orderBy: OrderBy = "resource"): (event: FeedEvent) => string | null {
  if (orderBy === "none") return () => null;
  const nameOf = orderBy === "resource" ? resourceOf : orderBy;
  return (event) => {
    const name = nameOf(event) ?? null;
    // JavaScript callers may return any value.
    return name === null ? null : storable(String(name).slice(0, MAX_LANE_LENGTH));
  };
}

/** Replaces what a database can't store as text: NUL characters and lone surrogates. */
export function storable(text: string): string {
  if (text.isWellFormed() && !text.includes("\0")) return text;
  return text.toWellFormed().replaceAll("\0", "\ufffd");
}

const KEPT_HEADERS = [
  ...["webhook-id", "webhook-timestamp", "webhook-event-type"],
  ...["user-agent", "traceparent", "tracestate"],
];

/** Creates the function that selects headers to store: by name, because others may be secret. */
export function createKeptHeaders(
  more: readonly string[] = [],
): (headers: DeliveryRequest["headers"]) => Record<string, string> {
  const names = [...new Set([...KEPT_HEADERS, ...more.map((name) => name.toLowerCase())])];
  return (headers) => {
    const kept: Record<string, string> = {};
    for (const name of names) {
      const value = headers.get(name);
      if (value !== null) kept[name] = storable(value);
    }
    return kept;
  };
}

/**
 * Events that can occur again with the same content. A bank account that is lost, recovers and is
 * lost again sends the same content twice, without an id or a time to distinguish the two.
 */
const RECURRING = new Set<string>(["bankaccount.state_changed"] satisfies EventName[]);

/**
 * Derives the key by which duplicates are detected. A verified id is the sender's statement that
 * two deliveries are the same, so the event's name, which may be unsigned, and the body do not
 * matter. Without one, the key is derived from the event's name and its canonical JSON, because the
 * interface specifies no delivery id (WHK-04).
 *
 * @param deliveryId The verified id; undefined if there is none.
 * @param text The body's text.
 * @returns the key; null if there is no verified id and equal content can be a new event.
 */
export async function deliveryKey(
  event: FeedEvent,
  deliveryId: string | undefined,
  text: string,
): Promise<string | null> {
  // Hashed, because an id may be of any length.
  if (deliveryId !== undefined) return `id:${await sha256Hex(deliveryId)}`;
  if (event.name === "unknown" || RECURRING.has(event.name)) return null;
  return sha256Hex(`${event.name}\n${canonicalOr(text, event.body)}`);
}

/** The canonical JSON of a body; its text if the body is nested too deeply for the stack. */
function canonicalOr(text: string, body: unknown): string {
  try {
    return canonical(body);
  } catch {
    return text;
  }
}

/**
 * JSON with the members of each object sorted.
 *
 * @see RFC 8785
 */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value === "object" && value !== null) {
    const object = value as Record<string, unknown>;
    const names = Object.keys(object).sort();
    return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(object[name])}`).join()}}`;
  }
  // JSON.parse reads 1e400 as Infinity, and JSON.stringify would write null.
  return typeof value === "number" ? String(value) : JSON.stringify(value);
}
