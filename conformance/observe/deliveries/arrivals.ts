import type { Session } from "../../run/session.ts";
import { type ValidatedDelivery, validatedDelivery } from "../validation.ts";
import { historyOf } from "./history.ts";
import { isDeliveryAttempt } from "./typed-delivery.ts";

/**
 * Validates every delivery of the run. Call it only from checks that run at the end of a run and
 * require `deliveries`.
 */
export function validatedDeliveriesOf(session: Session): Promise<readonly ValidatedDelivery[]> {
  return session.share("arrivals", async (shared) => {
    const { deliveries } = await historyOf(shared);
    return deliveries
      .filter(isDeliveryAttempt)
      .map((delivery) => validatedDelivery(delivery, shared.capabilities));
  });
}
