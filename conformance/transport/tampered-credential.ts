/** Ways to turn a credential into a similar invalid one (AUTH-04 to AUTH-06). */
const NEAR_MISSES: Readonly<Record<string, (value: string) => string>> = {
  /** Its last character is missing. */
  CUT: (value) => value.slice(0, -1),
  /** It has one extra character. */
  LONGER: (value) => `${value}x`,
  /** Its letters are in the other case. */
  SWAPPED: (value) =>
    [...value].map((c) => (c === c.toUpperCase() ? c.toLowerCase() : c.toUpperCase())).join(""),
};

/**
 * Returns the value of a variable such as `$TXFEED_CLIENT_SECRET_CUT`.
 *
 * @returns undefined if the variable is not a tampered credential, or if the change would leave the
 * value empty or unchanged.
 */
export function tamperedCredential(
  variable: string,
  known: (variable: string) => string | undefined,
): string | undefined {
  const end = variable.lastIndexOf("_");
  const miss = NEAR_MISSES[variable.slice(end + 1)];
  const value = known(variable.slice(0, end));
  const missed = value === undefined ? undefined : miss?.(value);
  return missed === "" || missed === value ? undefined : missed;
}
