import type { EnrolledCard } from "../driver.ts";
import type { Session } from "../run/session.ts";
import type { Exchange } from "../wire/exchange.ts";
import { driveAndWait, type VerbOutcome } from "./act.ts";
import { isAnnounced } from "./find-deliveries.ts";
import { readSubscription } from "./read.ts";

/** A subscription after a verb. */
export interface SubscriptionStep<Result = unknown> extends VerbOutcome<Result> {
  /** The API's response for it after the verb. */
  readonly resource: Exchange;
}

/** Enrolls a cardholder's card. */
export function enrolled(session: Session): Promise<SubscriptionStep<EnrolledCard>> {
  return session.share("scenario: a card is enrolled", enroll);
}

/** Clears the SCA of the enrolled card. */
export function cleared(session: Session): Promise<SubscriptionStep & { card: EnrolledCard }> {
  return session.share("scenario: its SCA is cleared", async (own) => {
    const { result: card } = await enrolled(own);
    return { card, ...(await clearSca(own, card.subscriptionId)) };
  });
}

/** Ends the subscription of another card. */
export function deactivated(
  session: Session,
): Promise<SubscriptionStep & { card: EnrolledCard; before: Exchange }> {
  return session.share("scenario: a subscription ends", async (own) => {
    const { result: card } = await enroll(own);
    const { subscriptionId } = card;
    const { resource: before } = await clearSca(own, subscriptionId);
    const step = await driveAndWait(own, "deactivate", { subscriptionId }, () =>
      isUpdated(subscriptionId),
    );
    return { card, before, ...step, resource: await readSubscription(own, subscriptionId) };
  });
}

/** Enrolls and activates a new card. */
export async function activeCard(session: Session, network?: string): Promise<EnrolledCard> {
  const { result: card } = await enroll(session, network);
  await clearSca(session, card.subscriptionId);
  return card;
}

/**
 * Enrolls a cardholder's card.
 *
 * @param network A code that the driver may ignore: only the card's messages show its network.
 */
export async function enroll(
  session: Session,
  network?: string,
): Promise<SubscriptionStep<EnrolledCard>> {
  const step = await driveAndWait(
    session,
    "enroll",
    network === undefined ? undefined : { network },
    ({ subscriptionId }) =>
      (deliveries) => {
        return isAnnounced(deliveries, "cardsubscription.created", subscriptionId);
      },
  );
  return { ...step, resource: await readSubscription(session, step.result.subscriptionId) };
}

export async function clearSca(
  session: Session,
  subscriptionId: string,
): Promise<SubscriptionStep> {
  const step = await driveAndWait(session, "clearSca", { subscriptionId }, () =>
    isUpdated(subscriptionId),
  );
  return { ...step, resource: await readSubscription(session, subscriptionId) };
}

/** Whether an update of a subscription was delivered. */
export function isUpdated(subscriptionId: string) {
  return (deliveries: VerbOutcome<unknown>["deliveries"]) =>
    isAnnounced(deliveries, "cardsubscription.updated", subscriptionId);
}
