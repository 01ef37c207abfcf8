import type { Endpoint, EndpointParams } from "../control/control.ts";
import type { Ledger } from "../ledger.ts";
import type { Store } from "../store/store.ts";

/** Registers an endpoint: it gets what is announced from now on. */
export function addEndpoint(_ledger: Ledger, _params: EndpointParams): Endpoint {
  throw new Error("not built yet");
}

/** Removes an endpoint with what it was still to get. Throws a Refusal 404. */
export function removeEndpoint(_ledger: Ledger, _id: string): void {
  throw new Error("not built yet");
}

/** All endpoints, the first one first. */
export function endpointsOf(_store: Store): Endpoint[] {
  return [];
}
