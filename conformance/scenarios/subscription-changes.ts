import { bodyOf } from "../assert.ts";
import type { Session } from "../check.ts";
import { driverHint, Skip } from "../skip.ts";
import type { Delivery, Exchange } from "../wire/exchange.ts";
import { driveAndWait, hasVerbs, readSubscription } from "./act.ts";
import { accepted, enroll } from "./enrollment.ts";
import { findEvents, textAt } from "./find-deliveries.ts";
import { type CardFromLink, mintedCards } from "./links.ts";

/** A change of a subscription. */
export interface SubscriptionChange {
  readonly id: string;
  readonly deliveries: readonly Delivery[];
  /** The API's responses for it before and after. */
  readonly before: Exchange;
  readonly resource: Exchange;
}

async function link(
  session: Session,
  card: { readonly cardId: string; readonly subscriptionId: string },
  bankAccountId: string,
): Promise<SubscriptionChange> {
  const { cardId, subscriptionId: id } = card;
  const before = await readSubscription(session, id);
  // An earlier update may arrive late, or again.
  const values = { "/id": id, "/bankAccountId": bankAccountId };
  const { deliveries } = await driveAndWait(
    session,
    "linkCard",
    { cardId, bankAccountId },
    () => (all) => findEvents(all, "cardsubscription.updated", values).length > 0,
  );
  return { id, deliveries, before, resource: await readSubscription(session, id) };
}

/** A card of an accepted feed, by its subscription. */
interface CardFromFeed {
  readonly subscriptionId: string;
  readonly cardId: string;
}

/**
 * A card of an accepted feed or, without the verbs of feeds, one that the driver enrolls.
 *
 * @throws {Skip} if there is none
 */
async function cardFromFeed(session: Session, at: number): Promise<CardFromFeed> {
  if (!hasVerbs(session, "submitFeed", "acceptFeed")) {
    const { result, resource } = await enroll(session, { type: "network-bulk" });
    if (textAt(bodyOf(resource), "/enrollmentType") === "network-bulk") return result;
    const reason = "the driver's verb enroll can't enroll a card of type network-bulk";
    throw new Skip(reason, driverHint("submitFeed", "acceptFeed"));
  }
  const { completed } = await accepted(session);
  const subscriptionId = completed.flatMap(({ result }) => result.subscriptionIds)[at];
  if (subscriptionId === undefined) throw new Skip("a bulk feed created no such subscription");
  const cardId = textAt(bodyOf(await readSubscription(session, subscriptionId)), "/cardId");
  if (cardId === undefined) throw new Skip("the API does not show the card of a subscription");
  return { subscriptionId, cardId };
}

/** Links a card of a bulk feed to a bank account. */
export function bulkCardLinked(
  session: Session,
): Promise<SubscriptionChange & { bankAccountId: string }> {
  return session.share("scenario: a card of a feed is linked", async (own) => {
    const card = await cardFromFeed(own, 0);
    const { bankAccountId } = await minted(own, 2);
    return { ...(await link(own, card, bankAccountId)), bankAccountId };
  });
}

/** A card that the completion of a link created. Throws a Skip if there are fewer. */
async function minted(session: Session, at: number): Promise<CardFromLink> {
  const card = (await mintedCards(session))[at];
  if (card) return card;
  throw new Skip("the completion of a bank link created no such card");
}
