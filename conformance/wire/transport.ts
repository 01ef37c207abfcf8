import type { Verb, VerbParams, VerbResult } from "../driver.ts";
import type { Delivery } from "./delivery.ts";
import type { Exchange, RecordedRequest, Variable } from "./exchange.ts";

/**
 * The interface between a run and its target: live and recorded, or replayed from evidence.
 * Requests and responses contain the variables of `SecretStore` in place of secrets.
 */
export interface Transport {
  /**
   * Sends a request once. Redirects are not followed.
   *
   * @param scope The check or shared data that sends it.
   * @param keepAs The variable that stores the token of the response.
   * @returns Resolves to the exchange, even without a response. Rejects with a `Skip` if the run
   * was aborted or the target stopped responding. Rejects with a TxfeedError if the target never
   * responded (`unreachable`) or no request can be sent (`usage`).
   */
  send(scope: string, request: RecordedRequest, keepAs?: Variable): Promise<Exchange>;
  /**
   * Returns the deliveries so far.
   *
   * @param isEnough If it returns false, waits for more deliveries, up to a timeout.
   */
  deliveries(
    scope: string,
    isEnough?: (deliveries: readonly Delivery[]) => boolean,
  ): Promise<readonly Delivery[]>;
  /** Calls a verb of the driver. Rejects with a `Skip` if the target refuses. */
  drive<V extends Verb>(scope: string, verb: V, params: VerbParams<V>): Promise<VerbResult<V>>;
}
