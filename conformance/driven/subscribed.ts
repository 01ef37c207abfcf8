import type { EventName } from "../../generated/events.ts";
import type { VerbResult } from "../driver.ts";
import type { Session } from "../session.ts";
import { has } from "./act.ts";
import { authorize, type PurchaseStep } from "./purchases.ts";
import { isOfSecond, SECOND_PATH } from "./told.ts";

/** The event that a second URL is subscribed to. */
export const ONLY: EventName = "transactionmessage.created";

/** A card is used while a second URL is subscribed to one event alone. */
export function subscribedToOne(session: Session): Promise<PurchaseStep<VerbResult<"authorize">>> {
  return session.share("scenario: one event is subscribed to", async (own) => {
    const url = `$TXFEED_RECEIVER${SECOND_PATH}`;
    await own.drive("subscribe", { url, events: [ONLY] });
    const price = { amount: 11.07, merchant: "HERBORISTERIA PUIG" };
    const step = await authorize(own, price, (told) => told.some(isOfSecond));
    if (has(own, "unsubscribe")) await own.drive("unsubscribe", { url });
    return step;
  });
}
