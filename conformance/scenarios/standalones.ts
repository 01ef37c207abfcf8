import type { Situation } from "../../generated/requirements.ts";
import { bodyOf } from "../assert.ts";
import type { Session } from "../check.ts";
import type { VerbParams, VerbResult } from "../driver.ts";
import { Skip, Unmet } from "../skip.ts";
import type { Delivery, Exchange } from "../wire/exchange.ts";
import {
  deliveriesSince,
  drive,
  driveAndAdvance,
  driveAndWait,
  hasVerbs,
  type IsComplete,
  readSubscription,
  readTransaction,
  type VerbOutcome,
} from "./act.ts";
import { activeCard, isUpdated } from "./enrollment.ts";
import { findMatches, isAnnounced, textAt } from "./find-deliveries.ts";
import { cardsWithBank, ifPossible, lives } from "./lifecycles.ts";
import { cardWithBank } from "./links.ts";
import { type OfCards, postStandalone, type Standalone } from "./postings.ts";
import { read } from "./purchases.ts";
import { accountWithoutCard, linkedLater } from "./subscriptions.ts";

const LATE_PURCHASE = { amount: 47.83, merchant: "LATERNA BOOKS" };

/** Posts a movement on an account with at least one card. */
export function standalone(session: Session): Promise<OfCards & { cardId: string }> {
  return session.share("scenario: a movement is standalone", async (own) => {
    const { cardId, bankAccountId } = await cardWithBank(own);
    // Link a second card, to verify that the oldest one is used (TXN-17).
    if (hasVerbs(own, "linkCard")) await linkedLater(own);
    const movement = await postStandalone(own, { bankAccountId, ...LATE_PURCHASE });
    return { ...movement, cardId, cardIds: [cardId] };
  });
}

/** Posts a movement on an account with a single card. */
export function ofOneCard(session: Session): Promise<OfCards> {
  return session.share("scenario: a movement of an account with one card", async (own) => {
    const [card] = await cardsWithBank(own);
    if (!card) throw new Skip("no card has a bank account");
    const { cardId, bankAccountId } = card;
    // Its characters take more bytes than one (WHK-01).
    const posting = { bankAccountId, amount: 18.47, merchant: "CAFÉ MÜNSTERPLÄTZLI" };
    return { ...(await postStandalone(own, posting)), cardIds: [cardId] };
  });
}

/**
 * Posts a movement on an account with two cards, the older one deactivated. Whether that one still
 * counts is open.
 */
export function ofDeactivatedCard(session: Session): Promise<OfCards> {
  return session.share(
    "scenario: a movement of an account with a deactivated card",
    async (own) => {
      // Other purchases with this card must come first.
      await ifPossible(() => lives(own));
      const older = (await cardsWithBank(own)).at(-1);
      if (!older) throw new Skip("no card has a bank account");
      const { bankAccountId, subscriptionId } = older;
      const { cardId } = await activeCard(own);
      await drive(own, "linkCard", { cardId, bankAccountId });
      await driveAndWait(own, "deactivate", { subscriptionId }, () => isUpdated(subscriptionId));
      const subscription = await readSubscription(own, subscriptionId);
      const isDeactivated = textAt(bodyOf(subscription), "/state") === "deactivated";
      const posting = { bankAccountId, amount: 29.63, merchant: "SCHUHHAUS LERCHE" };
      const movement = await postStandalone(own, posting);
      const situation: Situation[] = isDeactivated ? ["oldest-deactivated"] : [];
      return { ...movement, cardIds: [older.cardId, cardId], situation };
    },
  );
}

/**
 * Posts a movement on an account without a card.
 *
 * @param posting Default: one that is large enough to expose single-precision amounts.
 */
export function cardless(
  session: Session,
  posting: { readonly amount: number; readonly merchant?: string } = { amount: 234_123.45 },
): Promise<Standalone> {
  const name = `scenario: a movement of ${posting.amount} of an account without a card`;
  return session.share(name, async (own) => {
    return postStandalone(own, { bankAccountId: await accountWithoutCard(own), ...posting });
  });
}

/** A standalone transaction whose card data arrives late. */
export interface LateMatch extends VerbOutcome<VerbResult<"tellLate">> {
  readonly standalone: Standalone;
  /** The announcements of the movement's match; empty if there was none. */
  readonly matches: readonly Delivery[];
  /** The API's response for the standalone transaction, or for the bank account. */
  readonly resource: Exchange;
  /** The API's responses for the purchase of the card data. */
  readonly purchase: Awaited<ReturnType<typeof read>>;
}

/** Delivers late card data for the movement's purchase. */
export function lateMatch(session: Session): Promise<LateMatch> {
  return session.share("scenario: card data comes late", async (own) => {
    const { cardId, ...movement } = await standalone(own);
    return tellLate(own, movement, { cardId, ...LATE_PURCHASE });
  });
}

/** Delivers late card data that differs from the movement, so the confidence is open. */
export function uncertainLateMatch(session: Session): Promise<LateMatch> {
  return session.share("scenario: card data comes late and differs", async (own) => {
    const { cardId, bankAccountId } = await cardWithBank(own);
    const merchant = "TEATRO ARRIAGA";
    const standalone = await postStandalone(own, { bankAccountId, amount: 149.27, merchant });
    return tellLate(own, standalone, { cardId, amount: 124.4, merchant }, "an hour");
  });
}

/** The postings whose card data is to be matched with a given confidence. */
export const LATE_PRICES = {
  HIGH: { amount: 87.11, merchant: "RADIO TROTTOIR" },
  MEDIUM: { amount: 263.9, merchant: "KERAMIK FOERST" },
  LOW: { amount: 512.67, merchant: "MUSEO DEL ALBA" },
  NONE: { amount: 739.81, merchant: "SCHREINEREI KIEFER" },
} as const;

/**
 * Delivers late card data that is to be matched with a given confidence or not at all, if the
 * target can.
 */
export function lateMatchOf(
  session: Session,
  confidence: keyof typeof LATE_PRICES,
): Promise<LateMatch> {
  return session.share(`scenario: late card data is matched with ${confidence}`, async (own) => {
    const { cardId, bankAccountId } = await cardWithBank(own);
    const price = LATE_PRICES[confidence];
    const standalone = await postStandalone(own, { bankAccountId, ...price });
    const late = await tellLate(own, standalone, { cardId, ...price, confidence }, "an hour");
    const { confidence: promised = "NONE" } = late.result;
    if (promised === "NONE" || late.matches.length > 0) return late;
    throw new Unmet(`tellLate promised a match of confidence ${promised}, but none came`);
  });
}

/** Late card data, and when its match came. */
export interface Wait {
  readonly bankTransactionId: string;
  readonly resource: Exchange;
  /** The announcement of the match, if it came. */
  readonly match?: Delivery;
  /** The seconds by which the clock was advanced before and after the match appeared. */
  readonly after: number;
  readonly within: number;
}

/**
 * Delivers card data for two movements, the second one days after the first. By then, the retries
 * for the first one are sparse.
 */
export function lateTwice(session: Session): Promise<{ first: Wait; second: Wait }> {
  return session.share("scenario: newer card data comes days later", async (own) => {
    const { cardId, bankAccountId } = await cardWithBank(own);
    const [one, other] = APART;
    const first = await waitForMatch(own, { cardId, bankAccountId, ...one });
    await own.drive("advance", { seconds: DAYS_APART_S });
    return { first, second: await waitForMatch(own, { cardId, bankAccountId, ...other }) };
  });
}

const APART = [
  { amount: 98.17, merchant: "GLASHUETTE BAERENTAL" },
  { amount: 183.49, merchant: "CORRALES DE BUELNA" },
] as const;

const DAYS_APART_S = 365_000;

/** The clock's steps in seconds, 15 days in all: each is as long as all before. */
const WAIT_S = [5, ...Array.from({ length: 18 }, (_, at) => 5 * 2 ** at)];

async function waitForMatch(
  session: Session,
  { cardId, ...posting }: { cardId: string; bankAccountId: string } & (typeof APART)[number],
): Promise<Wait> {
  const { amount, merchant } = posting;
  const { bankTransactionId, resource } = await postStandalone(session, posting);
  const since = (await session.deliveries()).length;
  const late = { cardId, amount, merchant, bankTransactionId, confidence: "HIGH" } as const;
  await drive(session, "tellLate", late);
  let [after, within] = [0, 0];
  for (const seconds of [0, ...WAIT_S]) {
    if (seconds > 0) await session.drive("advance", { seconds });
    within += seconds;
    const deliveries = await deliveriesSince(session, since, () => true);
    const [match] = findMatches(deliveries, bankTransactionId);
    if (match) return { bankTransactionId, resource, match, after, within };
    after = within;
  }
  return { bankTransactionId, resource, after, within };
}

async function tellLate(
  session: Session,
  standalone: Standalone,
  late: Omit<VerbParams<"tellLate">, "bankTransactionId">,
  longest: "an hour" | "a month" = "a month",
): Promise<LateMatch> {
  const { bankTransactionId, transactionId } = standalone;
  const purchase = { ...late, bankTransactionId };
  const isMatched: IsComplete = (deliveries) =>
    findMatches(deliveries, bankTransactionId).length > 0;
  const step = await driveAndAdvance(session, "tellLate", purchase, () => isMatched, longest);
  const matches = findMatches(step.deliveries, bankTransactionId);
  const { transactionId: purchaseId } = step.result;
  if (transactionId === undefined) {
    const { resource } = standalone;
    return { ...step, standalone, matches, resource, purchase: await read(session, purchaseId) };
  }
  const then = await deliveriesSince(session, step.since, (deliveries) => {
    return matches.length === 0 || isAnnounced(deliveries, "transaction.updated", transactionId);
  });
  const resource = await readTransaction(session, transactionId);
  const views = await read(session, purchaseId);
  return { ...step, deliveries: then, standalone, matches, resource, purchase: views };
}
