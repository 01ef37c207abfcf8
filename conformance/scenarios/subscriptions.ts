import type { Session } from "../check.ts";
import type { EnrolledCard } from "../driver.ts";
import type { Exchange } from "../wire/exchange.ts";
import {
  driveAndWait,
  readSubscription,
  runScenarios,
  type Scenarios,
  type VerbOutcome,
} from "./act.ts";
import { clearSca, enroll, isUpdated, type SubscriptionStep } from "./enrollment.ts";
import { isAnnounced } from "./find-deliveries.ts";
import { type CardFromLink, cardFromLink, cardWithBank, linked } from "./links.ts";

/** A card that a verb linked to a bank account. */
interface LinkedLater extends SubscriptionStep {
  readonly card: EnrolledCard;
  readonly bankAccountId: string;
  /** The API's response for its subscription before. */
  readonly before: Exchange;
}

/** Links a second card to the account of the first one, then a third card in reqSCA. */
export function linkedLater(session: Session): Promise<Scenarios<LinkedLater>> {
  return session.share("scenario: cards are linked later", async (own) => {
    const { bankAccountId } = await cardWithBank(own);
    const link = async (isActive: boolean): Promise<LinkedLater> => {
      const { result: card, resource } = await enroll(own);
      const before = isActive ? (await clearSca(own, card.subscriptionId)).resource : resource;
      const { cardId, subscriptionId } = card;
      const step = await driveAndWait(own, "linkCard", { cardId, bankAccountId }, () =>
        isUpdated(subscriptionId),
      );
      const after = await readSubscription(own, subscriptionId);
      return { ...step, card, bankAccountId, before, resource: after };
    };
    return runScenarios(
      () => link(true),
      () => link(false),
    );
  });
}

/** A bank-feed subscription that the enrollment of the real card number upgraded. */
interface Upgraded extends SubscriptionStep {
  readonly card: CardFromLink;
  /** The API's response before. */
  readonly before: Exchange;
}

export function upgraded(session: Session): Promise<Upgraded> {
  return session.share("scenario: a bank-feed subscription is upgraded", async (own) => {
    const card = await cardFromLink(own);
    const { subscriptionId } = card;
    const before = await readSubscription(own, subscriptionId);
    const step = await driveAndWait(own, "upgrade", { subscriptionId }, () =>
      isUpdated(subscriptionId),
    );
    return { ...step, card, before, resource: await readSubscription(own, subscriptionId) };
  });
}

/** A posting while a card of the account is in reqSCA. */
interface PostingDuringSca extends VerbOutcome<{ bankTransactionId: string }> {
  /** The API's response for the subscription in reqSCA. */
  readonly resource: Exchange;
}

/** Posts a movement without a purchase. */
export function syncedInReqSca(session: Session): Promise<PostingDuringSca> {
  return session.share("scenario: the bank posts while in reqSCA", async (own) => {
    const { card, resource } = await upgraded(own);
    const { bankAccountId } = card;
    const posting = { bankAccountId, amount: 409.33, merchant: "FERRY SKAGERRAK" };
    const step = await driveAndWait(
      own,
      "postAtBank",
      posting,
      ({ bankTransactionId }) =>
        (deliveries) => {
          return isAnnounced(deliveries, "banktransaction.created", bankTransactionId);
        },
    );
    return { ...step, resource };
  });
}

/** The first link's bank account without a linked card. */
export async function accountWithoutCard(session: Session): Promise<string> {
  return (await linked(session)).plainId;
}
