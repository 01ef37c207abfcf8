import { memberOf } from "../../src/contract/pointer.ts";
import { bodyOf } from "../assert.ts";
import type { Session } from "../check.ts";
import type { EnrolledCard } from "../driver.ts";
import { Skip } from "../skip.ts";
import type { Exchange } from "../wire/exchange.ts";
import {
  drive,
  driveAndWait,
  readSubscription,
  runScenarios,
  type Scenarios,
  type VerbOutcome,
} from "./act.ts";
import { activeCard, clearSca, enroll, isUpdated, type SubscriptionStep } from "./enrollment.ts";
import { findMatches, isAnnounced } from "./find-deliveries.ts";
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

/** Posts a movement while a card that was linked later is in reqSCA. */
export function syncedWithCardInReqSca(session: Session): Promise<PostingDuringSca> {
  return session.share("scenario: the bank posts while a linked card is in reqSCA", async (own) => {
    const { completed } = await linkedLater(own);
    const waiting = completed.find(({ resource }) => {
      return memberOf(bodyOf(resource), "state") === "reqSCA";
    });
    if (!waiting) throw new Skip("no card in reqSCA was linked to a bank account: see SUB-07");
    const { bankAccountId, card } = waiting;
    const posting = { bankAccountId, amount: 512.87, merchant: "SEILBAHN PATSCHERKOFEL" };
    const step = await driveAndWait(
      own,
      "postAtBank",
      posting,
      ({ bankTransactionId }) =>
        (deliveries) => {
          return isAnnounced(deliveries, "banktransaction.created", bankTransactionId);
        },
    );
    return { ...step, resource: await readSubscription(own, card.subscriptionId) };
  });
}

/** Posts the debit of a purchase with another card of the account. */
export function matchedInReqSca(session: Session): Promise<PostingDuringSca> {
  return session.share("scenario: a purchase is matched while in reqSCA", async (own) => {
    const { card, resource } = await upgraded(own);
    const { bankAccountId } = card;
    const { cardId } = await activeCard(own);
    await drive(own, "linkCard", { cardId, bankAccountId });
    const purchase = { amount: 583.91, merchant: "ZOO DE VINCENNES" };
    const { result } = await driveAndWait(
      own,
      "authorize",
      { cardId, ...purchase },
      () => () => true,
    );
    const { transactionId } = result;
    const posting = { bankAccountId, transactionId, ...purchase };
    const step = await driveAndWait(
      own,
      "postAtBank",
      posting,
      ({ bankTransactionId }) =>
        (deliveries) => {
          return findMatches(deliveries, bankTransactionId).length > 0;
        },
    );
    return { ...step, resource };
  });
}

/** Clears the upgraded card's SCA, after the scenarios that need it in reqSCA. */
export function upgradedAndCleared(session: Session): Promise<SubscriptionStep & Upgraded> {
  return session.share("scenario: an upgraded subscription is cleared", async (own) => {
    const upgrade = await upgraded(own);
    // Post while the card is still in reqSCA (SUB-08). Ignore errors: the SUB-08 checks report
    // them.
    if (own.capabilities.verbs.includes("postAtBank")) {
      await syncedInReqSca(own).catch(() => {});
      await matchedInReqSca(own).catch(() => {});
    }
    const step = await clearSca(own, upgrade.card.subscriptionId);
    return { ...upgrade, before: upgrade.resource, ...step };
  });
}

/** The first link's bank account without a linked card. */
export async function accountWithoutCard(session: Session): Promise<string> {
  return (await linked(session)).plainId;
}
