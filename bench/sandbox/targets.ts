import type { Target } from "../report.ts";

/** A target that a figure has to reach. */
export function atLeast(
  what: string,
  limit: number,
  measured: number,
  text: (value: number) => string,
): Target {
  return { what, asked: `≥ ${text(limit)}`, measured: text(measured), isMet: measured >= limit };
}
