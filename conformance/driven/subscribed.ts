import type { EventName } from "../../generated/events.ts";
import type { VerbResult } from "../driver.ts";
import type { Session } from "../session.ts";
import { act, has } from "./act.ts";
import { authorize, isCleared, type PurchaseStep } from "./purchases.ts";
import { isOfSecond, SECOND_PATH } from "./told.ts";

/** What a second URL is subscribed to: of what a purchase sends, all but its updates. */
export const CHOSEN: readonly EventName[] = ["transaction.created", "transactionmessage.created"];

/** A card is used, and cleared where the driver can, while a second URL has chosen two events. */
export function subscribedToSome(session: Session): Promise<PurchaseStep<VerbResult<"authorize">>> {
  return session.share("scenario: two events are subscribed to", async (own) => {
    const url = `$TXFEED_RECEIVER${SECOND_PATH}`;
    await own.drive("subscribe", { url, events: CHOSEN });
    const price = { amount: 11.07, merchant: "HERBORISTERIA PUIG" };
    const step = await authorize(own, price, (told) => {
      return CHOSEN.every((name) => told.some((one) => isOfSecond(one) && one.name === name));
    });
    const { transactionId } = step;
    const then = has(own, "clear")
      ? await act(own, "clear", { transactionId }, ({ messageId }) => (told) => {
          return isCleared(told, transactionId, messageId);
        })
      : { told: [] };
    if (has(own, "unsubscribe")) await own.drive("unsubscribe", { url });
    return { ...step, told: [...step.told, ...then.told] };
  });
}
