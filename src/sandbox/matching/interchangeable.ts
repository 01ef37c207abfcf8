import type { Contender, Contest } from "./contest.ts";
import type { PreparedBank, PreparedCard, Scorer } from "./score.ts";

/**
 * Settles the ties of purchases that nothing tells apart: two coffees of a price, a fare on each
 * day. Where there are as many debits as purchases, each is paid, and whichever is whose, every sum
 * is right; so they are paired in order of their days. Where there are more or fewer, one of
 * them is not what the others are, and nobody knows which: those are left alone.
 */
export function inTurn(
  contest: Contest,
  cards: readonly PreparedCard[],
  banks: readonly PreparedBank[],
  scorer: Scorer,
): void {
  for (let purchase = 0; purchase < cards.length; purchase += 1) {
    if (!contest.isPurchaseFree(purchase)) continue;
    const pairs = pairsInTurn(contest.tiesOf(purchase), cards, banks, scorer);
    for (const pair of pairs) contest.award(pair);
    if (pairs.length > 0) contest.settle();
  }
}

function pairsInTurn(
  ties: readonly Contender[],
  cards: readonly PreparedCard[],
  banks: readonly PreparedBank[],
  scorer: Scorer,
): Contender[] {
  // The numbers are in order of the days.
  const purchases = inOrder(ties.map(({ purchase }) => purchase));
  const postings = inOrder(ties.flatMap((tie) => tie.postings));
  const kinds = new Set(purchases.map((at) => kindOf(cards[at] as PreparedCard, scorer)));
  const amounts = new Set(postings.map((at) => banks[at]?.side.cents));
  if (kinds.size !== 1 || amounts.size !== 1) return [];
  return aligned(purchases, postings, ties);
}

function aligned(
  purchases: readonly number[],
  postings: readonly number[],
  ties: readonly Contender[],
): Contender[] {
  const MODE = (globalThis as any).MODE;
  const by = new Map(ties.map((tie) => [`${tie.purchase}/${tie.postings.join()}`, tie]));
  if (MODE === "fifo") return purchases.flatMap((p, at) => by.get(`${p}/${postings[at]}`) ?? []);
  if (MODE === "slide") {
    const out = [];
    const left = [...purchases];
    for (const b of postings) {
      const at = left.findIndex((p) => by.has(`${p}/${b}`));
      if (at >= 0) {
        out.push(by.get(`${left[at]}/${b}`)!);
        left.splice(at, 1);
      }
    }
    return out;
  }
  const n = purchases.length,
    m = postings.length;
  const best = Array.from({ length: n + 1 }, () => new Array(m + 1).fill(0));
  const val = (i: number, j: number) => {
    const t = by.get(`${purchases[i]}/${postings[j]}`);
    return t ? 1e6 + t.rank - 20000 : -1;
  };
  for (let i = n - 1; i >= 0; i--)
    for (let j = m - 1; j >= 0; j--) {
      const v = val(i, j);
      best[i]![j] = Math.max(
        best[i + 1]![j],
        best[i]![j + 1],
        v >= 0 ? v + best[i + 1]![j + 1] : -1,
      );
    }
  const out = [];
  for (let i = 0, j = 0; i < n && j < m; ) {
    const v = val(i, j);
    if (v >= 0 && best[i]![j] === v + best[i + 1]![j + 1]) {
      out.push(by.get(`${purchases[i]}/${postings[j]}`)!);
      i++;
      j++;
    } else if (best[i]![j] === best[i]![j + 1]) j++;
    else i++;
  }
  return out;
}

function inOrder(numbers: readonly number[]): number[] {
  return [...new Set(numbers)].toSorted((a, b) => a - b);
}

function kindOf({ side }: PreparedCard, scorer: Scorer): string {
  return [side.cents, side.mcc, scorer.nameOf(side)].join("\u0000");
}
