/** Whether a verdict on a requirement or a claim decides less than another. */
export function isLess(verdict: string | undefined, other: string | undefined): boolean {
  const rank = (one: string | undefined) => ["partly", "passed"].indexOf(one ?? "");
  return rank(verdict) < rank(other);
}
