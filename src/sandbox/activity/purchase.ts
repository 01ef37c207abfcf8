import { centsOf } from "../../model/money.ts";
import { badRequest } from "../refusal.ts";
import type { Cents, Resource } from "../store/resources.ts";
import type { UnitOfWork } from "../unit-of-work.ts";
import type { PurchaseParams, VerbResults } from "../verbs/params.ts";
import { cardForPurchase } from "./defaults.ts";
import { type Merchant, merchantFor } from "./merchants.ts";
import { localTime, type MessageParts, writeMessage } from "./message.ts";
import { cardDataArrivedFor } from "./rematch.ts";
import { createTransaction } from "./transaction.ts";

/** What a euro comes to: fixed, so that the same script gives the same amounts. */
const PER_EURO: Readonly<Record<string, number>> = {
  EUR: 1,
  USD: 1.09,
  GBP: 0.85,
  CHF: 0.95,
  SEK: 11.2,
  JPY: 162,
  KWD: 0.335,
};

/** A purchase as the card side knows it. */
export interface Purchase {
  readonly card: Resource<"cards">;
  readonly merchant: Merchant;
  readonly currency: string;
  readonly billingCurrency: string;
  readonly cents: Cents;
  readonly result: "APPROVED" | "DECLINED";
  /** YYYY-MM-DD */
  readonly day: string;
  /** Local time without zone. */
  readonly dateTime: string;
}

/** A card is used: its authorization is announced, then the pending transaction. */
export function purchase(work: UnitOfWork, params: PurchaseParams): VerbResults["purchase"] {
  const { amount = 42.5, currency = "EUR", billingCurrency = currency } = params;
  const { billingAmount = convertedAmount(amount, currency, billingCurrency) } = params;
  const cents = {
    transaction: centsOf(amount, currency),
    billing: centsOf(billingAmount, billingCurrency),
  };
  if (cents.transaction < 1 || cents.billing < 1) {
    throw badRequest("purchase: amount comes to less than the smallest unit of its currency");
  }
  return authorize(work, {
    card: cardForPurchase(work.store, params),
    merchant: merchantFor(params.merchant ?? {}, work.random.drawn),
    currency,
    billingCurrency,
    cents,
    result: params.result ?? "APPROVED",
    day: work.today(),
    dateTime: localTime(work.now()),
  });
}

/** Takes a purchase into the feed; newer card data has its bank account matched again (MAT-09). */
export function authorize(work: UnitOfWork, bought: Purchase): VerbResults["purchase"] {
  const { card, merchant, cents, result, day } = bought;
  const { id: cardId, accountId, subaccountId } = card;
  const { network } = card.internal;
  const transactionId = work.random.id();
  const fixed = {
    cardId,
    network,
    descriptor: merchant.descriptor,
    acceptor: {
      city: merchant.city,
      country: merchant.country,
      mcc: merchant.mcc,
      state: merchant.state,
    },
    transactionCurrency: bought.currency,
    cardholderBillingCurrency: bought.billingCurrency,
    transactionType: "DEBIT_01",
  };
  const owner = { transactionId, accountId, subaccountId, ...fixed };
  const message = writeMessage(work, owner, {
    messageType: "AUTH_REQU",
    result,
    cents,
    ...identification(work, bought),
    bankData: null,
    dateTime: bought.dateTime,
    day,
  });
  const internal = {
    authorized: cents,
    declined: result === "DECLINED",
    cleared: false,
    netted: false,
    messages: [message.note],
    taken: [],
  };
  const parts = {
    id: transactionId,
    accountId,
    subaccountId,
    parent: cardId,
    day,
    fixed,
    internal,
  };
  createTransaction(work, parts, { trigger: "authorization", message });
  if (result === "APPROVED") cardDataArrivedFor(work, cardId);
  return { transactionId, messageId: message.note.id };
}

/** What identifies a purchase. */
function identification(
  { random, settings }: UnitOfWork,
  { card, result }: Purchase,
): Pick<MessageParts, "approvalCode" | "traceId" | "transactionReference"> {
  const onNetworkC = card.internal.network === settings.networks.c;
  return {
    // MSG-06: real-time authorizations of NETWORK_C have none, and what is declined neither.
    approvalCode: onNetworkC || result === "DECLINED" ? null : random.digits(6),
    // MSG-05: leading zeros are significant, and the width varies.
    traceId: onNetworkC ? `000${random.digits(6 + random.below(6))}` : null,
    transactionReference: `ref${random.hex(14)}`,
  };
}

function convertedAmount(amount: number, from: string, to: string): number {
  if (from === to) return amount;
  const [one, other] = [PER_EURO[from], PER_EURO[to]];
  if (one !== undefined && other !== undefined) return (amount / one) * other;
  throw badRequest(`purchase: billingAmount is missing, as there is no rate from ${from} to ${to}`);
}
