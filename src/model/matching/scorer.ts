import { exponentOf } from "../money.ts";
import { type Allowance, allowanceOf, amountFactor } from "./amount-factor.ts";
import type { BankCandidate, CardCandidate } from "./candidates.ts";
import { dateFactor, dayNumber } from "./date-factor.ts";
import { CONTRADICTION, merchantFactor } from "./merchant-factor.ts";
import { type MerchantText, merchantTextOf } from "./merchant-text.ts";

const WEIGHTS = { amount: 0.5, date: 0.2, merchant: 0.3 } as const;

/** From here on an amount is the same, but for the rounding of an exchange. */
export const SAME_AMOUNT = 0.9;
/** Below this an amount never reaches HIGH. */
const FAR_AMOUNT = 0.5;
/** The most that a score is worth that something keeps from HIGH, or from being announced. */
const BELOW_HIGH = 0.69;
const BELOW_LOW = 0.19;

/** A purchase with what a run needs of it again and again. */
export interface PreparedCard {
  readonly candidate: CardCandidate;
  readonly day: number;
  /** How many minor units the currency's major one has. */
  readonly unit: number;
  readonly allowance: Allowance;
  /** The same for the same texts. */
  readonly textKey: number;
}

/** A debit with what a run needs of it again and again. */
export interface PreparedBank {
  readonly candidate: BankCandidate;
  readonly day: number;
  readonly textKey: number;
}

/** More than a run has texts. */
const KEYS = 2 ** 26;

/** Scores pairs; keeps what it has read of their texts as long as it lives: for one run. */
export class Scorer {
  readonly #keys = new Map<string, number>();
  readonly #texts = new Map<string, MerchantText | null>();
  readonly #merchants = new Map<number, number>();

  card(side: CardCandidate): PreparedCard {
    const { currency, descriptor, city, canSplit, mcc } = side;
    return {
      candidate: side,
      day: dayNumber(side.day),
      unit: 10 ** exponentOf(currency),
      // What is cleared has no tip to come.
      allowance: canSplit ? allowanceOf(mcc) : null,
      textKey: this.#keyOf(descriptor, city),
    };
  }

  bank(side: BankCandidate): PreparedBank {
    const textKey = this.#keyOf(side.description, side.merchantName ?? "");
    return { candidate: side, day: dayNumber(side.day), textKey };
  }

  /** The amount's factor; 0, too, where day or currency rule a match out. */
  amount({ candidate: side, day, allowance, unit }: PreparedCard, bank: PreparedBank): number {
    if (side.currency !== bank.candidate.currency || dateFactor(bank.day - day) === 0) return 0;
    return amountFactor(side.cents, bank.candidate.cents, allowance, unit);
  }

  /** The merchant's factor. */
  merchant(card: PreparedCard, bank: PreparedBank): number {
    const key = card.textKey * KEYS + bank.textKey;
    let score = this.#merchants.get(key);
    if (score === undefined) {
      const [own, ...others] = this.#textsOf(card, bank);
      score = merchantFactor(own, others);
      this.#merchants.set(key, score);
    }
    return score;
  }

  /** Whether both sides name a merchant. */
  isNamed(card: PreparedCard, bank: PreparedBank): boolean {
    const [own, ...others] = this.#textsOf(card, bank);
    return own !== null && others.some((text) => text !== null);
  }

  /** A purchase's merchant as it is compared; "" where its text names none. */
  nameOf({ candidate: side }: PreparedCard): string {
    return this.#text(side.descriptor, side.city)?.joined ?? "";
  }

  #textsOf(
    { candidate: { descriptor, city } }: PreparedCard,
    { candidate: { description, merchantName } }: PreparedBank,
  ): [MerchantText | null, ...(MerchantText | null)[]] {
    const bank = [description, merchantName ?? ""].map((text) => this.#text(text, city));
    return [this.#text(descriptor, city), ...bank];
  }

  #text(text: string, city: string): MerchantText | null {
    const key = `${city}\u0000${text}`;
    let read = this.#texts.get(key);
    if (read === undefined) {
      read = merchantTextOf(text, city);
      this.#texts.set(key, read);
    }
    return read;
  }

  #keyOf(...texts: readonly string[]): number {
    const text = texts.join("\u0000");
    let key = this.#keys.get(text);
    if (key === undefined) {
      key = this.#keys.size;
      this.#keys.set(text, key);
    }
    return key;
  }
}

/** The score of three factors; 0 where the amounts or the days rule a match out. */
export function totalOf(amount: number, date: number, merchant: number): number {
  if (amount === 0 || date === 0) return 0;
  const sum = WEIGHTS.amount * amount + WEIGHTS.date * date + WEIGHTS.merchant * merchant;
  return rounded(Math.min(sum, limitOf(amount, merchant)));
}

function limitOf(amount: number, merchant: number): number {
  if (merchant >= CONTRADICTION) return amount < FAR_AMOUNT ? BELOW_HIGH : 1;
  // Nothing but the day speaks for it. A rent is no groceries, and a match takes the rent from the
  // sums, whatever its confidence.
  return amount < SAME_AMOUNT ? BELOW_LOW : BELOW_HIGH;
}

/** A score in steps of 0.0001. */
export function rounded(score: number): number {
  return Math.round(score * 10_000) / 10_000;
}
