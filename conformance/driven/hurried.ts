import type { Delivery } from "../deliveries/delivery.ts";
import type { Session } from "../session.ts";
import { drive, toldSince } from "./act.ts";
import { cardWithBank } from "./links.ts";
import { isTold } from "./told.ts";

/** What changed as soon as it was there: in which order it is told, shows. */
export interface Hurried {
  readonly ids: readonly string[];
  readonly told: readonly Delivery[];
}

/** Two: how one pair of deliveries arrives tells nothing. */
const PURCHASES = [
  { amount: 13.03, merchant: "CAFE SPERL" },
  { amount: 17.89, merchant: "MUSEUM BOIJMANS" },
] as const;

/** Purchases that the network clears at once. */
export function clearedAtOnce(session: Session): Promise<Hurried> {
  return session.share("scenario: purchases are cleared at once", async (own) => {
    const { cardId } = await cardWithBank(own);
    return twice(own, "transaction", async (price) => {
      const { transactionId } = await drive(own, "authorize", { cardId, ...price });
      await drive(own, "clear", { transactionId });
      return transactionId;
    });
  });
}

/** Cards whose SCA is cleared at once. */
export function activeAtOnce(session: Session): Promise<Hurried> {
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
): Promise<Hurried> {
  const ids: string[] = [];
  const told: Delivery[] = [];
  for (const price of PURCHASES) {
    const since = (await session.deliveries()).length;
    const id = await make(price);
    ids.push(id);
    const isEnough = (deliveries: readonly Delivery[]) =>
      isTold(deliveries, `${kind}.created`, id) && isTold(deliveries, `${kind}.updated`, id);
    told.push(...(await toldSince(session, since, isEnough)));
  }
  return { ids, told };
}
