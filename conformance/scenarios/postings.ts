import type { Situation } from "../../generated/requirements.ts";
import { memberOf } from "../../src/contract/pointer.ts";
import type { Session } from "../check.ts";
import type { VerbParams, VerbResult } from "../driver.ts";
import { projectedMessages } from "../observe/feed.ts";
import { Skip } from "../skip.ts";
import type { Delivery, Exchange } from "../wire/exchange.ts";
import {
  deliveriesSince,
  driveAndWait,
  readBankAccount,
  runScenarios,
  type Scenarios,
  unlessRefused,
  type VerbOutcome,
} from "./act.ts";
import { connected, whileNotActive } from "./connections.ts";
import { activeCard, isUpdated } from "./enrollment.ts";
import { findEvents, isAnnounced, messageIdsOf, textAt } from "./find-deliveries.ts";
import { cardWithBank } from "./links.ts";
import { itemsWithId, listedSoon } from "./listed.ts";
import { read } from "./purchases.ts";
import { accountWithoutCard } from "./subscriptions.ts";

/** A bank-only movement. */
export interface Standalone extends VerbOutcome<VerbResult<"postAtBank">> {
  readonly bankAccountId: string;
  readonly bankTransactionId: string;
  readonly amount: number;
  /** The events of its transaction and its message, if they arrived. */
  readonly created?: Delivery;
  readonly message?: Delivery;
  readonly transactionId?: string;
  /** The API's response for the transaction, or for the bank account if there is none. */
  readonly resource: Exchange;
  /** The API's responses for the messages that the transaction links to. */
  readonly messages: readonly Exchange[];
}

/** A movement of an account with linked cards. */
export interface OfCards extends Standalone {
  /** The cards that may be its card: the oldest linked one, or more if that is open. */
  readonly cardIds: readonly string[];
  /** The situation that the API shows, if there is one. */
  readonly situation?: readonly Situation[];
}

/** A posting that is no booked debit. */
export interface SpecialPosting extends Standalone {
  readonly situation: Situation;
  /** The values that show what it is, by JSON pointer. */
  readonly values: Readonly<Record<string, unknown>>;
}

interface Special {
  readonly situation: Situation;
  readonly account: (session: Session) => Promise<string>;
  readonly posting: Omit<VerbParams<"postAtBank">, "bankAccountId">;
  /** The field that shows whether the target fulfilled the wish, with its value. */
  readonly shows: readonly [field: "transactionType" | "pending", value: unknown];
}

const CREDIT = { situation: "credit-posting", shows: ["transactionType", "credit"] } as const;

const ofCard = async (session: Session) => (await cardWithBank(session)).bankAccountId;

/** Two credits with a card: one pair of events does not show their order. */
const SPECIAL: readonly Special[] = [
  {
    ...{ ...CREDIT, account: ofCard },
    posting: { type: "credit", amount: 38.29, merchant: "TUCHHAUS REIMERS" },
  },
  {
    ...{ ...CREDIT, account: ofCard },
    posting: { type: "credit", amount: 92.57, merchant: "PRENSA LITORAL" },
  },
  {
    ...{ ...CREDIT, account: accountWithoutCard },
    posting: { type: "credit", amount: 77.13, merchant: "BAZAR ELMADAG" },
  },
  {
    ...{ situation: "pending-posting", account: accountWithoutCard, shows: ["pending", true] },
    posting: { pending: true, amount: 56.41, merchant: "PENSION ALMBLICK" },
  },
];

/** Posts credits and a pending debit. Skips those that the target posts as booked debits. */
export function specialPostings(session: Session): Promise<Scenarios<SpecialPosting>> {
  return session.share("scenario: credits and a pending debit are posted", (own) => {
    return runScenarios(...SPECIAL.map((special) => () => postSpecial(own, special)));
  });
}

async function postSpecial(session: Session, special: Special): Promise<SpecialPosting> {
  const { situation, account, posting, shows } = special;
  const [field, value] = shows;
  const bankAccountId = await account(session);
  const movement = await postStandalone(session, { bankAccountId, ...posting }, "an announcement");
  const { bankTransactionId, deliveries } = movement;
  const { items } = await listedSoon(
    session,
    () => itemsWithId(session, "GET /bank-transactions", bankTransactionId),
    (found) => found.items.length > 0 || !found.isWhole,
  );
  const sent = findEvents(deliveries, "banktransaction.created", { "/id": bankTransactionId });
  const views = [...items, ...sent.map(({ json }) => json)];
  if (!views.some((view) => memberOf(view, field) === value)) {
    throw new Skip(`the target posted nothing with ${field} ${value}`);
  }
  const values = {
    ...{ "/bankAccountId": bankAccountId, "/amount": posting.amount, "/currency": "EUR" },
    [`/${field}`]: value,
  };
  return { ...movement, situation, values };
}

/**
 * Posts a debit and a credit while the connection of an account with two cards is lost, and
 * recovers it.
 *
 * @returns The debit's movement.
 * @throws {Skip} if the target does not sync it after the recovery
 */
export function syncedAfterRecovery(session: Session): Promise<OfCards> {
  return session.share("scenario: a movement is synced after a recovery", async (own) => {
    const { thirdId: bankAccountId } = await connected(own);
    if (bankAccountId === undefined) throw new Skip("the link has no third account");
    const cards = [await activeCard(own), await activeCard(own)] as const;
    for (const { cardId, subscriptionId } of cards) {
      await driveAndWait(own, "linkCard", { cardId, bankAccountId }, () =>
        isUpdated(subscriptionId),
      );
    }
    const [debit, credit] = [
      { bankAccountId, amount: 84.07, merchant: "MOLKEREI STADLER" },
      { bankAccountId, amount: 12.69, merchant: "TRATTORIA PINETA", type: "credit" },
    ] as const;
    let isHeld = false;
    const since = await whileNotActive(own, "disconnect", bankAccountId, async () => {
      await unlessRefused(async () => {
        // The result may have no id before the recovery.
        await own.drive("postAtBank", debit);
        isHeld = true;
        await own.drive("postAtBank", credit);
      });
      return (await own.deliveries()).length;
    });
    if (!isHeld) throw new Skip("the target refuses postings while disconnected");
    const values = { "/bankAccountId": bankAccountId, "/amount": debit.amount };
    const syncedIn = (all: readonly Delivery[]) => {
      const [synced] = findEvents(all, "banktransaction.created", values);
      return textAt(synced?.json, "/id");
    };
    const deliveries = await deliveriesSince(own, since, (all) => {
      const id = syncedIn(all);
      return id !== undefined && eventsOf(all, id, debit.amount).created !== undefined;
    });
    const bankTransactionId = syncedIn(deliveries);
    if (bankTransactionId === undefined) {
      throw new Skip("the target synced no posting after the recovery of the connection");
    }
    const step = { result: { bankTransactionId }, deliveries, since };
    const movement = await movementOf(own, step, debit);
    return { ...movement, cardIds: [cards[0].cardId], situation: ["posted-while-lost"] };
  });
}

/**
 * Posts a movement without a purchase.
 *
 * @param owes Whether its transaction is owed, too: that of a credit is open.
 */
export async function postStandalone(
  session: Session,
  posting: VerbParams<"postAtBank">,
  owes: "a transaction" | "an announcement" = "a transaction",
): Promise<Standalone> {
  const step = await driveAndWait(
    session,
    "postAtBank",
    posting,
    ({ bankTransactionId }) =>
      (deliveries) => {
        const { created, message } = eventsOf(deliveries, bankTransactionId, posting.amount);
        const isWhole = created !== undefined && message !== undefined;
        const isSynced = isAnnounced(deliveries, "banktransaction.created", bankTransactionId);
        return isSynced && (isWhole || owes === "an announcement");
      },
  );
  return movementOf(session, step, posting);
}

async function movementOf(
  session: Session,
  step: VerbOutcome<VerbResult<"postAtBank">>,
  posting: Pick<Standalone, "bankAccountId" | "amount">,
): Promise<Standalone> {
  const { bankTransactionId } = step.result;
  const { created, message } = eventsOf(step.deliveries, bankTransactionId, posting.amount);
  const transactionId = textAt(created?.json, "/id");
  const views = transactionId
    ? await read(session, transactionId)
    : { resource: await readBankAccount(session, posting.bankAccountId), messages: [] };
  return {
    ...{ ...step, ...posting, bankTransactionId, ...views },
    ...(created && { created }),
    ...(message && { message }),
    ...(transactionId !== undefined && { transactionId }),
  };
}

/**
 * Finds the events of a movement's message and transaction by the bank transaction id. If none
 * matches, finds them by amount, so that events with a wrong id are found too.
 */
function eventsOf(deliveries: readonly Delivery[], bankTransactionId: string, amount: number) {
  const names = (message: unknown) =>
    textAt(message, "/bankData/bankTransactionId") === bankTransactionId;
  const messages = findEvents(deliveries, "transactionmessage.created");
  const message =
    messages.find(({ json }) => names(json)) ??
    findEvents(messages, "transactionmessage.created", { "/transactionAmount": amount })[0];
  const id = textAt(message?.json, "/id");
  const transactions = findEvents(deliveries, "transaction.created");
  const created =
    transactions.find(({ json }) => id !== undefined && messageIdsOf(json).includes(id)) ??
    transactions.find(({ json }) => projectedMessages(json)?.some(names)) ??
    findEvents(transactions, "transaction.created", { "/transactionSettledAmount": amount })[0];
  return { created, message };
}
