/** How many debits one purchase comes to at most. */
const MAX_PARTS = 4;
/** How many debits are looked through for the parts of one purchase: the bound of the search. */
const MAX_DEBITS = 24;
/** How many ways are told of one purchase: two that tie are enough to leave it alone. */
const MAX_SPLITS = 16;

/** A debit that may be a part: its number, and what it is in minor units. */
export interface PartialDebit {
  readonly posting: number;
  readonly cents: number;
}

/**
 * Finds the ways in which 2 to 4 debits make a sum exactly, of which one at least names the
 * merchant. At most 24 debits are looked through, those with a name first, so that one purchase
 * never takes longer than the 12,926 ways to choose among them.
 */
export function findSplits(
  cents: number,
  named: readonly PartialDebit[],
  mute: readonly PartialDebit[],
): number[][] {
  const parts = [...named, ...mute].slice(0, MAX_DEBITS);
  const ways: number[][] = [];
  const chosen: number[] = [];
  const choose = (from: number, left: number): void => {
    if (left === 0) ways.push(chosen.toSorted((a, b) => a - b));
    if (left <= 0 || chosen.length === MAX_PARTS) return;
    // The first one has a name; so have or have not the others.
    const end = chosen.length === 0 ? Math.min(named.length, MAX_DEBITS) : parts.length;
    for (let at = from; at < end && ways.length < MAX_SPLITS; at += 1) {
      const { posting, cents: part } = parts[at] as PartialDebit;
      chosen.push(posting);
      choose(at + 1, left - part);
      chosen.pop();
    }
  };
  choose(0, cents);
  return ways;
}
