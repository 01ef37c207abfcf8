const UNITS_MS: Record<string, number> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** A duration such as `3d`, `90m` or `1d12h`. */
export const DURATION = /^([0-9]{1,9}(ms|[smhd]))+$/;

/**
 * Parses a {@link DURATION}.
 *
 * @returns milliseconds
 * @throws {RangeError} if the text has another form
 */
export function durationMs(text: string): number {
  if (!DURATION.test(text)) throw new RangeError(`not a duration: ${text}`);
  let sum = 0;
  for (const [, count = "", unit = ""] of text.matchAll(/(\d{1,9})(ms|[smhd])/g)) {
    sum += Number(count) * (UNITS_MS[unit] ?? 0);
  }
  return sum;
}
