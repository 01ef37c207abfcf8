import type { Confidence } from "../transaction-match.ts";

/** What the card side knows: a purchase, or one clearing leg of it (MAT-08). */
export interface CardCandidate {
  /** The transaction's id, or the leg's. */
  readonly id: string;
  readonly transactionId: string;
  /** `YYYY-MM-DD`. */
  readonly day: string;
  /** Minor units of the billing currency. */
  readonly cents: number;
  readonly currency: string;
  readonly descriptor: string;
  readonly mcc: string;
  /** The acceptor's city, which texts of both sides may name; "" where it is not known. */
  readonly city: string;
  /**
   * Whether the purchase is not cleared yet: the amount is what was authorized, which a tip or a
   * fill may change, and its debits may come in parts.
   */
  readonly canSplit: boolean;
}

/** What the bank side knows: one posted debit. */
export interface BankCandidate {
  readonly id: string;
  /** `YYYY-MM-DD`. */
  readonly day: string;
  /** Minor units of the currency, above 0. */
  readonly cents: number;
  readonly currency: string;
  readonly description: string;
  readonly merchantName: string | null;
}

/** MAT-03: one factor of a score, as `reasons[]` of transaction.match.created tells it. */
export interface Factor {
  readonly type: "Amount" | "Date" | "Merchant";
  /** From 0 to 1. */
  readonly score: number;
  /** An amount in major units, a day, or a text. */
  readonly cardValue: string | number;
  readonly bankValue: string | number;
  /** How far apart: in major units, or in days; null for texts. */
  readonly diff: number | null;
  readonly message: string;
}

/** How likely a debit belongs to a purchase. */
export interface Score {
  /** From 0 to 1, in steps of 0.0001; 0 where they cannot belong together. */
  readonly score: number;
  /** MAT-02; null below 0.20: that is not announced. */
  readonly confidence: Confidence | null;
  readonly factors: readonly Factor[];
}

/** A purchase with the debit that it came to, or the 2 to 4 of them. */
export interface Pairing {
  readonly purchase: CardCandidate;
  /** In order of day and id. */
  readonly postings: readonly BankCandidate[];
  /** Of the debit, or of the sum of all. */
  readonly score: Score;
  /** Each debit with the part of the purchase that it pays, and its own score for that part. */
  readonly parts: readonly Part[];
}

export interface Part {
  readonly posting: BankCandidate;
  readonly cents: number;
  readonly score: Score;
}
