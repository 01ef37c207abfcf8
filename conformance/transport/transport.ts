import type { Delivery } from "../deliveries/delivery.ts";
import type { Verb, VerbParams, VerbResult } from "../driver.ts";
import type { Exchange, RecordedRequest } from "./exchange.ts";
import type { Variable } from "./secret-store.ts";

/**
 * All that a run sees of its target goes through here: live, where it is recorded, or replayed from
 * what was. Requests hold the variables of `Vault` in place of secrets, and so do answers.
 */
export interface Transport {
  /**
   * Sends a request once. A redirect is an answer like any other: it is not followed.
   *
   * @param scope What asks.
   * @param keepAs What the token of the answer is sent by later on.
   * @returns Resolves to the exchange, also where no answer came. Rejects with Unseen where the
   * run was broken off or the target is given up, and with a TxfeedError where nothing has answered
   * yet (`unreachable`), or no request can be sent (`usage`).
   */
  send(scope: string, request: RecordedRequest, keepAs?: Variable): Promise<Exchange>;
  /**
   * The deliveries so far.
   *
   * @param isEnough Waited for, within a limit, where they are not enough.
   */
  deliveries(
    scope: string,
    isEnough?: (deliveries: readonly Delivery[]) => boolean,
  ): Promise<readonly Delivery[]>;
  /** Drives the target. Rejects with Unseen where it refuses. */
  drive<V extends Verb>(scope: string, verb: V, params: VerbParams<V>): Promise<VerbResult<V>>;
}
