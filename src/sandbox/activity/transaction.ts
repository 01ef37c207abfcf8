import type { components } from "../../../generated/types.ts";
import type { Ledger } from "../ledger.ts";
import { linkTo } from "../links.ts";
import { transition } from "../machine.ts";
import { amountOf } from "../money.ts";
import type { Cents, MessageNote, Resource } from "../store/resources.ts";
import type { WrittenMessage } from "./message.ts";
import { isOpen } from "./sides.ts";
import { TRANSACTION_MOVES, type TransactionTrigger } from "./transaction-moves.ts";

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
  readonly hidden: Transaction["hidden"];
}

/** What happens to a transaction, and the message that tells of it, if one does. */
export interface Happening<Trigger extends TransactionTrigger> {
  readonly trigger: Trigger;
  readonly message?: WrittenMessage;
}

/** Adds a transaction with its first message, and announces both. */
export function createTransaction(
  ledger: Ledger,
  parts: NewTransaction,
  { trigger, message }: Required<Happening<"authorization" | "movement">>,
): Transaction {
  const { id, accountId, subaccountId, parent, day, fixed, hidden } = parts;
  const { cardId } = fixed;
  const now = ledger.now();
  const move = transition(TRANSACTION_MOVES, trigger, "new", "it");
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
  const seed = { kind, id, accountId, subaccountId, parent, day, hidden, body: draft as Body };
  const body = bodyOf(ledger, seed);
  const transaction = ledger.insert({ ...seed, body, open: isOpen({ ...seed, body }) });
  tell(ledger, transaction, move.sends, message);
  return transaction;
}

/** Writes what has happened to a transaction, and announces it. */
export function updateTransaction(
  ledger: Ledger,
  transaction: Transaction,
  { trigger, message }: Happening<Exclude<TransactionTrigger, "authorization" | "movement">>,
): void {
  const { body, hidden, id } = transaction;
  const move = transition(TRANSACTION_MOVES, trigger, body.status, `transaction ${id}`);
  if (message) hidden.messages.push(message.note);
  Object.assign(body, { status: move.to, updatedAt: ledger.nowAfter(body.updatedAt) });
  renderTransaction(ledger, transaction);
  tell(ledger, transaction, move.sends, message);
}

function tell(
  ledger: Ledger,
  { id: resource, accountId, body }: Transaction,
  sends: readonly ("transactionmessage.created" | "transaction.created" | "transaction.updated")[],
  message: WrittenMessage | undefined,
): void {
  const order = { accountId, resource };
  for (const name of sends) {
    if (name !== "transactionmessage.created") ledger.announce(name, order, body);
    else if (message) ledger.announce(name, order, message.body);
  }
}

/** Writes a transaction's body anew, from what is known of it. */
export function renderTransaction(ledger: Ledger, transaction: Transaction): void {
  transaction.body = bodyOf(ledger, transaction);
  keepTaken(ledger, transaction);
}

/** Writes which of a transaction's parts are taken, which the interface does not show. */
export function keepTaken(ledger: Ledger, transaction: Transaction): void {
  transaction.open = isOpen(transaction);
  ledger.store.update(transaction);
}

/** The messages that settle, superseded ones left out (TXN-09). */
export function settlementsInForce({ messages }: Transaction["hidden"]): MessageNote[] {
  return messages.filter(({ messageType, superseded }) => {
    return messageType === "FINL_ADVC" && !superseded;
  });
}

/** What was authorized; nothing of a bank-only movement. */
export function authorizedOf({ hidden }: Pick<Transaction, "hidden">): Cents {
  return hidden.authorized ?? { transaction: 0, billing: 0 };
}

/** What messages sum up to. */
export function sumOf(notes: readonly MessageNote[]): Cents {
  return {
    transaction: notes.reduce((sum, { cents }) => sum + cents.transaction, 0),
    billing: notes.reduce((sum, { cents }) => sum + cents.billing, 0),
  };
}

/** What was settled, in minor units. TXN-14: nothing, where its movement is a card's. */
export function settledOf(hidden: Transaction["hidden"]): Cents {
  return sumOf(hidden.netted ? [] : settlementsInForce(hidden));
}

/** What is still held: what was authorized and not settled, until the whole of it was. */
function heldOf({ id, hidden }: Pick<Transaction, "id" | "hidden">): Cents {
  const { authorized, declined, cleared } = hidden;
  const isWhole = cleared || settlementsInForce(hidden).some(({ legId }) => legId === id);
  if (!authorized || declined || isWhole) return { transaction: 0, billing: 0 };
  const settled = settledOf(hidden);
  return {
    transaction: Math.max(0, authorized.transaction - settled.transaction),
    billing: Math.max(0, authorized.billing - settled.billing),
  };
}

function bodyOf(ledger: Ledger, parts: Pick<Transaction, "id" | "accountId" | "body" | "hidden">) {
  const { id, accountId, body, hidden } = parts;
  const { transactionCurrency, cardholderBillingCurrency } = body;
  const [held, settled] = [heldOf(parts), settledOf(hidden)];
  const supersededIds = hidden.messages.filter(({ superseded }) => superseded).map((one) => one.id);
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
      messages: hidden.messages.map((note) => linkTo("transaction-messages", note.id)),
    },
    ...(hasProjection(ledger, accountId)
      ? { _embedded: { messages: projectionOf(ledger, id, supersededIds) } }
      : {}),
  } satisfies Body;
}

/** TXN-10: an account may have the projection switched off. */
function hasProjection({ store }: Ledger, accountId: string): boolean {
  const row = store.sql("SELECT projection FROM accounts WHERE id = ?").get(accountId);
  return row?.["projection"] === 1;
}

/** MSG-12: the messages as they stand alone, and whether each is superseded (TXN-08). */
function projectionOf(
  { store }: Ledger,
  transactionId: string,
  supersededIds: readonly string[],
): Projected[] {
  return store.children("transaction-messages", transactionId).map(({ body }) => {
    const { accountId, subaccountId, cardId, ...shown } = body as Required<Message>;
    return { ...shown, superseded: supersededIds.includes(body.id) };
  });
}
