import type {
  BankCandidate,
  CardCandidate,
  Pairing,
} from "../../../src/model/matching/candidates.ts";
import { pairingsOf } from "../../../src/model/matching/pairings.ts";
import type { Confidence } from "../../../src/model/transaction-match.ts";
import type { Corpus, MovementRecord, PurchaseRecord } from "./corpus/record.ts";

/** An account of a corpus, as the matcher's input. */
export interface Feed {
  readonly purchases: readonly CardCandidate[];
  readonly postings: readonly BankCandidate[];
}

/** The matcher's result for one debit. */
export interface Verdict {
  readonly purchaseId: string;
  readonly postingId: string;
  readonly confidence: Confidence;
}

/** The accuracy of one confidence's verdicts. */
export interface Figures {
  readonly matches: number;
  /** The share of matches with the debit's purchase or one equal to it. NaN without matches. */
  readonly precision: number;
  /** The share of debits with a purchase that are matched correctly. */
  readonly recall: number;
  /** The same figures, counting only the labelled purchase as correct. */
  readonly strictPrecision: number;
  readonly strictRecall: number;
}

function cardSideOf(record: PurchaseRecord): CardCandidate {
  const { id, day, cents, currency, descriptor, mcc, city } = record;
  const canSplit = !record.isCleared;
  return { id, transactionId: id, day, cents, currency, descriptor, mcc, city, canSplit };
}

function bankSideOf(record: MovementRecord): BankCandidate {
  const { id, day, cents, currency, description, merchantName } = record;
  return { id, day, cents, currency, description, merchantName };
}

/** The accounts of a corpus, with only the debits of the bank's movements. */
export function feedsOf({ purchases, movements }: Corpus): Feed[] {
  const accounts = Map.groupBy(purchases, ({ account }) => account);
  const debits = Map.groupBy(movements, ({ account }) => account);
  return [...accounts].map(([account, records]) => ({
    purchases: records.map(cardSideOf),
    postings: (debits.get(account) ?? []).filter(({ cents }) => cents > 0).map(bankSideOf),
  }));
}

/** Matches everything at once, as with late card data. */
export function matchAtOnce(feeds: readonly Feed[]): Verdict[] {
  return feeds.flatMap(({ purchases, postings }) =>
    pairingsOf(purchases, postings).flatMap(verdictsOf),
  );
}

/** Matches day by day: HIGH matches are kept, others are retried the next day. */
export function matchByDay(feeds: readonly Feed[]): Verdict[] {
  return feeds.flatMap((feed) => {
    let { purchases, postings } = feed;
    const kept: Pairing[] = [];
    let rest: Pairing[] = [];
    const days = new Set([...purchases, ...postings].map(({ day }) => day));
    for (const today of [...days].toSorted()) {
      const isKnown = ({ day }: { day: string }) => day <= today;
      const found = pairingsOf(purchases.filter(isKnown), postings.filter(isKnown));
      const high = found.filter(({ score }) => score.confidence === "HIGH");
      rest = found.filter((pairing) => !high.includes(pairing));
      kept.push(...high);
      const paired = new Set(high.flatMap((pairing) => [pairing.purchase, ...pairing.postings]));
      purchases = purchases.filter((purchase) => !paired.has(purchase));
      postings = postings.filter((posting) => !paired.has(posting));
    }
    return [...kept, ...rest].flatMap(verdictsOf);
  });
}

function verdictsOf({ purchase, parts, score: { confidence } }: Pairing): Verdict[] {
  if (confidence === null) return [];
  const purchaseId = purchase.id;
  return parts.map(({ posting }) => ({ purchaseId, postingId: posting.id, confidence }));
}

/** Maximum distance of two otherwise equal purchases, whose labels are arbitrary. */
const EQUAL_DAYS = 7;

/** Whether two purchases are equal in the card data, except for nearby dates. */
function areEqual(a: PurchaseRecord, b: PurchaseRecord): boolean {
  const days = Math.abs(Date.parse(a.day) - Date.parse(b.day)) / 86_400_000;
  const isSame = (["account", "descriptor", "cents", "mcc"] as const).every((f) => a[f] === b[f]);
  return isSame && days <= EQUAL_DAYS;
}

/** The accuracy of verdicts, by confidence. */
export function figuresOf(
  { purchases, movements }: Corpus,
  verdicts: readonly Verdict[],
): Record<Confidence, Figures> {
  const byId = new Map(purchases.map((purchase) => [purchase.id, purchase]));
  const labels = new Map(movements.map(({ id, purchaseId }) => [id, purchaseId]));
  const labelled = movements.filter(({ purchaseId }) => purchaseId !== null).length;
  const of = (wanted: Confidence): Figures => {
    const matches = verdicts.filter(({ confidence }) => confidence === wanted);
    const strict = matches.filter(
      (verdict) => labels.get(verdict.postingId) === verdict.purchaseId,
    );
    const right = matches.filter(({ postingId, purchaseId }) => {
      const [label, matched] = [labels.get(postingId) ?? "", purchaseId].map((id) => byId.get(id));
      return label !== undefined && matched !== undefined && areEqual(label, matched);
    });
    return {
      matches: matches.length,
      precision: right.length / matches.length,
      recall: right.length / labelled,
      strictPrecision: strict.length / matches.length,
      strictRecall: strict.length / labelled,
    };
  };
  return { HIGH: of("HIGH"), MEDIUM: of("MEDIUM"), LOW: of("LOW") };
}
