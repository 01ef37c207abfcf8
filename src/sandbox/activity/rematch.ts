import type { Ledger } from "../ledger.ts";

/** MAT-09: newer card data has (re)started the schedule by which an account is matched again. */
export function cardDataArrived(_ledger: Ledger, _bankAccountId: string): void {
  throw new Error("not built yet");
}
