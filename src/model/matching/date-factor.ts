import { type Curve, valueAt } from "./curve.ts";

/** Scores by days from the card's date to the bank's. Other distances rule a match out. */
const CURVE: Curve = [
  // The bank may be in another time zone.
  [-2, 0.6],
  [-1, 0.9],
  [0, 1],
  [1, 1],
  [3, 0.9],
  [7, 0.5],
  [14, 0.1],
];

export const EARLIEST_DAYS = -2;
export const LATEST_DAYS = 14;

const DAY_MS = 86_400_000;

/** The number of days from 1970-01-01 to a day `YYYY-MM-DD`. */
export function dayNumber(day: string): number {
  return Date.parse(day) / DAY_MS;
}

/** Scores the days from a purchase to its posting; 0 rules a match out. */
export function dateFactor(days: number): number {
  return valueAt(CURVE, days);
}

export function dateMessage(days: number): string {
  if (days < EARLIEST_DAYS) return "Posted too long before";
  if (days > LATEST_DAYS) return "Posted too long after";
  if (days === 0 || days === 1) return "Posted on the day or the day after";
  return days < 0
    ? `Posted ${-days} ${days === -1 ? "day" : "days"} earlier`
    : `Posted ${days} days later`;
}
