import type { EventPayloads } from "../../generated/events.ts";
import { transitions } from "./state-machine.ts";

type Created = EventPayloads["transaction.match.created"];

/** The states of a match. Matching again creates a new match (MAT-07). */
export const MATCH_TRANSITIONS = transitions([
  ["pairing", ["new"], "announced", ["transaction.match.created"], "MAT-01"],
  ["bank_transaction_retired", ["announced"], "retracted", ["transaction.match.deleted"], "BTX-05"],
  ["rematch_superseded", ["announced"], "retracted", ["transaction.match.deleted"], "MAT-07"],
]);

/** How likely a match is correct. */
export type Confidence = Created["confidence"];

/** MAT-02: the least score of each confidence. */
const LEAST = { HIGH: 0.7, MEDIUM: 0.5, LOW: 0.2 } as const;

/** MAT-02: the confidence of a score; null for a score that is too low to be announced. */
export function confidenceOf(score: number): Confidence | null {
  if (score >= LEAST.HIGH) return "HIGH";
  if (score >= LEAST.MEDIUM) return "MEDIUM";
  return score >= LEAST.LOW ? "LOW" : null;
}

/** TXN-12: whether a match settles its card transaction. */
export function settles(confidence: Confidence): boolean {
  return confidence === "HIGH";
}
