import { amountOf } from "../money.ts";
import { confidenceOf } from "../transaction-match.ts";
import { amountFactor, amountMessage } from "./amount-factor.ts";
import type { BankCandidate, CardCandidate, Factor, Score } from "./candidates.ts";
import { dateFactor, dateMessage } from "./date-factor.ts";
import { merchantMessage } from "./merchant-factor.ts";
import { type PreparedBank, type PreparedCard, rounded, Scorer, totalOf } from "./scorer.ts";

/**
 * Scores how likely a debit belongs to a purchase: 0.50 amount + 0.20 date + 0.30 merchant. A
 * merchant that contradicts, or an amount's factor below 0.5, never reaches HIGH; a merchant that
 * contradicts beside an amount's factor below 0.9 is not announced. Another currency, a day outside
 * of -2 to +14, or an amount's factor of 0 is no match: the score is 0, and the factors say why.
 */
export function scoreOf(purchase: CardCandidate, posting: BankCandidate): Score {
  const scorer = new Scorer();
  return explained(scorer, scorer.card(purchase), scorer.bank(posting));
}

/** The score of a pair with the reasons that are told of it (MAT-03). */
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
  const { candidate: side, unit, allowance } = card;
  const values = {
    cardValue: amountOf(side.cents, side.currency),
    bankValue: amountOf(cents, currency),
  };
  if (currency !== side.currency) {
    return { type: "Amount", score: 0, ...values, diff: null, message: "The currencies differ" };
  }
  const score = amountFactor(side.cents, cents, allowance, unit);
  const diff = amountOf(Math.abs(side.cents - cents), currency);
  const message = amountMessage(score, side.cents === cents, allowance);
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
