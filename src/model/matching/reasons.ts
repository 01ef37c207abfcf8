import { amountOf } from "../money.ts";
import { confidenceOf } from "../transaction-match.ts";
import type { BankCandidate, CardCandidate, Factor, Score } from "./candidates.ts";
import { amountMessage, dateFactor, dateMessage } from "./factors.ts";
import { merchantMessage } from "./merchant-factor.ts";
import { type PreparedBank, type PreparedCard, rounded, type Scorer, totalOf } from "./score.ts";

/**
 * The score of a pair with its reasons (MAT-03): 0.50 amount + 0.20 date + 0.30 merchant. With a
 * contradicting merchant, or an amount factor below 0.5, the score stays below HIGH. With a
 * contradicting merchant and an amount factor below 0.9, it is too low to be announced. The score
 * is 0 for different currencies, a day outside -2 to +14, or an amount factor of 0.
 */
export function explained(scorer: Scorer, card: PreparedCard, bank: PreparedBank): Score {
  const [amount, merchant] = [scorer.amount(card, bank), scorer.merchant(card, bank)];
  const days = bank.day - card.day;
  const score = totalOf(amount, dateFactor(days), merchant);
  const factors = [
    amountReason(card, bank.candidate, amount),
    dateReason(card.candidate.day, bank.candidate.day, days),
    merchantReason(card.candidate, bank.candidate, merchant, scorer.isNamed(card, bank)),
  ];
  return { score, confidence: confidenceOf(score), factors };
}

function amountReason(
  { candidate, allowance }: PreparedCard,
  { cents, currency }: BankCandidate,
  score: number,
): Factor {
  const isSameCurrency = currency === candidate.currency;
  return {
    type: "Amount",
    score: rounded(score),
    cardValue: amountOf(candidate.cents, candidate.currency),
    bankValue: amountOf(cents, currency),
    diff: isSameCurrency ? amountOf(Math.abs(candidate.cents - cents), currency) : null,
    message: isSameCurrency
      ? amountMessage(score, candidate.cents === cents, allowance)
      : "The currencies differ",
  };
}

function dateReason(cardValue: string, bankValue: string, days: number): Factor {
  const [score, diff] = [rounded(dateFactor(days)), Math.abs(days)];
  return { type: "Date", score, cardValue, bankValue, diff, message: dateMessage(days) };
}

function merchantReason(
  { descriptor }: CardCandidate,
  { description, merchantName }: BankCandidate,
  score: number,
  isNamed: boolean,
): Factor {
  return {
    type: "Merchant",
    score: rounded(score),
    cardValue: descriptor,
    bankValue: merchantName ?? description,
    diff: null,
    message: merchantMessage(score, isNamed),
  };
}
