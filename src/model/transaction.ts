import type { components } from "../../generated/types.ts";
import { linkTo } from "./links.ts";
import { amountOf } from "./money.ts";
import { pick } from "./pick.ts";
import { holdAmountOf, settledOf, supersededIdsOf, type TransactionState } from "./settlement.ts";
import { type Transition, transitions } from "./state-machine.ts";

type Body = components["schemas"]["Transaction"];
type Projected = components["schemas"]["ProjectedTransactionMessage"];

/** The network of bank-only transactions (TXN-16). */
export const OPEN_BANKING = "OPEN_BANKING";

type TransactionStatus = "PENDING" | "SETTLED";

/** A trigger that creates a transaction. */
export type CreationTrigger = "authorization" | "movement";
/** A trigger that updates a transaction. */
export type UpdateTrigger = "bank-settlement" | "network-clearing" | "netting" | "revision";

const MESSAGE = "transactionmessage.created";
const CREATED = "transaction.created";
const UPDATED = "transaction.updated";

/** The states of a transaction. No transition leads back to PENDING (TXN-20). */
export const TRANSACTION_TRANSITIONS = transitions([
  ["authorization", ["new"], "PENDING", [MESSAGE, CREATED], "WHK-05"],
  // A posting was matched with high confidence, possibly after the network has cleared.
  ["bank-settlement", ["PENDING", "SETTLED"], "SETTLED", [MESSAGE, UPDATED], "TXN-12"],
  // The network may clear before the bank posts.
  ["network-clearing", ["PENDING", "SETTLED"], "SETTLED", [MESSAGE, UPDATED], "TXN-13"],
  // A bank-only movement was synced.
  ["movement", ["new"], "SETTLED", [MESSAGE, CREATED], "TXN-15"],
  // A bank-only movement was matched later, or was deleted.
  ["netting", ["SETTLED"], "SETTLED", [UPDATED], "TXN-14"],
  // A match was retracted, so that the settled amounts change.
  ["revision", ["SETTLED"], "SETTLED", [UPDATED], "TXN-21"],
]) satisfies readonly Transition<TransactionStatus, CreationTrigger | UpdateTrigger>[];

/** The fields of a transaction that never change. */
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

/** The fields of a transaction that do not follow from its messages. */
export type TransactionFields = FixedFields &
  Pick<Body, "id" | "subaccountId" | "status" | "createdAt" | "updatedAt">;

/**
 * Builds the snapshot of a transaction.
 *
 * @param projection the messages for `_embedded`; undefined if the account's projection is off
 * (TXN-10)
 */
export function transactionBody(
  fields: TransactionFields,
  state: TransactionState,
  projection: readonly Projected[] | undefined,
): Body {
  const { id, subaccountId, cardId, transactionCurrency, cardholderBillingCurrency } = fields;
  const [held, settled] = [holdAmountOf(id, state), settledOf(state)];
  return {
    ...pick(fields, "id", "subaccountId", "status", "cardId", "network", "descriptor", "acceptor"),
    ...pick(fields, "transactionCurrency", "cardholderBillingCurrency", "transactionType"),
    ...pick(fields, "createdAt", "updatedAt"),
    transactionHoldAmount: amountOf(held.transaction, transactionCurrency),
    transactionSettledAmount: amountOf(settled.transaction, transactionCurrency),
    cardholderBillingHoldAmount: amountOf(held.billing, cardholderBillingCurrency),
    cardholderBillingSettledAmount: amountOf(settled.billing, cardholderBillingCurrency),
    supersededMessageIds: supersededIdsOf(state),
    _links: {
      self: linkTo("transactions", id),
      subaccount: linkTo("subaccounts", subaccountId),
      // TXN-03
      ...(cardId === null ? {} : { card: linkTo("cards", cardId) }),
      messages: state.messages.map((message) => linkTo("transaction-messages", message.id)),
    },
    ...(projection ? { _embedded: { messages: [...projection] } } : {}),
  };
}
