import { type KnownValue, knownValues, type OpenSet } from "../../generated/known-values.ts";

/**
 * Tells whether a value is one that the contract shows of an open set, which may get more values.
 * The type narrows to the known values, so that a misspelt one does not compile.
 *
 * @param set The name of the set, such as `TransactionStatus` or `TransactionMatch.confidence`.
 * @param value A value of the set, known or not; null where the field may be null.
 * @param values Narrows to these of the known values.
 * @returns true if the value is one of `values`, or of all known values if none are given.
 *
 * @example
 * ```ts
 * if (isKnown("TransactionStatus", transaction.status, "SETTLED")) console.log("settled");
 * ```
 */
export function isKnown<Set extends OpenSet, Value extends KnownValue<Set> = KnownValue<Set>>(
  set: Set,
  value: string | null | undefined,
  ...values: readonly Value[]
): value is Value {
  const known: readonly unknown[] = values.length > 0 ? values : knownValues[set];
  return known.includes(value);
}
