import { type ValidatedDelivery, validatedDelivery } from "../feed/validation.ts";
import type { Session } from "../session.ts";
import { historyOf } from "./history.ts";
import { isDeliveryAttempt } from "./typed-delivery.ts";

/**
 * Every delivery of the run, with what the contract says of it. Only what compares at the end of a
 * run may ask: it has to need `deliveries`.
 */
export function validatedDeliveriesOf(session: Session): Promise<readonly ValidatedDelivery[]> {
  return session.share("arrivals", async (shared) => {
    const { deliveries } = await historyOf(shared);
    return deliveries
      .filter(isDeliveryAttempt)
      .map((delivery) => validatedDelivery(delivery, shared.capabilities));
  });
}
