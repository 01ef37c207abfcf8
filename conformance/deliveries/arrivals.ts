import { type Arrival, arrivalOf } from "../feed/answer.ts";
import type { Session } from "../session.ts";
import { historyOf } from "./history.ts";
import { isMeantAsDelivery } from "./told.ts";

/**
 * Every delivery of the run, with what the contract says of it. Only what compares at the end of a
 * run may ask: it has to need `deliveries`.
 */
export function arrivalsOf(session: Session): Promise<readonly Arrival[]> {
  return session.share("arrivals", async (shared) => {
    const { deliveries } = await historyOf(shared);
    return deliveries
      .filter(isMeantAsDelivery)
      .map((delivery) => arrivalOf(delivery, shared.means));
  });
}
