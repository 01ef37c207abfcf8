import type { Session } from "../run/session.ts";
import type { Delivery } from "../wire/exchange.ts";
import { driveAndWait, type VerbOutcome } from "./act.ts";
import { findEvents, findMatches, textAt } from "./find-deliveries.ts";
import { itemsWithId, type Listed } from "./listed.ts";
import { authorize, type PostedPurchase, post } from "./purchases.ts";

/** A matched purchase after a forced re-match. */
interface Rematch extends VerbOutcome<unknown> {
  readonly purchase: PostedPurchase;
  /** The announcement of its match, if there was one. */
  readonly match?: Delivery;
  /** The match in its collection, before and after. */
  readonly matches?: Listed;
}

export function rematched(session: Session): Promise<Rematch> {
  return session.share("scenario: a purchase is matched again", async (own) => {
    const price = { amount: 307.09, merchant: "BRYGGERI NORDHAVN" };
    const purchase = await post(own, await authorize(own, price), price);
    const { transactionId, bankTransactionId } = purchase;
    const [match] = findMatches(purchase.deliveries, bankTransactionId);
    const matchId = textAt(match?.json, "/matchId");
    const list = async () =>
      matchId && (await itemsWithId(own, "GET /transaction-matches", matchId));
    const before = await list();
    const step = await driveAndWait(own, "rematch", { transactionId }, () => (deliveries) => {
      return (
        findEvents(deliveries, "transaction.match.deleted", { "/matchId": matchId }).length > 0
      );
    });
    const after = await list();
    return {
      ...{ ...step, purchase },
      ...(match && { match }),
      ...(before && after && { matches: { before, after } }),
    };
  });
}
