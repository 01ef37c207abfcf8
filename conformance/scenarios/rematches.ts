import type { Session } from "../check.ts";
import { Skip } from "../skip.ts";
import type { Delivery } from "../wire/exchange.ts";
import {
  allDeliveries,
  driveAndWait,
  runScenarios,
  type Scenarios,
  type VerbOutcome,
} from "./act.ts";
import { findEvents, findMatches, textAt } from "./find-deliveries.ts";
import { isListedOn, isSeen, isThere, itemsWithIds, type Listed, listedSoon } from "./listed.ts";
import { authorize, type PostedPurchase, post, purchaseInParts } from "./purchases.ts";

/** The skip reason of a retraction check. */
export const NO_MATCH = "no match of a posting was announced";

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

/** Rematches a purchase with several matches. Returns the matches that the target replaced. */
export function partsRematched(session: Session): Promise<readonly Rematch[]> {
  return session.share("scenario: a purchase in parts is matched again", async (own) => {
    const { purchase, postings, deliveries } = await purchaseInParts(own);
    const subjects = postings.flatMap((posting): RematchSubject[] => {
      const earlier = findMatches(deliveries, posting.bankTransactionId);
      const [match] = earlier.filter(({ json }) => {
        return retractionsOf(deliveries, textAt(json, "/matchId") ?? "").length === 0;
      });
      return match ? [{ order: "first", purchase: posting, match, earlier }] : [];
    });
    const [first] = subjects;
    if (!first || subjects.length < 2) throw new Skip("a purchase in parts has one match at most");
    const all = await rematch(own, purchase.transactionId, subjects);
    // A target may rematch only some of them.
    return all.filter(({ matches }) => isSeen(matches) && !isListedOn(matches));
  });
}

/** Rematches a purchase, and once more if it was matched again. */
export function rematched(session: Session): Promise<Scenarios<Rematch>> {
  return session.share("scenario: a purchase is matched again", async (own) => {
    const price = { amount: 307.09, merchant: "BRYGGERI NORDHAVN" };
    const purchase = await post(own, await authorize(own, price), price);
    const announced = findMatches(purchase.deliveries, purchase.bankTransactionId);
    const [match] = announced;
    if (!match) throw new Skip(NO_MATCH);
    const { transactionId } = purchase;
    const again = (subject: Pick<RematchSubject, "order" | "match" | "earlier">) =>
      rematch(own, transactionId, [{ purchase, ...subject }]);
    const first = await again({ order: "first", match, earlier: announced });
    const [{ live, fresh } = {}] = first;
    if (!live || !fresh) return { completed: first };
    const earlier = [...announced, ...fresh];
    const { completed, missing } = await runScenarios(
      async () => first,
      () => again({ order: "second", match: live, earlier }),
    );
    return { completed: completed.flat(), ...(missing && { missing }) };
  });
}

type RematchSubject = Pick<Rematch, "order" | "purchase" | "match" | "earlier">;

/** Rematches a purchase. Returns its matches, each with what replaced it. */
async function rematch(
  session: Session,
  transactionId: string,
  subjects: readonly RematchSubject[],
): Promise<readonly Rematch[]> {
  const ids = subjects.map(({ match }) => textAt(match.json, "/matchId") ?? "");
  const list = () => itemsWithIds(session, "GET /transaction-matches", ids);
  const before = await listedSoon(session, list, (lists) => lists.every(isThere));
  const step = await driveAndWait(session, "rematch", { transactionId }, () => (deliveries) => {
    return ids.every((id) => retractionsOf(deliveries, id).length > 0);
  });
  const after = await list();
  const deliveries = (await allDeliveries(session)).slice(step.since);
  return subjects.map((subject, at) => {
    const fresh = findMatches(deliveries, subject.purchase.bankTransactionId);
    const live = fresh.find(({ json }) => {
      const id = textAt(json, "/matchId");
      return id !== undefined && id !== ids[at] && retractionsOf(deliveries, id).length === 0;
    });
    const matches = { before: before[at], after: after[at] } as Listed;
    return { ...step, ...subject, deliveries, fresh, matches, ...(live && { live }) };
  });
}

function retractionsOf(deliveries: readonly Delivery[], matchId: string): Delivery[] {
  return findEvents(deliveries, "transaction.match.deleted", { "/matchId": matchId });
}
