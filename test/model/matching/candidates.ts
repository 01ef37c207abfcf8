import type {
  BankCandidate,
  CardCandidate,
  Score,
} from "../../../src/model/matching/candidates.ts";
import { Scorer } from "../../../src/model/matching/score.ts";

let made = 0;

/** A purchase of 42.50 EUR at Corner Cafe, with overrides. */
export function purchase(given: Partial<CardCandidate> = {}): CardCandidate {
  made += 1;
  const id = given.id ?? `p${made}`;
  return {
    id,
    transactionId: id,
    day: "2025-03-04",
    cents: 4250,
    currency: "EUR",
    descriptor: "CORNER CAFE 12",
    mcc: "5999",
    city: "Dublin",
    canSplit: true,
    ...given,
  };
}

/** The debit of that purchase, with overrides. */
export function posting(given: Partial<BankCandidate> = {}): BankCandidate {
  made += 1;
  return {
    id: `b${made}`,
    day: "2025-03-05",
    cents: 4250,
    currency: "EUR",
    description: "CORNER CAFE DUBLIN",
    merchantName: null,
    ...given,
  };
}

/** The date n days after 4 March 2025. */
export function daysLater(days: number): string {
  return new Date(Date.UTC(2025, 2, 4 + days)).toISOString().slice(0, 10);
}

/** The score of a purchase and a debit. */
export function scoreOf(card: CardCandidate, bank: BankCandidate): Score {
  const scorer = new Scorer();
  return scorer.score(scorer.card(card), scorer.bank(bank));
}
