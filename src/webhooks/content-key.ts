import type { EventName } from "../../generated/events.ts";
import type { FeedEvent } from "../contract/feed-event.ts";
import { sha256Hex } from "./verify/encoding.ts";

/**
 * A bank account that is lost, recovers and is lost again sends the same content twice, with no id
 * and no moment to tell the two apart. Taken for a duplicate, the second loss would never arrive.
 */
const RECURRING = new Set<string>(["bankaccount.state_changed"] satisfies EventName[]);

/**
 * Derives the key of a delivery that has no verified id, because the interface specifies none
 * (WHK-04): the SHA-256 of the event's name and its content. Repeats have one key if their bodies
 * are the same JSON, whatever their white space and the order of their members.
 *
 * @param text The body's text.
 * @returns the key in hexadecimal digits; undefined where the same content can be news: for
 * `bankaccount.state_changed`, and for an unknown event, of which nothing is known.
 */
export async function contentKey(event: FeedEvent, text: string): Promise<string | undefined> {
  if (event.name === "unknown" || RECURRING.has(event.name)) return undefined;
  return sha256Hex(`${event.name}\n${canonicalOr(text, event.body)}`);
}

/** A body nested deeper than the stack is told by its text. */
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
  // 1e400 is parsed to what JSON.stringify calls null.
  return typeof value === "number" ? String(value) : JSON.stringify(value);
}
