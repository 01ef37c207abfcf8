import type { components } from "../../../generated/types.ts";
import { linkTo } from "../../model/links.ts";
import { amountOf, type Cents } from "../../model/money.ts";
import { pick } from "../../model/pick.ts";
import type { MessageNote } from "../../model/settlement.ts";
import type { Resource } from "../resources.ts";
import type { UnitOfWork } from "../unit-of-work.ts";

type Schemas = components["schemas"];

/** A message with every field. */
type MessageBody = Required<Schemas["TransactionMessage"]>;

/** The fields that a settlement inherits from the authorization of its purchase (TXN-12). */
const IDENTIFICATION = ["approvalCode", "traceId", "transactionReference"] as const;
export type Identification = Pick<MessageBody, (typeof IDENTIFICATION)[number]>;

/** The fields that a message shares with its transaction. */
type MessageOwner = Pick<
  MessageBody,
  | ("accountId" | "subaccountId" | "cardId" | "network")
  | ("transactionCurrency" | "cardholderBillingCurrency")
>;

/** A new message. */
interface NewMessage extends Identification, Pick<MessageBody, "bankData" | "dateTime"> {
  /** Default: a new id. */
  readonly id?: string;
  readonly messageType: MessageNote["messageType"];
  readonly result: "APPROVED" | "DECLINED";
  readonly cents: Cents;
  /** YYYY-MM-DD: the day by which matching looks for the posting. */
  readonly day: string;
  /** See {@link MessageNote.legId}. Default: the message's own id. */
  readonly legId?: string | undefined;
  readonly superseded?: boolean;
}

/** A stored message, to be announced with the change of its transaction. */
export interface WrittenMessage {
  readonly body: MessageBody;
  /** The parts of the message that the transaction stores. */
  readonly note: MessageNote;
}

/** Stores a message of a transaction. */
export function writeMessage(
  work: UnitOfWork,
  transactionId: string,
  owner: MessageOwner,
  message: NewMessage,
): WrittenMessage {
  const { id = work.random.id("message"), cents, day, messageType, bankData } = message;
  const { accountId, subaccountId, transactionCurrency, cardholderBillingCurrency } = owner;
  const body = {
    id,
    _links: { self: linkTo("transaction-messages", id) },
    ...pick(owner, "accountId", "subaccountId", "cardId"),
    messageType,
    network: owner.network,
    ...pick(message, "result", "approvalCode", "transactionReference"),
    transactionAmount: amountOf(cents.transaction, transactionCurrency),
    transactionCurrency,
    cardholderBillingAmount: amountOf(cents.billing, cardholderBillingCurrency),
    cardholderBillingCurrency,
    ...pick(message, "dateTime", "bankData", "traceId"),
  };
  const kind = "transaction-messages" as const;
  work.insert({ kind, id, accountId, subaccountId, parent: transactionId, body, internal: {} });
  const { legId = id, superseded = false } = message;
  const bankTransactionId = bankData?.bankTransactionId ?? null;
  const note = { id, messageType, cents, day, bankTransactionId, legId, superseded };
  return { body, note };
}

/** Stores a further message of a purchase. It inherits from the authorization (TXN-12). */
export function writeFollowUp(
  work: UnitOfWork,
  { id, accountId, body, internal }: Resource<"transactions">,
  message: Omit<NewMessage, keyof Identification | "messageType" | "result">,
): WrittenMessage {
  const [first] = internal.messages;
  const authorization = work.store.find("transaction-messages", first?.id ?? "");
  return writeMessage(
    work,
    id,
    { ...body, accountId },
    {
      messageType: "FINL_ADVC",
      result: "APPROVED",
      ...pick(authorization.body as MessageBody, ...IDENTIFICATION),
      ...message,
    },
  );
}

/** MSG-07: a timestamp without milliseconds and zone, as messages have it. */
export function localTime(timestamp: string): string {
  return timestamp.slice(0, "2025-03-04T12:30:15".length);
}

/** MSG-08: the bank data of a message that was made from a bank transaction. */
export function bankDataOf(
  provider: string,
  bankTransactionId: string,
  category: readonly string[],
): Schemas["BankData"] {
  const [primary = "OTHER", detailed = primary] = category;
  return { provider, bankTransactionId, personalFinanceCategory: { primary, detailed } };
}
