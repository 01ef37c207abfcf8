/** The greatest number of debits of one purchase. */
const MAX_PARTS = 4;
/** The greatest number of debits that are searched for the parts of one purchase. */
const MAX_DEBITS = 24;
/** The greatest number of splits that are returned: two tied ones already prevent a match. */
const MAX_SPLITS = 16;

/**
 * Finds the sets of 2 to 4 debits that add up to an amount. At least one debit of a set names the
 * merchant. Searches at most 24 debits, those with a name first: at most 12,926 sets.
 */
export function findSplits<Debit extends { readonly cents: number }>(
  cents: number,
  named: readonly Debit[],
  unnamed: readonly Debit[],
): Debit[][] {
  const debits = [...named, ...unnamed].slice(0, MAX_DEBITS);
  const splits: Debit[][] = [];
  const selected: Debit[] = [];
  const extend = (from: number, left: number): void => {
    if (left === 0) splits.push([...selected]);
    if (left <= 0 || selected.length === MAX_PARTS) return;
    // The first one has a name; the others may have one.
    const end = selected.length === 0 ? Math.min(named.length, MAX_DEBITS) : debits.length;
    for (let at = from; at < end && splits.length < MAX_SPLITS; at += 1) {
      const debit = debits[at] as Debit;
      selected.push(debit);
      extend(at + 1, left - debit.cents);
      selected.pop();
    }
  };
  extend(0, cents);
  return splits;
}
