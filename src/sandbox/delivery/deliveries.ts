import type { DeliveriesQuery, Delivery } from "../control/control.ts";
import type { Ledger } from "../ledger.ts";
import type { Store } from "../store/store.ts";

/** The latest deliveries, each with its attempts, the latest first. */
export function deliveriesOf(_store: Store, _query: DeliveriesQuery): Delivery[] {
  return [];
}

/** Has a delivery sent again, or all that have ended; how many. Throws a Refusal 404. */
export function replay(_ledger: Ledger, _id: string | "all"): number {
  throw new Error("not built yet");
}
