import { type Curve, valueAt } from "./curve.ts";

/** By how many days the bank's date is behind the card's. Outside of these there is no match. */
const CURVE: Curve = [
  // The bank's day may end in another time zone.
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

/** The number of a day, `YYYY-MM-DD`, counted from 1970. */
export function dayNumber(day: string): number {
  return Date.parse(day) / DAY_MS;
}

/** Scores by how many days a posting is behind its purchase; 0 where that is no match. */
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
