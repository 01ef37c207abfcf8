import type { components } from "../../../generated/types.ts";
import { amountOf } from "../../model/money.ts";
import { linkTo } from "../links.ts";
import type { Cents, MessageNote, Resource } from "../store/resources.ts";
import type { UnitOfWork } from "../unit-of-work.ts";

type Body = Required<components["schemas"]["TransactionMessage"]>;

/** Whose message it is, and in which currencies. */
export interface MessageOwner {
  readonly transactionId: string;
  readonly accountId: string;
  readonly subaccountId: string;
  readonly cardId: string | null;
  readonly network: string;
  readonly transactionCurrency: string;
  readonly cardholderBillingCurrency: string;
}

/** What tells one message from another. */
export interface MessageParts {
  readonly id?: string;
  readonly messageType: MessageNote["messageType"];
  readonly result: "APPROVED" | "DECLINED";
  readonly cents: Cents;
  readonly approvalCode: string | null;
  readonly traceId: string | null;
  readonly transactionReference: string;
  /** null for a card-sourced message (MSG-08). */
  readonly bankData: Body["bankData"];
  /** YYYY-MM-DDTHH:MM:SS without zone (MSG-07). */
  readonly dateTime: string;
  /** YYYY-MM-DD, from which a posting for it is looked for. */
  readonly day: string;
  /** See {@link MessageNote.legId}; the message's own id unless set. */
  readonly legId?: string;
  readonly superseded?: boolean;
}

/** A message that was written, and is announced with what happens to its transaction. */
export interface WrittenMessage {
  readonly body: Body;
  /** What the transaction keeps of it. */
  readonly note: MessageNote;
}

/** Adds a message. */
export function writeMessage(
  work: UnitOfWork,
  owner: MessageOwner,
  parts: MessageParts,
): WrittenMessage {
  const { id = work.random.id(), messageType, result, cents, bankData } = parts;
  const { transactionId, accountId, subaccountId, cardId, network } = owner;
  const body: Body = {
    id,
    _links: { self: linkTo("transaction-messages", id) },
    accountId,
    subaccountId,
    cardId,
    messageType,
    network,
    result,
    approvalCode: parts.approvalCode,
    transactionReference: parts.transactionReference,
    transactionAmount: amountOf(cents.transaction, owner.transactionCurrency),
    transactionCurrency: owner.transactionCurrency,
    cardholderBillingAmount: amountOf(cents.billing, owner.cardholderBillingCurrency),
    cardholderBillingCurrency: owner.cardholderBillingCurrency,
    dateTime: parts.dateTime,
    bankData,
    traceId: parts.traceId,
  };
  const internal = {};
  const kind = "transaction-messages" as const;
  work.insert({ kind, id, accountId, subaccountId, parent: transactionId, body, internal });
  const bankTransactionId = bankData?.bankTransactionId ?? null;
  const { day, legId = id, superseded = false } = parts;
  const note = { id, messageType, cents, day, bankTransactionId, legId, superseded };
  return { body, note };
}

/** Whose message a further one of a transaction is. */
export function ownerOf({ id, accountId, body }: Resource<"transactions">): MessageOwner {
  const { subaccountId, cardId, network, transactionCurrency, cardholderBillingCurrency } = body;
  const currencies = { transactionCurrency, cardholderBillingCurrency };
  return { transactionId: id, accountId, subaccountId, cardId, network, ...currencies };
}

/** TXN-12: what a settlement takes over from the authorization that began the purchase. */
export function inheritedFrom(
  { store }: UnitOfWork,
  { internal }: Resource<"transactions">,
): Pick<MessageParts, "approvalCode" | "traceId" | "transactionReference"> {
  const [first] = internal.messages;
  const { body } = store.find("transaction-messages", first?.id ?? "");
  const { approvalCode, traceId, transactionReference } = body as Body;
  return { approvalCode, traceId, transactionReference };
}

/** MSG-07: a moment as messages tell it. */
export function localTime(timestamp: string): string {
  return timestamp.slice(0, "2025-03-04T12:30:15".length);
}
