const DAY_MS = 24 * 3600 * 1000;

/** The date some days after another, or before it; YYYY-MM-DD. */
export function daysFrom(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00.000Z`) + days * DAY_MS).toISOString().slice(0, 10);
}
