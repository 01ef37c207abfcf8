import type {
  BankCandidate,
  CardCandidate,
  Score,
} from "../../../src/model/matching/candidates.ts";
import { explained } from "../../../src/model/matching/reasons.ts";
import { Scorer } from "../../../src/model/matching/score.ts";

let made = 0;

/** A purchase of 42.50 EUR at Corner Cafe, with overrides. */
export function purchase(given: Partial<CardCandidate> = {}): CardCandidate {
  made += 1;
  const { id = `p${made}`, day = daysLater(0) } = given;
  const money = { cents: 4250, currency: "EUR", canSplit: true };
  const merchant = { descriptor: "CORNER CAFE 12", mcc: "5999", city: "Dublin" };
  return { id, transactionId: id, day, ...money, ...merchant, ...given };
}

/** The debit of that purchase a day later, with overrides. */
export function posting(given: Partial<BankCandidate> = {}): BankCandidate {
  made += 1;
  const money = { day: daysLater(1), cents: 4250, currency: "EUR" };
  const text = { description: "CORNER CAFE DUBLIN", merchantName: null };
  return { id: `b${made}`, ...money, ...text, ...given };
}

/** The date n days after 4 March 2025. */
export function daysLater(days: number): string {
  return new Date(Date.UTC(2025, 2, 4 + days)).toISOString().slice(0, 10);
}

/** The score of a purchase and a debit. */
export function scoreOf(card: CardCandidate, bank: BankCandidate): Score {
  const scorer = new Scorer();
  return explained(scorer, scorer.card(card), scorer.bank(bank));
}
