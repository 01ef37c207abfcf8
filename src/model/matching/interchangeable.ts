import type { Assignment, Proposal } from "./assignment.ts";
import type { PreparedBank, PreparedCard, Scorer } from "./scorer.ts";
import { statesDay } from "./stated-day.ts";

/**
 * Settles the ties of purchases that nothing tells apart: two coffees of a price, a fare on each
 * day. Whichever debit is whose, every sum is right, and to leave them all alone would have them
 * stand beside their debits for good; so they are paired: first where the bank's text states the
 * purchase's day, then in order of the days, each debit with the oldest purchase that is left.
 */
export function assignInterchangeable(
  contest: Assignment,
  cards: readonly PreparedCard[],
  banks: readonly PreparedBank[],
  scorer: Scorer,
): void {
  for (let purchase = 0; purchase < cards.length; purchase += 1) {
    if (!contest.isPurchaseFree(purchase)) continue;
    const ties = contest.tiesOf(purchase);
    if (!areInterchangeable(ties, cards, banks, scorer)) continue;
    for (const pair of pairsOf(ties, cards, banks)) contest.assign(pair);
    contest.assignWinners();
  }
}

/** Whether all of the purchases are equal, and all of the debits. */
function areInterchangeable(
  ties: readonly Proposal[],
  cards: readonly PreparedCard[],
  banks: readonly PreparedBank[],
  scorer: Scorer,
): boolean {
  const kinds = new Set<string>();
  const amounts = new Set<number | undefined>();
  for (const { purchase, postings } of ties) {
    const card = cards[purchase] as PreparedCard;
    const { cents, currency, mcc } = card.candidate;
    kinds.add([cents, currency, mcc, scorer.nameOf(card)].join("\u0000"));
    for (const posting of postings) amounts.add(banks[posting]?.candidate.cents);
  }
  return kinds.size === 1 && amounts.size === 1;
}

function pairsOf(
  ties: readonly Proposal[],
  cards: readonly PreparedCard[],
  banks: readonly PreparedBank[],
): Proposal[] {
  // The numbers are in order of the days.
  const byDay = ties.toSorted((a, b) => postingOf(a) - postingOf(b) || a.purchase - b.purchase);
  const stated = byDay.filter((tie) => {
    const text = banks[postingOf(tie)]?.candidate.description ?? "";
    return statesDay(text, (cards[tie.purchase] as PreparedCard).candidate.day);
  });
  const taken = new Set<string>();
  return [...stated, ...byDay].filter(({ purchase, postings }) => {
    const sides = [`p${purchase}`, `b${postings}`];
    if (sides.some((side) => taken.has(side))) return false;
    for (const side of sides) taken.add(side);
    return true;
  });
}

function postingOf({ postings }: Proposal): number {
  return postings[0] as number;
}
