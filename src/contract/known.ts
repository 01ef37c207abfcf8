import { type KnownValue, knownValues, type OpenSet } from "../../generated/known-values.ts";
import { type TxfeedError, UsageError } from "../errors.ts";
import { suggestion } from "../nearest.ts";

/**
 * Returns whether a value is one of the known values of an open set, to which the interface may add
 * more. The type narrows to the known values, so that a misspelt one does not compile.
 *
 * The known values of `NetworkCode` and `BankProvider`, such as `NETWORK_A`, are placeholders,
 * except `OPEN_BANKING`. Each deployment has its own codes, which this function does not know.
 *
 * @param set The name of the set, such as `TransactionStatus` or `TransactionMatch.confidence`.
 * @param value Any value of the set; null if the field may be null.
 * @param values The known values to test for; all of them if none are given.
 * @returns Whether the value is one of `values`.
 * @throws {TxfeedError} `usage` if there is no such set.
 *
 * @example
 * ```ts
 * if (isKnown("TransactionStatus", transaction.status, "SETTLED")) console.log("settled");
 * ```
 */
export function isKnown<Set extends OpenSet, Value extends KnownValue<Set> = KnownValue<Set>>(
  set: Set,
  value: string | null | undefined,
  ...values: readonly [] | readonly [Value, ...Value[]]
): value is Value {
  if (!Object.hasOwn(knownValues, set)) throw unknownSet(String(set));
  const known: readonly unknown[] = values.length > 0 ? values : knownValues[set];
  return known.includes(value);
}

function unknownSet(set: string): TxfeedError {
  const advice = suggestion(set, Object.keys(knownValues), "knownValues lists all");
  return new UsageError(`isKnown: there is no open set "${set}"; ${advice}`);
}
