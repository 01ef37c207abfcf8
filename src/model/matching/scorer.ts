import { exponentOf } from "../money.ts";
import { type Allowance, allowanceOf, amountFactor } from "./amount-factor.ts";
import type { BankCandidate, CardCandidate } from "./candidates.ts";
import { dateFactor, dayNumber } from "./date-factor.ts";
import { CONTRADICTION, merchantFactor } from "./merchant-factor.ts";
import { type MerchantText, merchantTextOf } from "./merchant-text.ts";

const WEIGHTS = { amount: 0.5, date: 0.2, merchant: 0.3 } as const;

/** The least factor of amounts that are equal except for the rounding of an exchange. */
export const SAME_AMOUNT = 0.9;
/** Below this factor, a score never reaches HIGH. */
const FAR_AMOUNT = 0.5;
/** The greatest scores below HIGH and below LOW. */
const BELOW_HIGH = 0.69;
const BELOW_LOW = 0.19;

/** A purchase with values that a run uses repeatedly. */
export interface PreparedCard {
  readonly candidate: CardCandidate;
  readonly day: number;
  /** Minor units per major unit. */
  readonly unit: number;
  readonly allowance: Allowance;
  /** Equal for equal texts. */
  readonly textKey: number;
}

/** A debit with values that a run uses repeatedly. */
export interface PreparedBank {
  readonly candidate: BankCandidate;
  readonly day: number;
  readonly textKey: number;
}

/** More than the texts of a run. */
const KEYS = 2 ** 26;

/** Scores pairs. Caches what it computes from their texts, for one run. */
export class Scorer {
  readonly #keys = new Map<string, number>();
  readonly #texts = new Map<string, MerchantText | null>();
  readonly #merchants = new Map<number, number>();

  card(candidate: CardCandidate): PreparedCard {
    const { currency, descriptor, city, canSplit, mcc } = candidate;
    return {
      candidate,
      day: dayNumber(candidate.day),
      unit: 10 ** exponentOf(currency),
      // A cleared amount is final.
      allowance: canSplit ? allowanceOf(mcc) : null,
      textKey: this.#keyOf(descriptor, city),
    };
  }

  bank(candidate: BankCandidate): PreparedBank {
    const textKey = this.#keyOf(candidate.description, candidate.merchantName ?? "");
    return { candidate, day: dayNumber(candidate.day), textKey };
  }

  /** The amount's factor; 0 also if the day or the currency rules a match out. */
  amount({ candidate, day, allowance, unit }: PreparedCard, bank: PreparedBank): number {
    if (candidate.currency !== bank.candidate.currency || dateFactor(bank.day - day) === 0)
      return 0;
    return amountFactor(candidate.cents, bank.candidate.cents, allowance, unit);
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

  /** Whether both texts name a merchant. */
  isNamed(card: PreparedCard, bank: PreparedBank): boolean {
    const [own, ...others] = this.#textsOf(card, bank);
    return own !== null && others.some((text) => text !== null);
  }

  /** The normalized merchant name of a purchase; "" if it has none. */
  nameOf({ candidate }: PreparedCard): string {
    return this.#text(candidate.descriptor, candidate.city)?.joined ?? "";
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

/** The score of three factors; 0 if the amounts or the days rule a match out. */
export function totalOf(amount: number, date: number, merchant: number): number {
  if (amount === 0 || date === 0) return 0;
  const sum = WEIGHTS.amount * amount + WEIGHTS.date * date + WEIGHTS.merchant * merchant;
  return rounded(Math.min(sum, limitOf(amount, merchant)));
}

function limitOf(amount: number, merchant: number): number {
  if (merchant >= CONTRADICTION) return amount < FAR_AMOUNT ? BELOW_HIGH : 1;
  // Only the day agrees. A match of any confidence removes the debit from the sums, so a wrong one
  // does harm.
  return amount < SAME_AMOUNT ? BELOW_LOW : BELOW_HIGH;
}

/** Rounds a score to 0.0001. */
export function rounded(score: number): number {
  return Math.round(score * 10_000) / 10_000;
}
