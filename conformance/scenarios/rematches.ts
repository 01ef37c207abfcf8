import type { Session } from "../run/session.ts";
import { Skip } from "../run/skip.ts";
import type { Delivery } from "../wire/exchange.ts";
import {
  allDeliveries,
  driveAndWait,
  runScenarios,
  type Scenarios,
  type VerbOutcome,
} from "./act.ts";
import { findEvents, findMatches, textAt } from "./find-deliveries.ts";
import { itemsWithId, type Listed } from "./listed.ts";
import { authorize, type PostedPurchase, post } from "./purchases.ts";
import { NO_MATCH } from "./removals.ts";

/** A matched purchase after a forced re-match. */
export interface Rematch extends VerbOutcome<unknown> {
  readonly order: "first" | "second";
  readonly purchase: PostedPurchase;
  /** The announcement of the match before. */
  readonly match: Delivery;
  /** The announcements of all earlier matches. */
  readonly earlier: readonly Delivery[];
  /** The announcements of matches of its posting since. */
  readonly fresh: readonly Delivery[];
  /** The one of them that was not retracted. */
  readonly live?: Delivery;
  /** The match in its collection, before and after. */
  readonly matches: Listed;
}

/** Rematches a purchase, and once more if it was matched again. */
export function rematched(session: Session): Promise<Scenarios<Rematch>> {
  return session.share("scenario: a purchase is matched again", async (own) => {
    const price = { amount: 307.09, merchant: "BRYGGERI NORDHAVN" };
    const purchase = await post(own, await authorize(own, price), price);
    const announced = findMatches(purchase.deliveries, purchase.bankTransactionId);
    const [match] = announced;
    if (!match) throw new Skip(NO_MATCH);
    const first = await rematch(own, { order: "first", purchase, match, earlier: announced });
    const { live } = first;
    if (!live) return { completed: [first] };
    const earlier = [...announced, ...first.fresh];
    const { completed, missing } = await runScenarios(
      async () => first,
      () => rematch(own, { order: "second", purchase, match: live, earlier }),
    );
    return { completed, ...(missing && { missing }) };
  });
}

async function rematch(
  session: Session,
  subject: Pick<Rematch, "order" | "purchase" | "match" | "earlier">,
): Promise<Rematch> {
  const { transactionId, bankTransactionId } = subject.purchase;
  const matchId = textAt(subject.match.json, "/matchId") ?? "";
  const list = () => itemsWithId(session, "GET /transaction-matches", matchId);
  const before = await list();
  const step = await driveAndWait(session, "rematch", { transactionId }, () => (deliveries) => {
    return retractionsOf(deliveries, matchId).length > 0;
  });
  const after = await list();
  const deliveries = (await allDeliveries(session)).slice(step.since);
  const fresh = findMatches(deliveries, bankTransactionId);
  const live = fresh.find(({ json }) => {
    const id = textAt(json, "/matchId");
    return id !== undefined && id !== matchId && retractionsOf(deliveries, id).length === 0;
  });
  const found = { ...step, ...subject, deliveries, fresh, matches: { before, after } };
  return { ...found, ...(live && { live }) };
}

function retractionsOf(deliveries: readonly Delivery[], matchId: string): Delivery[] {
  return findEvents(deliveries, "transaction.match.deleted", { "/matchId": matchId });
}
