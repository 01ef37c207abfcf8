import type { Situation } from "../../generated/requirements.ts";
import { memberOf } from "../../src/contract/pointer.ts";
import { bodyOf, type Message } from "../assert.ts";
import { projectedMessages } from "../observe/feed.ts";
import { situationsOf } from "../observe/situations.ts";
import type { Session } from "../run/session.ts";
import { Aborted, Skip } from "../run/skip.ts";
import { drive, hasVerb, runScenarios, type Scenarios } from "./act.ts";
import { activeCard } from "./cards.ts";
import { findEvents, messageIdsOf } from "./find-deliveries.ts";
import {
  authorize,
  clear,
  type LifeStep,
  type PostedPurchase,
  type PurchaseStep,
  post,
} from "./purchases.ts";
import { readSubscription } from "./read.ts";
import { bulkCardLinked } from "./subscription-changes.ts";

/** A purchase that is authorized, posted by the bank and cleared by its network. */
export interface Life {
  /** The network of its card, as its authorization shows it; undefined for another network. */
  readonly network?: Situation;
  /** The enrollment type of its card, as its subscription shows it. */
  readonly enrollment?: Situation;
  readonly cardId: string;
  readonly bankAccountId: string;
  readonly transactionId: string;
  readonly authorizationId: string;
  readonly first: PurchaseStep;
  readonly posting: PostedPurchase;
  readonly steps: readonly LifeStep[];
}

interface LifeCard {
  readonly subscriptionId: string;
  readonly cardId: string;
  readonly bankAccountId: string;
}

const NETWORKS = ["a", "b", "c"] as const;

const PURCHASES = {
  a: { amount: 71.23, merchant: "PANADERIA ALONDRA" },
  b: { amount: 163.57, merchant: "FJORD KAJAKK" },
  c: { amount: 338.41, merchant: "ATELIER BRUME" },
  bulk: { amount: 224.79, merchant: "PESCADERIA OLIVEIRA" },
} as const;

/**
 * Makes a purchase on each network, with cards that were enrolled before their bank was linked, and
 * one with a card of a bulk feed.
 */
export function lives(session: Session): Promise<Scenarios<Life>> {
  return session.share("scenario: a purchase on each network", async (own) => {
    const cards = await cardsWithBank(own);
    const { completed, missing } = await runScenarios(
      ...cards.map((card, i) => () => live(own, card, PURCHASES[NETWORKS[i] as "a"])),
    );
    const canLink = hasVerb(own, "linkCard");
    const ofFeed = await ifPossible(async () => {
      if (!canLink) throw new Skip("the driver can't link a card of a bulk feed");
      const { id: subscriptionId, bankAccountId, resource } = await bulkCardLinked(own);
      const cardId = `${memberOf(bodyOf(resource), "cardId")}`;
      return live(own, { subscriptionId, cardId, bankAccountId }, PURCHASES.bulk);
    });
    return { completed: [...completed, ...ofFeed], ...(missing && { missing }) };
  });
}

/** A card of each network, each linked to a bank account of its own. */
export function cardsWithBank(session: Session): Promise<readonly LifeCard[]> {
  return session.share("scenario: cards of each network have their banks", async (own) => {
    const { networks } = own.capabilities;
    const cards: Awaited<ReturnType<typeof activeCard>>[] = [];
    for (const key of NETWORKS) cards.push(await activeCard(own, networks[key]));
    const accounts = cards.map(({ last4 }) => ({ type: "credit" as const, last4 }));
    const { bankLinkId } = await drive(own, "startLink", { accounts });
    const { bankAccountIds } = await drive(own, "completeLink", {
      ...{ bankLinkId, by: "notification" },
    });
    return cards.map(({ subscriptionId, cardId }, i) => {
      const bankAccountId = bankAccountIds[i];
      if (bankAccountId === undefined) throw new Skip(TOO_FEW);
      return { subscriptionId, cardId, bankAccountId };
    });
  });
}

const TOO_FEW = "the driver's verb completeLink returned fewer bankAccountIds than accounts";

async function live(
  session: Session,
  { subscriptionId, ...card }: LifeCard,
  price: { readonly amount: number; readonly merchant: string },
): Promise<Life> {
  const subscription = await readSubscription(session, subscriptionId);
  const authorized = await authorize(session, price, { card });
  const posted = await post(session, authorized, price);
  const cleared = await clear(session, posted);
  const { networks } = session.capabilities;
  const [authorization] = authorized.messages;
  const shown = situationsOf(authorization && bodyOf(authorization), networks);
  const network = shown.find((one) => one.startsWith("network-"));
  const [enrollment] = situationsOf(bodyOf(subscription), networks);
  return {
    ...card,
    ...(network && { network }),
    ...(enrollment && { enrollment }),
    transactionId: authorized.transactionId,
    authorizationId: authorized.authorizationId,
    first: authorized,
    posting: posted,
    steps: purchaseSteps(authorized, posted, cleared),
  };
}

/** The steps of a purchase that is authorized, posted and perhaps cleared. */
export function purchaseSteps(
  authorized: PurchaseStep,
  posted?: PostedPurchase,
  cleared?: PurchaseStep<{ readonly messageId: string }>,
): LifeStep[] {
  const step = (
    verb: LifeStep["verb"],
    { deliveries, resource, messages }: PurchaseStep,
    id: Pick<LifeStep, "messageId" | "bankTransactionId">,
  ): LifeStep => ({ verb, ...id, deliveries, resource, messages });
  return [
    step("authorize", authorized, { messageId: authorized.authorizationId }),
    ...(posted
      ? [step("postAtBank", posted, { bankTransactionId: posted.bankTransactionId })]
      : []),
    ...(cleared ? [step("clear", cleared, { messageId: cleared.result.messageId })] : []),
  ];
}

/** A message as an event, a response or a projection shows it. */
export interface MessageView {
  readonly kind: "event" | "get" | "projection";
  readonly body: unknown;
  readonly by: Message;
  /** The message in the body, as a JSON pointer. */
  readonly at: string;
}

/** Every view of the messages of a purchase. */
export function viewsOf({ steps, transactionId }: Life): MessageView[] {
  return steps.flatMap(({ deliveries, resource, messages }) => {
    const ids = new Set(messageIdsOf(bodyOf(resource)));
    const events = findEvents(deliveries, "transactionmessage.created").filter(({ json }) =>
      ids.has(`${memberOf(json, "id")}`),
    );
    const updates = findEvents(deliveries, "transaction.updated", { "/id": transactionId });
    return [
      ...events.map((by) => ({ kind: "event", body: by.json, by, at: "" }) as const),
      ...messages.map((by) => ({ kind: "get", body: bodyOf(by), by, at: "" }) as const),
      ...[resource, ...updates].flatMap((by) =>
        (projectedMessages(bodyOf(by)) ?? []).map((body, index) => {
          return { kind: "projection", body, by, at: `/_embedded/messages/${index}` } as const;
        }),
      ),
    ];
  });
}

/** The result of a scenario; nothing if the target refuses it. */
export async function ifPossible<T>(scenario: () => Promise<T>): Promise<T[]> {
  try {
    return [await scenario()];
  } catch (error) {
    if (error instanceof Skip && !(error instanceof Aborted)) return [];
    throw error;
  }
}
