import type { Session } from "../check.ts";
import type { EnrolledCard, VerbParams } from "../driver.ts";
import type { Delivery, Exchange } from "../wire/exchange.ts";
import {
  drive,
  driveAndWait,
  hasVerbs,
  type IsComplete,
  readFeed,
  readSubscription,
  runScenarios,
  type Scenarios,
  type VerbOutcome,
} from "./act.ts";
import { isAnnounced, listAt } from "./find-deliveries.ts";

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
  const { result: card } = await enroll(session, network === undefined ? undefined : { network });
  await clearSca(session, card.subscriptionId);
  return card;
}

/**
 * Enrolls a card.
 *
 * @param wanted What the driver may ignore. Only the card's messages show its network.
 */
export async function enroll(
  session: Session,
  wanted?: VerbParams<"enroll">,
): Promise<SubscriptionStep<EnrolledCard>> {
  const step = await driveAndWait(
    session,
    "enroll",
    wanted,
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

/**
 * The deliveries since the first `since`, once those of a later enrollment have arrived: by then an
 * undue delivery would have arrived too.
 */
export async function deliveriesAfterNext(
  session: Session,
  since: number,
): Promise<readonly Delivery[]> {
  if (hasVerbs(session, "enroll")) await enroll(session);
  else if (hasVerbs(session, "settle")) await session.drive("settle", undefined);
  return (await session.deliveries()).slice(since);
}

/** A bulk feed that its network accepted or rejected. */
export interface FeedDecision<Result = unknown> extends VerbOutcome<Result> {
  readonly feedId: string;
  readonly newState: "active" | "failed";
  /** The submitted expected card count, if any. */
  readonly expectedCardCount: number | undefined;
  /** The API's response for it after the decision. */
  readonly resource: Exchange;
}

const COUNTS = [3, undefined] as const;

/** Accepts a feed with an expected card count and one without. */
export function accepted(
  session: Session,
): Promise<Scenarios<FeedDecision<{ subscriptionIds: readonly string[] }>>> {
  return session.share("scenario: bulk feeds are accepted", (own) => {
    return eachFeed(own, "active", (feedId, owes) =>
      driveAndWait(own, "acceptFeed", { feedId }, owes),
    );
  });
}

async function eachFeed<Result>(
  session: Session,
  newState: FeedDecision["newState"],
  decide: (feedId: string, owes: (result: unknown) => IsComplete) => Promise<VerbOutcome<Result>>,
): Promise<Scenarios<FeedDecision<Result>>> {
  const each = async (expectedCardCount: number | undefined): Promise<FeedDecision<Result>> => {
    const count = expectedCardCount === undefined ? {} : { expectedCardCount };
    const { feedId } = await drive(session, "submitFeed", count);
    const step = await decide(feedId, (result) => (deliveries) => {
      const ids = listAt(result, "subscriptionIds").map(String);
      return (
        isAnnounced(deliveries, "networkbulkfeed.statechanged", feedId) &&
        ids.every((id) => isAnnounced(deliveries, "cardsubscription.created", id))
      );
    });
    const resource = await readFeed(session, feedId);
    return { ...step, feedId, newState, expectedCardCount, resource };
  };
  return runScenarios(...COUNTS.map((count) => () => each(count)));
}
