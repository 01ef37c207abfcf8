import { memberOf } from "../../src/contract/pointer.ts";
import { bodyOf } from "../assert.ts";
import type { Session } from "../check.ts";
import type { EnrolledCard, VerbParams } from "../driver.ts";
import { Skip } from "../skip.ts";
import type { Delivery, Exchange } from "../wire/exchange.ts";
import {
  deliveriesSince,
  drive,
  driveAndWait,
  hasVerbs,
  readBankAccount,
  readSubscription,
  type VerbOutcome,
} from "./act.ts";
import { cleared, isUpdated } from "./enrollment.ts";
import { findEvents, isAnnounced, listAt, textAt } from "./find-deliveries.ts";

/** A link of four accounts that the notification completed. */
interface Linked extends VerbOutcome<unknown> {
  readonly bankLinkId: string;
  /** An enrolled card, and the credit account that shows its last 4 digits. */
  readonly card: EnrolledCard;
  readonly creditId: string;
  /** The API's responses for the card's subscription, before and after. */
  readonly before: Exchange;
  readonly after: Exchange;
  /** Two credit accounts of cards that were not enrolled. */
  readonly unknownIds: readonly [string, string];
  /** An account without a card. */
  readonly plainId: string;
  /** The API's response for the credit account. */
  readonly resource: Exchange;
}

/** Links the bank of an enrolled card. */
export function linked(session: Session): Promise<Linked> {
  return session.share("scenario: the bank of a card is linked", async (own) => {
    const { card, resource: before } = await cleared(own);
    const { bankLinkId } = await drive(own, "startLink", {
      accounts: [
        ...([{ type: "credit", last4: card.last4 }, { type: "credit" }] as const),
        ...([{ type: "credit" }, { type: "depository" }] as const),
      ],
    });
    const completion = { bankLinkId, by: "notification" } as const;
    const step = await driveAndWait(own, "completeLink", completion, () =>
      isWhole(bankLinkId, card),
    );
    const [creditId, one, other, plainId] = step.result.bankAccountIds;
    if (!creditId || !one || !other || !plainId) {
      throw new Skip("the driver's verb completeLink returned fewer bankAccountIds than accounts");
    }
    const after = await readSubscription(own, card.subscriptionId);
    const resource = await readBankAccount(own, creditId);
    const ids = { bankLinkId, creditId, unknownIds: [one, other] as const, plainId };
    return { ...step, ...ids, card, before, after, resource };
  });
}

/** Links a card to a bank account, for purchases that the bank posts. */
export function cardWithBank(session: Session): Promise<{ cardId: string; bankAccountId: string }> {
  return session.share("scenario: a card has its bank account", async (own) => {
    const { card, after, creditId: bankAccountId } = await linked(own);
    const { cardId } = card;
    const isLinked = memberOf(bodyOf(after), "bankAccountId") !== undefined;
    // BLK-04 reports a missing link. Link the card here for the other checks.
    if (!isLinked && hasVerbs(own, "linkCard"))
      await drive(own, "linkCard", { cardId, bankAccountId });
    return { cardId, bankAccountId };
  });
}

/** An account in a completion, and the delivery that contains it. */
export function accountIn(
  deliveries: readonly Delivery[],
  bankLinkId: string,
  bankAccountId: string,
): { delivery: Delivery; path: string; account: unknown } | undefined {
  for (const delivery of findEvents(deliveries, "banklink.completed", {
    "/bankLinkId": bankLinkId,
  })) {
    const accounts = listAt(delivery.json, "bankAccounts");
    const at = accounts.findIndex((account) => memberOf(account, "id") === bankAccountId);
    if (at >= 0) return { delivery, path: `/bankAccounts/${at}`, account: accounts[at] };
  }
  return undefined;
}

/** The card that the completion created, and its subscription. */
export interface CardFromLink {
  readonly subscriptionId: string;
  readonly cardId: string;
  readonly bankAccountId: string;
}

/**
 * Returns a card that the link completion created.
 *
 * @throws {Skip} if the completion created no card, which the interface allows
 */
export async function cardFromLink(session: Session): Promise<CardFromLink> {
  const { deliveries, bankLinkId, unknownIds } = await linked(session);
  const [bankAccountId] = unknownIds;
  const [card] = listAt(accountIn(deliveries, bankLinkId, bankAccountId)?.account, "cards");
  const [created] = findEvents(deliveries, "cardsubscription.created", {
    "/bankAccountId": bankAccountId,
  });
  const subscriptionId = textAt(created?.json, "/id") ?? textAt(card, "/subscriptionId");
  const cardId = textAt(created?.json, "/cardId") ?? textAt(card, "/id");
  if (subscriptionId === undefined || cardId === undefined) {
    throw new Skip("the completion of a bank link created no card of a credit account");
  }
  return { subscriptionId, cardId, bankAccountId };
}

/**
 * Links four more credit accounts, whose cards are of each network if the target can choose.
 * Returns the cards that the completion created, in order of the accounts.
 */
export function mintedCards(session: Session): Promise<readonly CardFromLink[]> {
  return session.share("scenario: a link creates cards of each network", async (own) => {
    const { a, b, c } = own.capabilities.networks;
    const accounts = [a, b, c, a].map((network) => ({ type: "credit", network }) as const);
    const { bankLinkId } = await drive(own, "startLink", { accounts });
    const completion = { bankLinkId, by: "notification" } as const;
    const { result, deliveries } = await driveAndWait(own, "completeLink", completion, () =>
      isWhole(bankLinkId),
    );
    return result.bankAccountIds.flatMap((bankAccountId) => {
      const created = createdFor(deliveries, bankAccountId);
      const subscriptionId = textAt(created?.json, "/id");
      const cardId = textAt(created?.json, "/cardId");
      if (subscriptionId === undefined || cardId === undefined) return [];
      return [{ subscriptionId, cardId, bankAccountId }];
    });
  });
}

function createdFor(deliveries: readonly Delivery[], bankAccountId: string): Delivery | undefined {
  return findEvents(deliveries, "cardsubscription.created", {
    "/bankAccountId": bankAccountId,
  })[0];
}

/** A link that the polling completed. */
interface PolledLink {
  readonly bankLinkId: string;
  /** The API's response with the list of links. */
  readonly resource: Exchange;
}

/** Completes two links by polling. Both wait for it at the same time. */
export function linksCompletedByPolling(session: Session): Promise<readonly PolledLink[]> {
  return session.share("scenario: the polling completes two bank links", async (own) => {
    const accounts = [{ type: "depository" }] as const;
    const { bankLinkId: one } = await drive(own, "startLink", { accounts });
    const { bankLinkId: other } = await drive(own, "startLink", { accounts });
    const since = (await own.deliveries()).length;
    const completion = { bankLinkId: other, by: "polling" } as const;
    const { retryAfterSeconds: seconds = MAX_WAIT_S } = await drive(
      own,
      "completeLink",
      completion,
    );
    await accountsOf(own, { bankLinkId: one, by: "polling" });
    if (hasVerbs(own, "advance")) await own.drive("advance", { seconds });
    // The other link's polling is due. `Driver` asks for a second call, which must not restart it.
    await drive(own, "completeLink", completion);
    await deliveriesSince(own, since, (all) => {
      return [one, other].every((bankLinkId) => isCompleted(bankLinkId)(all));
    });
    const resource = await own.call("GET /bank-links");
    return [one, other].map((bankLinkId) => ({ bankLinkId, resource }));
  });
}

/** The greatest time to wait for the polling of a target that does not say when it is due. */
export const MAX_WAIT_S = 60;

/**
 * Completes a link. If the polling is not due yet, advances the clock or waits, and calls the verb
 * again, as its documentation says.
 *
 * @returns Resolves to the link's bank accounts; none if it is not complete.
 */
export async function accountsOf(
  session: Session,
  completion: VerbParams<"completeLink">,
): Promise<readonly string[]> {
  const { bankLinkId } = completion;
  const result = await drive(session, "completeLink", completion);
  if (result.bankAccountIds.length > 0) return result.bankAccountIds;
  const seconds = result.retryAfterSeconds ?? MAX_WAIT_S;
  if (hasVerbs(session, "advance")) await session.drive("advance", { seconds });
  else await session.deliveries((all) => isWhole(bankLinkId)(all));
  return (await drive(session, "completeLink", completion)).bankAccountIds;
}

/**
 * Whether the completion and the subscription events that belong to it were delivered.
 *
 * @param card An enrolled card that the completion may link.
 */
export function isWhole(bankLinkId: string, card?: EnrolledCard) {
  return (deliveries: readonly Delivery[]) => {
    const [completed] = findEvents(deliveries, "banklink.completed", { "/bankLinkId": bankLinkId });
    const accounts = listAt(completed?.json, "bankAccounts");
    const ids = accounts.flatMap((account) => listAt(account, "cards").map(subscriptionOf));
    const isLinked = accounts.some((account) => listAt(account, "cardIds").includes(card?.cardId));
    return (
      completed !== undefined &&
      ids.every((id) => isAnnounced(deliveries, "cardsubscription.created", id)) &&
      (!card || !isLinked || isUpdated(card.subscriptionId)(deliveries))
    );
  };
}

function subscriptionOf(card: unknown): string {
  return textAt(card, "/subscriptionId") ?? "";
}

/** Whether the completion of a link was delivered. */
export function isCompleted(bankLinkId: string) {
  return (deliveries: readonly Delivery[]) =>
    findEvents(deliveries, "banklink.completed", { "/bankLinkId": bankLinkId }).length > 0;
}
