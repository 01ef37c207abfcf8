import type { Assignment, Proposal } from "./assignment.ts";
import type { PreparedBank, PreparedCard, Scorer } from "./scorer.ts";

/**
 * Assigns tied purchases that are interchangeable, such as two coffees of the same price. Each
 * assignment gives the same sums, and without one they would never be matched. Purchases whose day
 * is in the bank's text come first, then each debit gets the oldest remaining purchase.
 */
export function assignInterchangeable(
  assignment: Assignment,
  cards: readonly PreparedCard[],
  banks: readonly PreparedBank[],
  scorer: Scorer,
): void {
  for (let purchase = 0; purchase < cards.length; purchase += 1) {
    if (!assignment.isPurchaseFree(purchase)) continue;
    const ties = assignment.tiesOf(purchase);
    if (!areInterchangeable(ties, cards, banks, scorer)) continue;
    for (const pair of pairsOf(ties, cards, banks)) assignment.assign(pair);
    assignment.assignWinners();
  }
}

/** Whether all purchases are equal, and all debits. */
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
  // The indexes are in order of the days.
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

const MONTHS = "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC".split(" ");

/** Whether a bank's text contains a day, in one of the formats that banks use. */
export function statesDay(text: string, day: string): boolean {
  const [year = "", month = "", date = ""] = day.split("-");
  const name = MONTHS[Number(month) - 1] ?? "";
  const ways = [
    ...[day, `${date}.${month}`, `${date}/${month}`, `${month}/${date}`, `${date}-${month}`],
    ...[`${date}${month}`, `${month}${date}`, `${date}${name}`, `${date} ${name}`],
    ...[`${date}${month}${year.slice(2)}`, `${date}${name}${year.slice(2)}`],
  ];
  const upper = text.toUpperCase();
  return ways.some((way) => {
    const at = upper.indexOf(way);
    return at >= 0 && !isDigit(upper[at - 1]) && !isDigit(upper[at + way.length]);
  });
}

function isDigit(letter: string | undefined): boolean {
  return letter !== undefined && letter >= "0" && letter <= "9";
}
