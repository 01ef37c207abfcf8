/** A polyline: the x of its points, ascending, and their y. */
interface Curve {
  readonly x: readonly number[];
  readonly y: readonly number[];
}

/** Interpolates a curve linearly at a value; 0 outside its points. */
function valueAt({ x, y }: Curve, value: number): number {
  for (let at = 1; at < x.length; at += 1) {
    const [x0, x1, y0, y1] = [x[at - 1], x[at], y[at - 1], y[at]] as [
      number,
      number,
      number,
      number,
    ];
    if (value <= x1) return value < x0 ? 0 : y0 + ((y1 - y0) * (value - x0)) / (x1 - x0);
  }
  return 0;
}

/** Days from the card's date to the bank's, whose clock may be in another time zone. */
const DAYS: Curve = { x: [-2, -1, 0, 1, 3, 7, 14], y: [0.6, 0.9, 1, 1, 0.9, 0.5, 0.1] };

/** Other distances rule a match out. */
export const EARLIEST_DAYS = -2;
export const LATEST_DAYS = 14;

const DAY_MS = 86_400_000;

/** The number of days from 1970-01-01 to a day `YYYY-MM-DD`. */
export function dayNumber(day: string): number {
  return Date.parse(day) / DAY_MS;
}

/** Scores the days from a purchase to its posting; 0 rules a match out. */
export function dateFactor(days: number): number {
  return valueAt(DAYS, days);
}

export function dateMessage(days: number): string {
  if (days < EARLIEST_DAYS) return "Posted too long before";
  if (days > LATEST_DAYS) return "Posted too long after";
  if (days === 0 || days === 1) return "Posted on the day or the day after";
  return days < 0
    ? `Posted ${-days} ${days === -1 ? "day" : "days"} earlier`
    : `Posted ${days} days later`;
}

/** The greatest relative difference from the card's amount, and its score. */
const STEPS = [
  [0.005, 0.9],
  [0.02, 0.7],
  [0.05, 0.5],
] as const;
const BEYOND: Curve = { x: [0.05, 0.3], y: [0.5, 0] };

/** A tip is added after the authorization. */
const TIP: Curve = { x: [0, 0.25, 0.35, 0.45], y: [0.85, 0.8, 0.5, 0] };

/** Extras, or a different number of days: negative if the bank's amount is less. */
const STAY: Curve = { x: [-0.4, -0.25, -0.1, 0.15, 0.3, 0.5], y: [0, 0.5, 0.7, 0.7, 0.5, 0] };

/** A hold only limits the price of the fuel. The score allows HIGH only if the names agree. */
const FUEL_SCORE = 0.6;
const FUEL_LIMIT = 250;
const HOLDS = [50, 150] as const;
const HOLD_STEP = 5;

/** Why a debit may differ from its authorization. */
export type Allowance = "tip" | "fuel" | "stay" | null;

/** Caterers, restaurants, bars, fast food; taxis; salons, massage, spas. */
const TIPPED = new Set(["5811", "5812", "5813", "5814", "4121", "7230", "7297", "7298"]);
/** Stations, pumps, chargers. */
const FUELS = new Set(["5541", "5542", "5552"]);
/** Hotels, cruises, car hire; the brands of hotels and car hire follow below. */
const STAYS = new Set(["7011", "7012", "4411", "7512", "7513", "7519"]);

/** Returns why a debit of a merchant category may differ from its authorization. */
export function allowanceOf(mcc: string): Allowance {
  if (TIPPED.has(mcc)) return "tip";
  if (FUELS.has(mcc)) return "fuel";
  const number = Number(mcc);
  const isBrand = (number >= 3351 && number <= 3441) || (number >= 3501 && number <= 3999);
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
  const distance = Math.abs(share);
  const [, plain = valueAt(BEYOND, distance)] = STEPS.find(([limit]) => distance <= limit) ?? [];
  if (allowance === null) return plain;
  if (allowance === "tip") return Math.max(plain, valueAt(TIP, share));
  if (allowance === "stay") return Math.max(plain, valueAt(STAY, share));
  return Math.max(plain, isFill(cardCents / unit, bankCents / unit) ? FUEL_SCORE : 0);
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
