import type { Random } from "./random.ts";

const DAY_MS = 86_400_000;
const FIRST_DAY = Date.UTC(2025, 0, 6); // A Monday.

/** The date of a feed's n-th day. */
export function dayOf(index: number): string {
  return new Date(FIRST_DAY + index * DAY_MS).toISOString().slice(0, 10);
}

export function isWeekend(index: number): boolean {
  return ((index % 7) + 7) % 7 >= 5;
}

/** The usual delay of a merchant's acquirer, in working days. */
export function drawWait(random: Random): number {
  return random.weighted([
    [9, 0],
    [55, 1],
    [27, 2],
    [9, 3],
  ]);
}

/** The bank's booking days. */
interface BookingDays {
  readonly tellsPurchaseDay: boolean;
  readonly booksOnWeekends: boolean;
}

/** The day of a bank's debit for a merchant with a usual delay of `usual` days. */
export function postingDay(random: Random, day: number, usual: number, bank: BookingDays): number {
  // The bank's day ended after the terminal's, or one of their clocks was wrong.
  if (random.chance(0.012)) return day - 1;
  if (bank.tellsPurchaseDay && random.chance(0.92)) return day;
  const wait = random.weighted([
    [83, usual],
    [12, drawWait(random)],
    [3.6, random.int(4, 6)],
    [1.1, random.int(7, 10)],
    [0.3, random.int(11, 18)],
  ]);
  let at = day;
  for (let left = wait; left > 0; ) {
    at += 1;
    if (bank.booksOnWeekends || !isWeekend(at)) left -= 1;
  }
  while (!bank.booksOnWeekends && isWeekend(at)) at += 1;
  return at;
}
