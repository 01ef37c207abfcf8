import { memberOf } from "../../src/contract/pointer.ts";
import { projectedMessages } from "./items.ts";

/** Samples `most` items, evenly spaced from the first to the last. */
export function sample<T>(list: readonly T[], most: number): T[] {
  if (list.length <= most) return [...list];
  const step = (list.length - 1) / Math.max(1, most - 1);
  return Array.from({ length: most }, (_, i) => list[Math.round(i * step)] as T);
}

/** Maximum number of resources per case that get priority. */
const MAX_PER_CASE = 8;

/**
 * Samples `most` resources of a list. Rare cases that requirements cover, such as a superseded
 * message, come first; the rest is evenly spaced. Returns the whole list if it is short enough.
 */
export function sampleByCase<T>(
  list: readonly T[],
  most: number,
  bodyOf: (one: T) => unknown,
): T[] {
  if (list.length <= most) return [...list];
  const counts = new Map<string, number>();
  const chosen = new Set<T>();
  for (const one of list) {
    if (chosen.size >= most / 2) break;
    const rare = casesOf(bodyOf(one)).filter((name) => (counts.get(name) ?? 0) < MAX_PER_CASE);
    if (rare.length === 0) continue;
    chosen.add(one);
    for (const name of rare) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const rest = list.filter((one) => !chosen.has(one));
  return [...chosen, ...sample(rest, most - chosen.size)];
}

/** Members whose values distinguish cases. */
const DISTINGUISHING = ["network", "status", "transactionType", "confidence", "pending", "cardId"];

/** The cases that a resource belongs to. */
function casesOf(body: unknown): string[] {
  const values = DISTINGUISHING.flatMap((name) => {
    const value = memberOf(body, name);
    const isOfFew = value === null || typeof value === "boolean" || isCode(value);
    return isOfFew ? [`${name} ${value}`] : [];
  });
  const superseded = memberOf(body, "supersededMessageIds");
  const messages = projectedMessages(body);
  const isNetted = memberOf(body, "transactionSettledAmount") === 0;
  return [
    ...values,
    ...(Array.isArray(superseded) && superseded.length > 0 ? ["superseded"] : []),
    ...(messages ? messages.flatMap(casesOfMessage) : ["no projection"]),
    ...(isNetted ? ["nothing settled"] : []),
  ];
}

function casesOfMessage(message: unknown): string[] {
  const [network, type] = [memberOf(message, "network"), memberOf(message, "messageType")];
  const source = memberOf(message, "bankData") ? "bank" : "card";
  return [isCode(network) && isCode(type) ? `${source} ${type} of ${network}` : source];
}

/** Codes are short; ids are not. */
function isCode(value: unknown): value is string {
  return typeof value === "string" && value.length <= 20;
}
