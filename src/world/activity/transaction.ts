import * as z from "zod";
import type { components } from "../../../generated/types.ts";
import { linkTo } from "../../model/links.ts";
import { hasUnmatchedPart } from "../../model/matching/card-candidates.ts";
import { amountOf } from "../../model/money.ts";
import { pick } from "../../model/pick.ts";
import {
  holdAmountOf,
  settledOf,
  supersededIdsOf,
  type TransactionState,
} from "../../model/settlement.ts";
import {
  type CreationTrigger,
  TRANSACTION_TRANSITIONS,
  type UpdateTrigger,
} from "../../model/transaction.ts";
import { accountFor } from "../accounts.ts";
import { verbParams } from "../fields.ts";
import type { Resource } from "../resources.ts";
import type { Of } from "../schema.ts";
import { requireTransition } from "../state-machine.ts";
import type { Store } from "../store.ts";
import type { UnitOfWork } from "../unit-of-work.ts";
import { verb } from "../verbs/verb.ts";
import type { WrittenMessage } from "./message.ts";

type Body = components["schemas"]["Transaction"];
type Projected = components["schemas"]["ProjectedTransactionMessage"];

/** The fields of a transaction that never change. */
type FixedFields = Pick<
  Body,
  | ("cardId" | "network" | "descriptor" | "acceptor")
  | ("transactionCurrency" | "cardholderBillingCurrency" | "transactionType")
>;

/** The fields of a transaction that do not follow from its messages. */
type TransactionFields = FixedFields &
  Pick<Body, "id" | "subaccountId" | "status" | "createdAt" | "updatedAt">;

/** A stored transaction. */
export type Transaction = Resource<"transactions">;

/** The ids of a purchase and of the message that a verb added. */
export const TransactionResult = z.object({ transactionId: z.string(), messageId: z.string() });
export type TransactionResult = Of<typeof TransactionResult>;

/** A new transaction. */
interface NewTransaction {
  readonly id: string;
  readonly accountId: string;
  readonly subaccountId: string;
  readonly parent: string;
  /** The day of the purchase or of the movement, YYYY-MM-DD. */
  readonly day: string;
  readonly fixed: FixedFields;
  readonly internal: TransactionState;
}

/** A change of a transaction, with its message if it has one. */
interface TransactionChange<Trigger> {
  readonly trigger: Trigger;
  readonly message?: WrittenMessage;
}

/** Stores a transaction with its first message, and announces both. */
export function createTransaction(
  work: UnitOfWork,
  { fixed, ...parts }: NewTransaction,
  { trigger, message }: Required<TransactionChange<CreationTrigger>>,
): Transaction {
  const { id, subaccountId } = parts;
  const { to: status, sends } = requireTransition(TRANSACTION_TRANSITIONS, trigger, "new");
  const createdAt = work.now();
  const fields = { id, subaccountId, status, ...fixed, createdAt, updatedAt: createdAt };
  const body = bodyOf(work, parts, fields);
  const open = hasUnmatchedPart({ ...parts, body });
  const transaction = work.insert({ kind: "transactions" as const, ...parts, body, open });
  announceChange(work, transaction, sends, message);
  return transaction;
}

/** Stores and announces a change of a transaction. */
export function updateTransaction(
  work: UnitOfWork,
  transaction: Transaction,
  { trigger, message }: TransactionChange<UpdateTrigger>,
): void {
  const { body, internal, id } = transaction;
  const what = `transaction ${id}`;
  const { to, sends } = requireTransition(TRANSACTION_TRANSITIONS, trigger, body.status, what);
  if (message) internal.messages.push(message.note);
  Object.assign(body, { status: to, updatedAt: work.nowAfter(body.updatedAt) });
  rebuildBody(work, transaction);
  announceChange(work, transaction, sends, message);
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

/** Builds a transaction's body again from its state. */
function rebuildBody(work: UnitOfWork, transaction: Transaction): void {
  transaction.body = bodyOf(work, transaction, transaction.body);
  saveMatchedParts(work, transaction);
}

/** Stores which parts of a transaction have a match. The interface does not show them. */
export function saveMatchedParts(work: UnitOfWork, transaction: Transaction): void {
  transaction.open = hasUnmatchedPart(transaction);
  work.store.update(transaction);
}

/** Builds the snapshot of a transaction. */
function bodyOf(
  { store }: UnitOfWork,
  { id, accountId, internal }: Pick<Transaction, "id" | "accountId" | "internal">,
  fields: TransactionFields,
): Body {
  const { subaccountId, cardId, transactionCurrency, cardholderBillingCurrency } = fields;
  const [held, settled] = [holdAmountOf(id, internal), settledOf(internal)];
  const supersededMessageIds = supersededIdsOf(internal);
  return {
    ...pick(fields, "id", "subaccountId", "status", "cardId", "network", "descriptor", "acceptor"),
    ...pick(fields, "transactionCurrency", "cardholderBillingCurrency", "transactionType"),
    ...pick(fields, "createdAt", "updatedAt"),
    transactionHoldAmount: amountOf(held.transaction, transactionCurrency),
    transactionSettledAmount: amountOf(settled.transaction, transactionCurrency),
    cardholderBillingHoldAmount: amountOf(held.billing, cardholderBillingCurrency),
    cardholderBillingSettledAmount: amountOf(settled.billing, cardholderBillingCurrency),
    supersededMessageIds,
    _links: {
      self: linkTo("transactions", id),
      subaccount: linkTo("subaccounts", subaccountId),
      // TXN-03
      ...(cardId === null ? {} : { card: linkTo("cards", cardId) }),
      messages: internal.messages.map((message) => linkTo("transaction-messages", message.id)),
    },
    // TXN-10
    ...(store.hasProjection(accountId) && {
      _embedded: { messages: projectionOf(store, id, supersededMessageIds) },
    }),
  };
}

/** MSG-12, TXN-08 */
function projectionOf(store: Store, id: string, supersededIds: readonly string[]): Projected[] {
  return store.children("transaction-messages", id).map(({ body }) => {
    const { accountId, subaccountId, cardId, ...shown } = body as Required<typeof body>;
    return { ...shown, superseded: supersededIds.includes(body.id) };
  });
}

export const SwitchProjectionParams = verbParams({ on: z.boolean() }).describe(
  "Whether the transactions of an account contain their messages (TXN-10).",
);
export type SwitchProjectionParams = Of<typeof SwitchProjectionParams>;

/** Switches the projection of an account on or off. No event announces it. */
export const switchProjection = verb({
  name: "switch-projection",
  summary: "Switches the messages in transactions on or off",
  requirements: ["TXN-10"],
  params: SwitchProjectionParams,
  result: z.object({ accountId: z.string() }),
  example: { on: false },
  run(work, { accountId, on }) {
    const { store } = work;
    const account = accountFor(store, accountId);
    store.setProjection(account, on);
    for (const transaction of store.latest("transactions", account)) {
      rebuildBody(work, transaction);
    }
    return { accountId: account };
  },
});
