import type { components } from "../../generated/types.ts";
import { linkTo } from "./links.ts";
import { type Cents, type Currencies, moneyFields } from "./money.ts";
import { pick } from "./pick.ts";

type Schemas = components["schemas"];

/** A message with every field. */
export type MessageBody = Required<Schemas["TransactionMessage"]>;

/** The fields that a settlement inherits from the authorization of its purchase (TXN-12). */
export type Identification = Pick<MessageBody, "approvalCode" | "traceId" | "transactionReference">;

/** The fields that a message shares with its transaction. */
export type MessageOwner = Currencies &
  Pick<MessageBody, "accountId" | "subaccountId" | "cardId" | "network">;

/** The fields that distinguish one message of a transaction from another. */
export type MessageDetails = Identification &
  Pick<MessageBody, "id" | "bankData" | "dateTime"> & {
    readonly messageType: "AUTH_REQU" | "FINL_ADVC";
    readonly result: "APPROVED" | "DECLINED";
  };

/** Builds a message. */
export function messageBody(
  owner: MessageOwner,
  details: MessageDetails,
  cents: Cents,
): MessageBody {
  return {
    id: details.id,
    _links: { self: linkTo("transaction-messages", details.id) },
    ...pick(owner, "accountId", "subaccountId", "cardId"),
    messageType: details.messageType,
    network: owner.network,
    ...pick(details, "result", "approvalCode", "transactionReference"),
    ...moneyFields(cents, owner),
    ...pick(details, "dateTime", "bankData", "traceId"),
  };
}

/** MSG-12: a message as its transaction shows it. */
export function projectedMessage(
  body: MessageBody,
  superseded: boolean,
): Schemas["ProjectedTransactionMessage"] {
  const { accountId, subaccountId, cardId, ...shown } = body;
  return { ...shown, superseded };
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
