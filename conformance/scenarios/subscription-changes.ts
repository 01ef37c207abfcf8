import type { Situation } from "../../generated/requirements.ts";
import { bodyOf } from "../assert.ts";
import type { Session } from "../check.ts";
import { driverHint, Skip } from "../skip.ts";
import type { Delivery, Exchange } from "../wire/exchange.ts";
import {
  drive,
  driveAndWait,
  hasVerbs,
  readSubscription,
  runScenarios,
  type Scenarios,
  unlessRefused,
} from "./act.ts";
import { whileNotActive } from "./connections.ts";
import {
  accepted,
  activeCard,
  deactivated,
  deliveriesAfterNext,
  enroll,
  isUpdated,
} from "./enrollment.ts";
import { findEvents, textAt } from "./find-deliveries.ts";
import { type CardFromLink, mintedCards } from "./links.ts";

/** A change of a subscription. */
export interface SubscriptionChange {
  readonly id: string;
  readonly deliveries: readonly Delivery[];
  /** The API's responses for it before and after. */
  readonly before: Exchange;
  readonly resource: Exchange;
  readonly situations: readonly Situation[];
}

type Changing = "clearSca" | "deactivate" | "upgrade";

async function change(
  session: Session,
  verb: Changing,
  subscriptionId: string,
  ...situations: readonly Situation[]
): Promise<SubscriptionChange> {
  const before = await readSubscription(session, subscriptionId);
  const { deliveries } = await driveAndWait(session, verb, { subscriptionId }, () =>
    isUpdated(subscriptionId),
  );
  const resource = await readSubscription(session, subscriptionId);
  return { id: subscriptionId, deliveries, before, resource, situations };
}

async function link(
  session: Session,
  card: { readonly cardId: string; readonly subscriptionId: string },
  bankAccountId: string,
  ...situations: readonly Situation[]
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
  return { id, deliveries, before, resource: await readSubscription(session, id), situations };
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

/** Links the card of a subscription that has ended to a bank account. */
export function endedCardLinked(
  session: Session,
): Promise<SubscriptionChange & { bankAccountId: string }> {
  return session.share("scenario: a card is linked after its subscription's end", async (own) => {
    const { card } = await deactivated(own);
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

/** The upgrade of a second subscription, its activation and its end. */
export function upgradedAgain(
  session: Session,
): Promise<{ card: CardFromLink; upgrade: SubscriptionChange; clearance: SubscriptionChange }> {
  return session.share("scenario: another subscription is upgraded", async (own) => {
    const card = await minted(own, 0);
    const { subscriptionId: id } = card;
    const upgrade = await change(own, "upgrade", id, "second");
    return { card, upgrade, clearance: await change(own, "clearSca", id, "upgraded", "after-sca") };
  });
}

/** The upgrade of a subscription while the consent to its bank account has expired. */
export function upgradedWhileExpired(
  session: Session,
): Promise<SubscriptionChange & { card: CardFromLink }> {
  return session.share("scenario: a subscription is upgraded after an expiry", async (own) => {
    const card = await minted(own, 3);
    const { bankAccountId, subscriptionId } = card;
    return whileNotActive(own, "expireConsent", bankAccountId, async (isExpired) => {
      const situations = isExpired ? (["expired"] as const) : [];
      return { card, ...(await change(own, "upgrade", subscriptionId, ...situations)) };
    });
  });
}

/** The enrollment type that the API shows. */
function typesOf(subscription: Exchange): Situation[] {
  const type = textAt(bodyOf(subscription), "/enrollmentType");
  return TYPES.filter((one) => one === type);
}

const TYPES = ["cardholder-single", "network-bulk", "bank-feed"] as const;

function ofType(step: SubscriptionChange): SubscriptionChange {
  return { ...step, situations: typesOf(step.before) };
}

/** Ends subscriptions of each enrollment type that the driver can create. */
export function ended(session: Session): Promise<Scenarios<SubscriptionChange>> {
  return session.share("scenario: subscriptions of each type end", (own) => {
    const canLink = hasVerbs(own, "startLink", "completeLink");
    const single = async (): Promise<SubscriptionChange> => {
      const { card, ...step } = await deactivated(own);
      return { ...step, id: card.subscriptionId, situations: typesOf(step.before) };
    };
    const bulk = async () => {
      const { subscriptionId } = await cardFromFeed(own, 1);
      return ofType(await change(own, "deactivate", subscriptionId));
    };
    const bankFeed = async () => {
      const { subscriptionId } = await minted(own, 1);
      return ofType(await change(own, "deactivate", subscriptionId));
    };
    const afterUpgrade = async () => {
      const { card, upgrade } = await upgradedAgain(own);
      const [from] = typesOf(upgrade.before);
      const [to] = typesOf(upgrade.resource);
      const situations = from === to ? [] : (["upgraded"] as const);
      return change(own, "deactivate", card.subscriptionId, ...situations);
    };
    return runScenarios(
      single,
      bulk,
      ...(canLink ? [bankFeed] : []),
      ...(canLink && hasVerbs(own, "upgrade") ? [afterUpgrade] : []),
    );
  });
}

/** Activates, links and ends one card, as far as the driver can. */
export function changedThrice(session: Session): Promise<Scenarios<SubscriptionChange>> {
  return session.share("scenario: a subscription changes several times", async (own) => {
    const { result: card } = await enroll(own);
    const { subscriptionId: id } = card;
    const isLinkable = hasVerbs(own, "startLink", "completeLink", "linkCard");
    return runScenarios(
      () => change(own, "clearSca", id, "first"),
      ...(isLinkable
        ? [async () => link(own, card, (await minted(own, 2)).bankAccountId, "second")]
        : []),
      ...(hasVerbs(own, "deactivate") ? [() => change(own, "deactivate", id, "third")] : []),
    );
  });
}

/** A verb that was repeated in a state in which it may change nothing. */
export interface Repetition {
  readonly verb: "clearSca" | "linkCard" | "deactivate";
  readonly id: string;
  /** The API's responses before and after. */
  readonly before: Exchange;
  readonly resource: Exchange;
  /** All deliveries before the repetition, and those after it. */
  readonly earlier: readonly Delivery[];
  readonly deliveries: readonly Delivery[];
}

/** Repeats the verbs of a subscription, which the target may refuse. */
export function repeated(session: Session): Promise<Scenarios<Repetition>> {
  return session.share("scenario: verbs of a subscription are repeated", async (own) => {
    const card = await activeCard(own);
    const { cardId, subscriptionId } = card;
    const clear = () =>
      again(own, "clearSca", subscriptionId, () => drive(own, "clearSca", { subscriptionId }));
    const linkTwice = async () => {
      const { bankAccountId } = await minted(own, 2);
      await link(own, card, bankAccountId);
      return again(own, "linkCard", subscriptionId, () =>
        drive(own, "linkCard", { cardId, bankAccountId }),
      );
    };
    const endTwice = async () => {
      await change(own, "deactivate", subscriptionId);
      return again(own, "deactivate", subscriptionId, () =>
        drive(own, "deactivate", { subscriptionId }),
      );
    };
    const isLinkable = hasVerbs(own, "startLink", "completeLink", "linkCard");
    return runScenarios<Repetition>(
      clear,
      ...(isLinkable ? [linkTwice] : []),
      ...(hasVerbs(own, "deactivate") ? [endTwice] : []),
    );
  });
}

async function again(
  session: Session,
  verb: Repetition["verb"],
  id: string,
  repeat: () => Promise<unknown>,
): Promise<Repetition> {
  const before = await readSubscription(session, id);
  const earlier = await session.deliveries();
  await unlessRefused(repeat);
  const deliveries = await deliveriesAfterNext(session, earlier.length);
  const resource = await readSubscription(session, id);
  return { verb, id, before, resource, earlier, deliveries };
}
