import { type Curve, valueAt } from "./curve.ts";

/** The greatest relative difference from the card's amount, and its score. */
const STEPS = [
  [0.005, 0.9],
  [0.02, 0.7],
  [0.05, 0.5],
] as const;
const BEYOND: Curve = [
  [0.05, 0.5],
  [0.3, 0],
];

/** A tip is added after the authorization. */
const TIP: Curve = [
  [0, 0.85],
  [0.25, 0.8],
  [0.35, 0.5],
  [0.45, 0],
];

/** Extras, or a different number of days: negative if the bank's amount is less. */
const STAY: Curve = [
  [-0.4, 0],
  [-0.25, 0.5],
  [-0.1, 0.7],
  [0.15, 0.7],
  [0.3, 0.5],
  [0.5, 0],
];

/** A hold only limits the price of the fuel. The score allows HIGH only if the names agree. */
const FUEL_SCORE = 0.6;
const FUEL_LIMIT = 250;
const HOLDS = [50, 150] as const;
const HOLD_STEP = 5;

const between = (mcc: number, low: number, high: number): boolean => mcc >= low && mcc <= high;

/** Why a debit may differ from its authorization. */
export type Allowance = "tip" | "fuel" | "stay" | null;

/** Caterers, restaurants, bars, fast food; taxis; salons, massage, spas. */
const TIPPED = new Set(["5811", "5812", "5813", "5814", "4121", "7230", "7297", "7298"]);
/** Stations, pumps, chargers. */
const FUELS = new Set(["5541", "5542", "5552"]);
/** Hotels, cruises, car hire; the brands of the last two follow below. */
const STAYS = new Set(["7011", "7012", "4411", "7512", "7513", "7519"]);

/** Returns why a debit of a merchant category may differ from its authorization. */
export function allowanceOf(mcc: string): Allowance {
  if (TIPPED.has(mcc)) return "tip";
  if (FUELS.has(mcc)) return "fuel";
  const number = Number(mcc);
  const isBrand = between(number, 3351, 3441) || between(number, 3501, 3999);
  return isBrand || STAYS.has(mcc) ? "stay" : null;
}

/**
 * Scores how well the amounts of a debit and a purchase agree, in minor units of one currency.
 *
 * @param allowance null if the amount is final
 * @param unit minor units per major unit
 * @returns 0 to 1; 0 rules a match out
 */
export function amountFactor(
  cardCents: number,
  bankCents: number,
  allowance: Allowance,
  unit: number,
): number {
  if (cardCents === bankCents) return 1;
  if (cardCents <= 0) return 0;
  const share = (bankCents - cardCents) / cardCents;
  const plain = plainFactor(Math.abs(share));
  if (allowance === null) return plain;
  if (allowance === "tip") return Math.max(plain, valueAt(TIP, share));
  if (allowance === "stay") return Math.max(plain, valueAt(STAY, share));
  return Math.max(plain, isFill(cardCents / unit, bankCents / unit) ? FUEL_SCORE : 0);
}

function plainFactor(share: number): number {
  for (const [limit, score] of STEPS) if (share <= limit) return score;
  return valueAt(BEYOND, share);
}

function isFill(hold: number, fill: number): boolean {
  if (hold === 1) return fill > 1 && fill <= FUEL_LIMIT;
  const isFixed = hold % HOLD_STEP === 0 && hold >= HOLDS[0] && hold <= HOLDS[1];
  return isFixed && fill > 0 && fill < hold;
}

export function amountMessage(score: number, isEqual: boolean, allowance: Allowance): string {
  if (isEqual) return "The amounts are equal";
  if (score === 0) return "The amounts have nothing in common";
  if (score >= 0.5 && allowance !== null) return ALLOWED[allowance];
  return score >= 0.5 ? "The amounts are close" : "The amounts are far apart";
}

const ALLOWED = {
  tip: "The amounts differ as by a tip",
  fuel: "The amounts differ as a hold and a fill do",
  stay: "The amounts differ as a stay's do",
} as const;
