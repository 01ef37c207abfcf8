import type { DeliveryRequest } from "../request.ts";
import { unverified } from "../verification.ts";

/** Why a signature does not match; which of these it is can't be known. */
export const WRONG_SIGNATURE =
  "the signature does not match: another secret signed, or what is signed was changed";

/** Reads a header. Throws a TxfeedError `unverified` if it is missing or empty. */
export function requiredHeader({ headers }: DeliveryRequest, name: string): string {
  const value = headers.get(name);
  if (value) return value;
  throw unverified(`the header ${name} is ${value === null ? "missing" : "empty"}`);
}
