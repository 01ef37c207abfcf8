import type { EventName } from "../../generated/events.ts";
import type { VerbResult } from "../driver.ts";
import type { Session } from "../run/session.ts";
import { driveAndWait, hasVerb, type IsComplete } from "./act.ts";
import { isForSecondSubscription, SECOND_PATH } from "./find-deliveries.ts";
import { authorize, isCleared, type PurchaseStep } from "./purchases.ts";

/** The events of the second URL's subscription. A purchase also sends updates. */
export const SUBSCRIBED_EVENTS: readonly EventName[] = [
  "transaction.created",
  "transactionmessage.created",
];

/** Makes and, if possible, clears a purchase while a second URL is subscribed to two events. */
export function subscribedToSomeEvents(
  session: Session,
): Promise<PurchaseStep<VerbResult<"authorize">>> {
  return session.share("scenario: two events are subscribed to", async (own) => {
    const url = `$TXFEED_RECEIVER${SECOND_PATH}`;
    await own.drive("subscribe", { url, events: SUBSCRIBED_EVENTS });
    const price = { amount: 11.07, merchant: "HERBORISTERIA PUIG" };
    const isAlsoComplete: IsComplete = (deliveries) =>
      SUBSCRIBED_EVENTS.every((name) =>
        deliveries.some((one) => isForSecondSubscription(one) && one.name === name),
      );
    const step = await authorize(own, price, { isAlsoComplete });
    const { transactionId } = step;
    const then = hasVerb(own, "clear")
      ? await driveAndWait(own, "clear", { transactionId }, ({ messageId }) => (deliveries) => {
          return isCleared(deliveries, transactionId, messageId);
        })
      : { deliveries: [] };
    if (hasVerb(own, "unsubscribe")) await own.drive("unsubscribe", { url });
    return { ...step, deliveries: [...step.deliveries, ...then.deliveries] };
  });
}

/** Uses the card once the subscription of the second URL has ended. */
export function unsubscribed(session: Session): Promise<PurchaseStep<VerbResult<"authorize">>> {
  return session.share("scenario: a subscription has ended", async (own) => {
    await subscribedToSomeEvents(own);
    await own.drive("settle", undefined);
    return authorize(own, { amount: 41.93, merchant: "CORDELERIE ROYALE" });
  });
}
