import type { Session } from "../run/session.ts";
import type { Delivery } from "../wire/exchange.ts";
import { deliveriesSince, drive } from "./act.ts";
import { isAnnounced } from "./find-deliveries.ts";
import { cardWithBank } from "./links.ts";

/** Resources that changed immediately after their creation, to check the order of events. */
export interface ImmediateChange {
  readonly ids: readonly string[];
  readonly deliveries: readonly Delivery[];
}

/** Two, because the order of a single pair of deliveries is inconclusive. */
const PURCHASES = [
  { amount: 13.03, merchant: "CAFE SPERL" },
  { amount: 17.89, merchant: "MUSEUM BOIJMANS" },
] as const;

/** Authorizes purchases and clears each immediately. */
export function clearedImmediately(session: Session): Promise<ImmediateChange> {
  return session.share("scenario: purchases are cleared at once", async (own) => {
    const { cardId } = await cardWithBank(own);
    return twice(own, "transaction", async (price) => {
      const { transactionId } = await drive(own, "authorize", { cardId, ...price });
      await drive(own, "clear", { transactionId });
      return transactionId;
    });
  });
}

/** Enrolls cards and clears the SCA of each immediately. */
export function activatedImmediately(session: Session): Promise<ImmediateChange> {
  return session.share("scenario: cards are active at once", (own) => {
    return twice(own, "cardsubscription", async () => {
      const { subscriptionId } = await drive(own, "enroll", undefined);
      await drive(own, "clearSca", { subscriptionId });
      return subscriptionId;
    });
  });
}

async function twice(
  session: Session,
  kind: "transaction" | "cardsubscription",
  make: (price: (typeof PURCHASES)[number]) => Promise<string>,
): Promise<ImmediateChange> {
  const ids: string[] = [];
  const deliveries: Delivery[] = [];
  for (const price of PURCHASES) {
    const since = (await session.deliveries()).length;
    const id = await make(price);
    ids.push(id);
    const isEnough = (deliveries: readonly Delivery[]) =>
      isAnnounced(deliveries, `${kind}.created`, id) &&
      isAnnounced(deliveries, `${kind}.updated`, id);
    deliveries.push(...(await deliveriesSince(session, since, isEnough)));
  }
  return { ids, deliveries };
}
