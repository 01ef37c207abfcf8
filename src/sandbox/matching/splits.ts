/** How many debits one purchase comes to at most. */
const MOST_PARTS = 4;
/** How many debits are looked through for the parts of one purchase: the bound of the search. */
const MOST_DEBITS = 24;
/** How many ways are told of one purchase: two that tie are enough to leave it alone. */
const MOST_WAYS = 16;

/** A debit that may be a part: its number, and what it is in minor units. */
export interface PartialDebit {
  readonly posting: number;
  readonly cents: number;
}

/**
 * Finds the ways in which 2 to 4 debits make a sum exactly. At most 24 debits are looked through,
 * the first ones, so that one purchase never takes longer than the 12,926 ways to choose among them.
 */
export function waysToSplit(cents: number, debits: readonly PartialDebit[]): number[][] {
  const parts = debits.slice(0, MOST_DEBITS).filter((debit) => debit.cents < cents);
  const ways: number[][] = [];
  const chosen: number[] = [];
  const choose = (from: number, left: number): void => {
    if (left === 0 && chosen.length > 1) ways.push([...chosen]);
    if (left <= 0 || chosen.length === MOST_PARTS) return;
    for (let at = from; at < parts.length && ways.length < MOST_WAYS; at += 1) {
      const { posting, cents: part } = parts[at] as PartialDebit;
      chosen.push(posting);
      choose(at + 1, left - part);
      chosen.pop();
    }
  };
  choose(0, cents);
  return ways;
}
