import { amountOf } from "../money.ts";
import { confidenceOf } from "../transaction-match.ts";
import { amountFactor, amountMessage } from "./amount-factor.ts";
import type { BankCandidate, CardCandidate, Factor, Score } from "./candidates.ts";
import { dateFactor, dateMessage } from "./date-factor.ts";
import { merchantMessage } from "./merchant-factor.ts";
import { type PreparedBank, type PreparedCard, rounded, Scorer, totalOf } from "./scorer.ts";

/**
 * Scores how likely a debit belongs to a purchase: 0.50 amount + 0.20 date + 0.30 merchant. With a
 * contradicting merchant, or an amount factor below 0.5, the score stays below HIGH. With a
 * contradicting merchant and an amount factor below 0.9, it is too low to be announced. The score
 * is 0 for different currencies, a day outside -2 to +14, or an amount factor of 0.
 */
export function scoreOf(purchase: CardCandidate, posting: BankCandidate): Score {
  const scorer = new Scorer();
  return explained(scorer, scorer.card(purchase), scorer.bank(posting));
}

/** The score of a pair with its reasons (MAT-03). */
export function explained(scorer: Scorer, card: PreparedCard, bank: PreparedBank): Score {
  const days = bank.day - card.day;
  const merchant = scorer.merchant(card, bank);
  const score = totalOf(scorer.amount(card, bank), dateFactor(days), merchant);
  const factors = [
    amountReason(card, bank.candidate),
    dateReason(card.candidate.day, bank.candidate.day, days),
    merchantReason(card.candidate, bank.candidate, merchant, scorer.isNamed(card, bank)),
  ];
  return { score, confidence: confidenceOf(score), factors };
}

function amountReason(card: PreparedCard, { cents, currency }: BankCandidate): Factor {
  const { candidate, unit, allowance } = card;
  const values = {
    cardValue: amountOf(candidate.cents, candidate.currency),
    bankValue: amountOf(cents, currency),
  };
  if (currency !== candidate.currency) {
    return { type: "Amount", score: 0, ...values, diff: null, message: "The currencies differ" };
  }
  const score = amountFactor(candidate.cents, cents, allowance, unit);
  const diff = amountOf(Math.abs(candidate.cents - cents), currency);
  const message = amountMessage(score, candidate.cents === cents, allowance);
  return { type: "Amount", score: rounded(score), ...values, diff, message };
}

function dateReason(cardValue: string, bankValue: string, days: number): Factor {
  const score = rounded(dateFactor(days));
  const message = dateMessage(days);
  return { type: "Date", score, cardValue, bankValue, diff: Math.abs(days), message };
}

function merchantReason(
  card: CardCandidate,
  bank: BankCandidate,
  score: number,
  isNamed: boolean,
): Factor {
  return {
    type: "Merchant",
    score: rounded(score),
    cardValue: card.descriptor,
    bankValue: bank.merchantName ?? bank.description,
    diff: null,
    message: merchantMessage(score, isNamed),
  };
}
