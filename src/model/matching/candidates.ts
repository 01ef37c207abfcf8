import type { Confidence } from "../transaction-match.ts";

/** A purchase, or one part of it (MAT-08). */
export interface CardCandidate {
  /** The id of the transaction or of the part. */
  readonly id: string;
  readonly transactionId: string;
  /** `YYYY-MM-DD`. */
  readonly day: string;
  /** Minor units of the billing currency. */
  readonly cents: number;
  readonly currency: string;
  readonly descriptor: string;
  readonly mcc: string;
  /** The acceptor's city, which the texts of both may contain; "" if unknown. */
  readonly city: string;
  /**
   * Whether the amount is not final: a tip or a fuel purchase may change the authorized amount, and
   * the bank may post it in parts.
   */
  readonly canSplit: boolean;
}

/** A posted debit. */
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

/** MAT-03: one factor of a score, an item of `reasons[]` of transaction.match.created. */
export interface Factor {
  readonly type: "Amount" | "Date" | "Merchant";
  /** From 0 to 1. */
  readonly score: number;
  /** An amount in major units, a day, or a text. */
  readonly cardValue: string | number;
  readonly bankValue: string | number;
  /** The difference in major units or in days; null for texts. */
  readonly diff: number | null;
  readonly message: string;
}

/** How likely a debit belongs to a purchase. */
export interface Score {
  /** From 0 to 1, in steps of 0.0001; 0 if they cannot belong together. */
  readonly score: number;
  /** MAT-02; null if the score is below 0.20, which is not announced. */
  readonly confidence: Confidence | null;
  readonly factors: readonly Factor[];
}

/** A purchase with its debit, or with its 2 to 4 debits. */
export interface Pairing {
  readonly purchase: CardCandidate;
  /** Sorted by day and id. */
  readonly postings: readonly BankCandidate[];
  /** The score of the debit, or of the sum of all. */
  readonly score: Score;
  /** Each debit with the part of the purchase that it pays and the score for that part. */
  readonly parts: readonly Part[];
}

export interface Part {
  readonly posting: BankCandidate;
  readonly cents: number;
  readonly score: Score;
}
