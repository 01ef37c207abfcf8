import type { MerchantText } from "./merchant-text.ts";
import { commonPrefix, jaroWinkler, trigramDice } from "./similarity.ts";

/** The score if a text has no merchant name. */
const NEUTRAL = 0.5;
/** Below this, the texts name different merchants. */
export const CONTRADICTION = 0.4;

/** Below this, two words are different. */
const ALIKE = 0.85;
const SHORTEST_PREFIX = 4;
/** The weight of words that only one text has: small, because most are noise. */
const COVERAGE_SHARE = 0.15;

/** Scores the similarity of two merchant names from 0 to 1. */
function nameSimilarity(a: MerchantText, b: MerchantText): number {
  if (a.joined === b.joined) return 1;
  return Math.max(byWords(a, b), byPrefix(a.joined, b.joined), trigramDice(a.trigrams, b.trigrams));
}

/** The share of the shorter name whose words are similar to words of the longer one. */
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

/** Descriptors are often truncated: the shorter one is then a prefix of the longer one. */
function byPrefix(a: string, b: string): number {
  const length = commonPrefix(a, b);
  if (length < SHORTEST_PREFIX) return 0;
  const share = length / Math.min(a.length, b.length);
  return share === 1 ? 0.95 : 0.9 * share;
}

/** Scores the card's text against both texts of the bank, and returns the better score. */
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
