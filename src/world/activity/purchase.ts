import * as z from "zod";
import { type Merchant, merchantFor } from "../../model/merchants.ts";
import { type Cents, centsOf } from "../../model/money.ts";
import { pick } from "../../model/pick.ts";
import { purchaseState } from "../../model/settlement.ts";
import { Amount, CurrencyCode, FourDigits, Id, Text, verbParams } from "../fields.ts";
import { badRequest } from "../refusal.ts";
import type { Resource } from "../resources.ts";
import type { Of } from "../schema.ts";
import type { UnitOfWork } from "../unit-of-work.ts";
import { verb } from "../verbs/verb.ts";
import { cardForPurchase } from "./defaults.ts";
import { type Identification, localTime, writeMessage } from "./message.ts";
import { cardDataArrivedFor } from "./rematch.ts";
import { createTransaction, TransactionResult } from "./transaction.ts";

export const MerchantParams = z
  .strictObject({
    descriptor: Text.describe(
      "The descriptor of the card network, such as `CORNER CAFE 12`.",
    ).optional(),
    mcc: FourDigits.describe("The merchant category code: four digits.").optional(),
    city: Text.optional(),
    country: Text.optional(),
    state: Text.optional(),
  })
  .describe("The merchant of a purchase.");
export type MerchantParams = Of<typeof MerchantParams>;

export const PurchaseParams = verbParams({
  cardId: Id.describe("An active card with a network. Default: the latest one.").optional(),
  amount: Amount.describe("In major units, greater than 0. Default: 42.5.").optional(),
  currency: CurrencyCode.describe("Default: EUR.").optional(),
  billingAmount: Amount.describe(
    "The amount billed to the cardholder. Default: the amount, if the currencies are equal.",
  ).optional(),
  billingCurrency: CurrencyCode.optional(),
  merchant: MerchantParams.optional(),
  result: z.enum(["APPROVED", "DECLINED"]).describe("Default: APPROVED.").optional(),
}).describe("A purchase with a card.");
export type PurchaseParams = Of<typeof PurchaseParams>;

/** Exchange rates of the euro: fixed, so that the same script gives the same amounts. */
const PER_EURO: Readonly<Record<string, number>> = {
  EUR: 1,
  USD: 1.09,
  GBP: 0.85,
  CHF: 0.95,
  SEK: 11.2,
  JPY: 162,
  KWD: 0.335,
};

/** The card data of a purchase. */
interface Purchase {
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

/** Announces an authorization, then its pending transaction. */
export const purchase = verb({
  name: "purchase",
  summary: "Makes a purchase with a card",
  requirements: ["WHK-05", "MSG-04", "MSG-06"],
  params: PurchaseParams,
  result: TransactionResult,
  example: { amount: 12.5, merchant: { mcc: "5411" } },
  run(work, params) {
    const { amount = 42.5, currency = "EUR", billingCurrency = currency } = params;
    const { billingAmount = convertedAmount(amount, currency, billingCurrency) } = params;
    const cents = {
      transaction: centsOf(amount, currency),
      billing: centsOf(billingAmount, billingCurrency),
    };
    if (cents.transaction < 1 || cents.billing < 1) {
      throw badRequest("purchase: amount is less than the smallest unit of its currency");
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
  },
});

/** Stores an authorization, and schedules new matching passes for its bank account (MAT-09). */
export function authorize(work: UnitOfWork, bought: Purchase): TransactionResult {
  const { card, merchant, cents, result, day, dateTime } = bought;
  const { id: cardId, accountId, subaccountId } = card;
  const { network } = card.internal;
  const transactionId = work.random.id("transaction");
  const fixed = {
    ...{ cardId, network, descriptor: merchant.descriptor },
    acceptor: pick(merchant, "city", "country", "mcc", "state"),
    transactionCurrency: bought.currency,
    cardholderBillingCurrency: bought.billingCurrency,
    transactionType: "DEBIT_01",
  };
  const isDeclined = result === "DECLINED";
  const message = writeMessage(
    work,
    transactionId,
    { ...fixed, accountId, subaccountId },
    {
      messageType: "AUTH_REQU",
      result,
      cents,
      ...identification(work, network, isDeclined),
      bankData: null,
      dateTime,
      day,
    },
  );
  const internal = purchaseState(message.note, isDeclined);
  const place = { accountId, subaccountId, parent: cardId };
  const parts = { id: transactionId, ...place, day, fixed, internal };
  createTransaction(work, parts, { trigger: "authorization", message });
  if (!isDeclined) cardDataArrivedFor(work, cardId);
  return { transactionId, messageId: message.note.id };
}

function identification(
  { random, settings }: UnitOfWork,
  network: string,
  isDeclined: boolean,
): Identification {
  const isOnNetworkC = network === settings.networks.c;
  return {
    // MSG-06: real-time authorizations of NETWORK_C and declined ones have no approvalCode.
    approvalCode: isOnNetworkC || isDeclined ? null : random.digits(6),
    // MSG-04, MSG-05: leading zeros are significant, and the width varies.
    traceId: isOnNetworkC ? `000${random.digits(6 + random.below(6))}` : null,
    transactionReference: `ref${random.hex(14)}`,
  };
}

function convertedAmount(amount: number, from: string, to: string): number {
  if (from === to) return amount;
  const [one, other] = [PER_EURO[from], PER_EURO[to]];
  if (one !== undefined && other !== undefined) return (amount / one) * other;
  throw badRequest(
    `purchase: billingAmount is missing, and there is no rate from ${from} to ${to}`,
  );
}
