import type { Ledger } from "../ledger.ts";
import type { Posting } from "../store/resources.ts";

/** Takes a movement at the bank into the feed. */
export function syncPosting(_ledger: Ledger, _bankAccountId: string, _posting: Posting): void {
  throw new Error("not built yet");
}
