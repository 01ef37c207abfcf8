import type { MerchantText } from "./merchant-text.ts";
import { commonPrefix, jaroWinkler, trigramDice } from "./similarity.ts";

/** Where the bank's text names no merchant, it speaks neither for nor against. */
export const NEUTRAL = 0.5;
/** Below this the texts name another merchant each. */
export const CONTRADICTION = 0.4;

/** Below this, two words only share letters. */
const ALIKE = 0.85;
const SHORTEST_PREFIX = 4;
/** What one text's words count that the other does not have: little, as most are noise. */
const COVERAGE_SHARE = 0.15;

/** Scores how alike two merchants' names are, from 0 to 1. */
export function nameSimilarity(a: MerchantText, b: MerchantText): number {
  if (a.joined === b.joined) return 1;
  return Math.max(byWords(a, b), byPrefix(a.joined, b.joined), trigramDice(a.trigrams, b.trigrams));
}

/** How much of the shorter name has a like word in the longer one, whatever the order. */
function byWords(a: MerchantText, b: MerchantText): number {
  const [short, long] = a.totalWeight <= b.totalWeight ? [a, b] : [b, a];
  let found = 0;
  for (const [at, word] of short.words.entries()) {
    let best = 0;
    for (const other of long.words) best = Math.max(best, jaroWinkler(word, other));
    if (best >= ALIKE) found += best * (short.weights[at] as number);
  }
  const covered = found / short.totalWeight;
  return covered * (1 - COVERAGE_SHARE * (1 - Math.min(1, found / long.totalWeight)));
}

/** A descriptor is often cut: the whole of the shorter one is then the longer one's beginning. */
function byPrefix(a: string, b: string): number {
  const length = commonPrefix(a, b);
  if (length < SHORTEST_PREFIX) return 0;
  const share = length / Math.min(a.length, b.length);
  return share === 1 ? 0.95 : 0.9 * share;
}

/** Scores the card's text by the bank's two, of which the better one counts. */
export function merchantFactor(
  card: MerchantText | null,
  bank: readonly (MerchantText | null)[],
): number {
  const scores = bank.flatMap((text) => (card && text ? [nameSimilarity(card, text)] : []));
  return scores.length === 0 ? NEUTRAL : Math.max(...scores);
}

export function merchantMessage(score: number, isNamed: boolean): string {
  if (!isNamed) return "The bank's text names no merchant";
  if (score >= 0.8) return "The names are alike";
  return score >= CONTRADICTION ? "The names have something in common" : "The names contradict";
}
