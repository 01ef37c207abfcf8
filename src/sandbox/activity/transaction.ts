import type { components } from "../../../generated/types.ts";
import { amountOf } from "../../model/money.ts";
import { linkTo } from "../links.ts";
import { requireTransition } from "../state-machine.ts";
import type { Cents, MessageNote, Resource } from "../store/resources.ts";
import type { UnitOfWork } from "../unit-of-work.ts";
import { hasUnmatchedPart } from "./card-candidates.ts";
import type { WrittenMessage } from "./message.ts";
import { TRANSACTION_TRANSITIONS, type TransactionTrigger } from "./transaction-moves.ts";

type Body = components["schemas"]["Transaction"];
type Message = components["schemas"]["TransactionMessage"];
type Projected = components["schemas"]["ProjectedTransactionMessage"];

/** A transaction as it is stored. */
export type Transaction = Resource<"transactions">;

/** The network of bank-only transactions (TXN-16). */
export const OPEN_BANKING = "OPEN_BANKING";

/** What of a transaction never changes. */
export type FixedFields = Pick<
  Body,
  | "cardId"
  | "network"
  | "descriptor"
  | "acceptor"
  | "transactionCurrency"
  | "cardholderBillingCurrency"
  | "transactionType"
>;

/** What a transaction begins with. */
export interface NewTransaction {
  readonly id: string;
  readonly accountId: string;
  readonly subaccountId: string;
  readonly parent: string;
  /** Of the purchase, or of the movement. */
  readonly day: string;
  readonly fixed: FixedFields;
  readonly internal: Transaction["internal"];
}

/** What happens to a transaction, and the message that tells of it, if one does. */
export interface TransactionChange<Trigger extends TransactionTrigger> {
  readonly trigger: Trigger;
  readonly message?: WrittenMessage;
}

/** Adds a transaction with its first message, and announces both. */
export function createTransaction(
  work: UnitOfWork,
  parts: NewTransaction,
  { trigger, message }: Required<TransactionChange<"authorization" | "movement">>,
): Transaction {
  const { id, accountId, subaccountId, parent, day, fixed, internal } = parts;
  const { cardId } = fixed;
  const now = work.now();
  const move = requireTransition(TRANSACTION_TRANSITIONS, trigger, "new", "it");
  const draft = {
    id,
    subaccountId,
    status: move.to,
    ...fixed,
    createdAt: now,
    updatedAt: now,
    _links: {
      self: linkTo("transactions", id),
      subaccount: linkTo("subaccounts", subaccountId),
      // TXN-03
      ...(cardId === null ? {} : { card: linkTo("cards", cardId) }),
    },
  };
  const kind = "transactions" as const;
  const seed = { kind, id, accountId, subaccountId, parent, day, internal, body: draft as Body };
  const body = bodyOf(work, seed);
  const transaction = work.insert({ ...seed, body, open: hasUnmatchedPart({ ...seed, body }) });
  announceChange(work, transaction, move.sends, message);
  return transaction;
}

/** Writes what has happened to a transaction, and announces it. */
export function updateTransaction(
  work: UnitOfWork,
  transaction: Transaction,
  {
    trigger,
    message,
  }: TransactionChange<Exclude<TransactionTrigger, "authorization" | "movement">>,
): void {
  const { body, internal, id } = transaction;
  const move = requireTransition(
    TRANSACTION_TRANSITIONS,
    trigger,
    body.status,
    `transaction ${id}`,
  );
  if (message) internal.messages.push(message.note);
  Object.assign(body, { status: move.to, updatedAt: work.nowAfter(body.updatedAt) });
  rebuildBody(work, transaction);
  announceChange(work, transaction, move.sends, message);
}

function announceChange(
  work: UnitOfWork,
  { id: resource, accountId, body }: Transaction,
  sends: readonly ("transactionmessage.created" | "transaction.created" | "transaction.updated")[],
  message: WrittenMessage | undefined,
): void {
  const order = { accountId, resource };
  for (const name of sends) {
    if (name !== "transactionmessage.created") work.announce(name, order, body);
    else if (message) work.announce(name, order, message.body);
  }
}

/** Writes a transaction's body anew, from what is known of it. */
export function rebuildBody(work: UnitOfWork, transaction: Transaction): void {
  transaction.body = bodyOf(work, transaction);
  saveMatchedParts(work, transaction);
}

/** Writes which of a transaction's parts are taken, which the interface does not show. */
export function saveMatchedParts(work: UnitOfWork, transaction: Transaction): void {
  transaction.open = hasUnmatchedPart(transaction);
  work.store.update(transaction);
}

/** The messages that settle, superseded ones left out (TXN-09). */
export function activeSettlements({ messages }: Transaction["internal"]): MessageNote[] {
  return messages.filter(({ messageType, superseded }) => {
    return messageType === "FINL_ADVC" && !superseded;
  });
}

/** What was authorized; nothing of a bank-only movement. */
export function authorizedOf({ internal }: Pick<Transaction, "internal">): Cents {
  return internal.authorized ?? { transaction: 0, billing: 0 };
}

/** What messages sum up to. */
export function sumOf(notes: readonly MessageNote[]): Cents {
  return {
    transaction: notes.reduce((sum, { cents }) => sum + cents.transaction, 0),
    billing: notes.reduce((sum, { cents }) => sum + cents.billing, 0),
  };
}

/** What was settled, in minor units. TXN-14: nothing, where its movement is a card's. */
export function settledOf(internal: Transaction["internal"]): Cents {
  return sumOf(internal.netted ? [] : activeSettlements(internal));
}

/** What is still held: what was authorized and not settled, until the whole of it was. */
function heldOf({ id, internal }: Pick<Transaction, "id" | "internal">): Cents {
  const { authorized, declined, cleared } = internal;
  const isWhole = cleared || activeSettlements(internal).some(({ legId }) => legId === id);
  if (!authorized || declined || isWhole) return { transaction: 0, billing: 0 };
  const settled = settledOf(internal);
  return {
    transaction: Math.max(0, authorized.transaction - settled.transaction),
    billing: Math.max(0, authorized.billing - settled.billing),
  };
}

function bodyOf(
  work: UnitOfWork,
  parts: Pick<Transaction, "id" | "accountId" | "body" | "internal">,
) {
  const { id, accountId, body, internal } = parts;
  const { transactionCurrency, cardholderBillingCurrency } = body;
  const [held, settled] = [heldOf(parts), settledOf(internal)];
  const supersededIds = internal.messages
    .filter(({ superseded }) => superseded)
    .map((one) => one.id);
  const { _links, _embedded, ...fields } = body;
  return {
    ...fields,
    transactionHoldAmount: amountOf(held.transaction, transactionCurrency),
    transactionSettledAmount: amountOf(settled.transaction, transactionCurrency),
    cardholderBillingHoldAmount: amountOf(held.billing, cardholderBillingCurrency),
    cardholderBillingSettledAmount: amountOf(settled.billing, cardholderBillingCurrency),
    supersededMessageIds: supersededIds,
    _links: {
      ..._links,
      messages: internal.messages.map((note) => linkTo("transaction-messages", note.id)),
    },
    ...(hasProjection(work, accountId)
      ? { _embedded: { messages: projectionOf(work, id, supersededIds) } }
      : {}),
  } satisfies Body;
}

/** TXN-10: an account may have the projection switched off. */
function hasProjection({ store }: UnitOfWork, accountId: string): boolean {
  const row = store.sql("SELECT projection FROM accounts WHERE id = ?").get(accountId);
  return row?.["projection"] === 1;
}

/** MSG-12: the messages as they stand alone, and whether each is superseded (TXN-08). */
function projectionOf(
  { store }: UnitOfWork,
  transactionId: string,
  supersededIds: readonly string[],
): Projected[] {
  return store.children("transaction-messages", transactionId).map(({ body }) => {
    const { accountId, subaccountId, cardId, ...shown } = body as Required<Message>;
    return { ...shown, superseded: supersededIds.includes(body.id) };
  });
}
