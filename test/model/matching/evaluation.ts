import type {
  BankCandidate,
  CardCandidate,
  Pairing,
} from "../../../src/model/matching/candidates.ts";
import { pairingsOf } from "../../../src/model/matching/pairings.ts";
import type { Confidence } from "../../../src/model/transaction-match.ts";
import type { Feed } from "./corpus/cases.ts";

/** How the matcher may be run on a feed. */
export const MODES = { "all at once": matchAtOnce, "day by day": matchByDay } as const;

/** Matches everything at once, as with late card data. */
export function matchAtOnce({ purchases, postings }: Feed): Pairing[] {
  return pairingsOf(purchases, postings);
}

/** Matches day by day: HIGH matches are kept, others are retried the next day. */
function matchByDay({ purchases, postings }: Feed): Pairing[] {
  const kept: Pairing[] = [];
  let rest: Pairing[] = [];
  const days = new Set([...purchases, ...postings].map(({ day }) => day));
  for (const today of [...days].toSorted()) {
    const paired = new Set(kept.flatMap((pairing) => [pairing.purchase, ...pairing.postings]));
    const isOpen = (side: CardCandidate | BankCandidate) => side.day <= today && !paired.has(side);
    const found = pairingsOf(purchases.filter(isOpen), postings.filter(isOpen));
    kept.push(...found.filter(({ score }) => score.confidence === "HIGH"));
    rest = found.filter(({ score }) => score.confidence !== "HIGH");
  }
  return [...kept, ...rest];
}

/** The accuracy of the matches of one confidence. */
export interface Figures {
  readonly matches: number;
  /** The number of debits that have a purchase. */
  readonly payments: number;
  /** The share of matches with the debit's purchase or one equal to it. NaN without matches. */
  readonly precision: number;
  /** The share of payments that are matched correctly. */
  readonly recall: number;
  /** The same figures, counting only the labelled purchase as correct. */
  readonly strictPrecision: number;
  readonly strictRecall: number;
}

/** Maximum distance of two otherwise equal purchases, whose labels are arbitrary. */
const EQUAL_DAYS = 7;

/** Whether two purchases of an account are equal in the card data, except for nearby dates. */
function areEqual(a: CardCandidate, b: CardCandidate): boolean {
  const days = Math.abs(Date.parse(a.day) - Date.parse(b.day)) / 86_400_000;
  const isSame = (["descriptor", "cents", "mcc"] as const).every((field) => a[field] === b[field]);
  return isSame && days <= EQUAL_DAYS;
}

/** The accuracy of a way of matching, by confidence. */
export function figuresOf(
  feeds: readonly Feed[],
  match: (feed: Feed) => readonly Pick<Pairing, "purchase" | "postings" | "score">[],
): Record<Confidence, Figures> {
  const payments = feeds.reduce((sum, { labels }) => sum + labels.size, 0);
  const verdicts = feeds.flatMap((feed) =>
    match(feed).flatMap(({ purchase, postings, score: { confidence } }) =>
      postings.map((posting) => ({ confidence, purchase, label: feed.labels.get(posting) })),
    ),
  );
  const of = (wanted: Confidence): Figures => {
    const all = verdicts.filter(({ confidence }) => confidence === wanted);
    const matches = all.length;
    const right = all.filter(({ purchase, label }) => label && areEqual(label, purchase)).length;
    const strict = all.filter(({ purchase, label }) => label === purchase).length;
    const [precision, recall] = [right / matches, right / payments];
    const [strictPrecision, strictRecall] = [strict / matches, strict / payments];
    return { matches, payments, precision, recall, strictPrecision, strictRecall };
  };
  return { HIGH: of("HIGH"), MEDIUM: of("MEDIUM"), LOW: of("LOW") };
}
