import * as z from "zod";
import type { Posting } from "../../model/bank-transaction.ts";
import { merchantFor, merchantOf } from "../../model/merchants.ts";
import { amountOf, centsOf } from "../../model/money.ts";
import { accountFor } from "../accounts.ts";
import { Amount, CalendarDate, CurrencyCode, Id, Text, verbParams } from "../fields.ts";
import { bankAccountOfCard, linkedCard } from "../linked-cards.ts";
import { badRequest } from "../refusal.ts";
import type { Of } from "../schema.ts";
import type { Store } from "../store.ts";
import type { UnitOfWork } from "../unit-of-work.ts";
import { verb } from "../verbs/verb.ts";
import { accountToPostTo, cardForPurchase, movementToExplain } from "./defaults.ts";
import { daysFrom } from "./matching-pass.ts";
import { syncPosting } from "./posting.ts";
import { authorize, MerchantParams } from "./purchase.ts";
import { type Transaction, TransactionResult } from "./transaction.ts";

export const BankPostParams = verbParams({
  bankAccountId: Id.optional(),
  transactionId: Id.describe(
    "The purchase that the posting pays for. Its amount, date and texts are the defaults.",
  ).optional(),
  amount: Amount.describe("Greater than 0.").optional(),
  currency: CurrencyCode.optional(),
  description: Text.optional(),
  merchantName: Text.nullable().optional(),
  category: z
    .array(Text)
    .max(10)
    .describe("The primary and detailed personal-finance categories; empty if there are none.")
    .optional(),
  date: CalendarDate.describe("Default: today.").optional(),
  pending: z
    .boolean()
    .describe("A pending posting is not matched and creates no transaction. Default: false.")
    .optional(),
  transactionType: z.enum(["debit", "credit"]).describe("Default: debit.").optional(),
}).describe("A posting of the bank.");
export type BankPostParams = Of<typeof BankPostParams>;

export const LateCardDataParams = verbParams({
  bankTransactionId: Id.describe(
    "The bank's posting of the purchase. Default: the latest bank-only movement.",
  ).optional(),
  cardId: Id.optional(),
  amount: Amount.describe("Default: the amount of the movement.").optional(),
  merchant: MerchantParams.optional(),
  date: CalendarDate.describe(
    "The day of the purchase. Default: the day of the movement.",
  ).optional(),
  confidence: z
    .enum(["HIGH", "MEDIUM", "LOW", "NONE"])
    .describe("Selects other defaults, so that the match has this confidence. Default: HIGH.")
    .optional(),
}).describe("Card data that arrives after the bank has posted the purchase.");
export type LateCardDataParams = Of<typeof LateCardDataParams>;

/** The default posting if there is no open purchase. */
const DEFAULT_POSTING = {
  amount: 1250,
  description: "STANDING ORDER LIFFEY LETTINGS",
  merchantName: "Liffey Lettings",
  category: ["RENT_AND_UTILITIES", "RENT_AND_UTILITIES_RENT"],
};

/**
 * The bank posts a movement: for a purchase, or on its own. If the account is not connected, the
 * posting is synced when the connection recovers.
 */
export const bankPost = verb({
  name: "bank-post",
  summary: "Posts a bank transaction, for a purchase or without one",
  requirements: ["TXN-12", "TXN-15", "TXN-16", "TXN-17"],
  params: BankPostParams,
  result: z.object({
    bankTransactionId: z
      .string()
      .nullable()
      .describe("null if the bank is not connected: the posting is synced after the recovery."),
    matchId: z.string().nullable(),
    transactionId: z
      .string()
      .nullable()
      .describe("The matched purchase, or the bank-only transaction that was created."),
  }),
  example: { amount: 12.5, description: "CORNER CAFE 12" },
  run(work, params) {
    const { store } = work;
    const purchase = purchaseFor(store, params);
    const account = accountToPostTo(store, {
      ...params,
      bankAccountId:
        params.bankAccountId ?? (purchase && bankAccountOfCard(store, purchase.body.cardId)),
    });
    const posting = postingOf(work, params, { purchase, currency: account.internal.currency });
    if (account.internal.state !== "active") {
      account.internal.unsynced.push(posting);
      store.update(account);
      return { bankTransactionId: null, matchId: null, transactionId: null };
    }
    const { id, internal } = syncPosting(work, account.id, posting);
    const { matchId, standaloneId } = internal;
    const match = matchId === null ? undefined : store.find("transaction-matches", matchId);
    const transactionId = match?.internal.transactionId ?? standaloneId;
    return { bankTransactionId: id, matchId, transactionId };
  },
});

/**
 * The defaults of late card data that matches a movement with a confidence: the amount's share of
 * the movement's, the days before it, and a merchant that the bank does not name.
 */
const LATE_DEFAULTS = {
  HIGH: { share: 1, daysBefore: 0 },
  MEDIUM: { share: 0.96, daysBefore: 6 },
  LOW: { share: 0.8, daysBefore: 10 },
  NONE: { share: 0.4, daysBefore: 0, descriptor: "ZYX UNRELATED QUARRY" },
} as const;

/** Delivers the card data of a purchase that the bank has already posted. */
export const lateCardData = verb({
  name: "late-card-data",
  summary: "Sends card data after the bank posted the purchase",
  requirements: ["MAT-09", "TXN-14"],
  params: LateCardDataParams,
  result: TransactionResult,
  example: { confidence: "MEDIUM" },
  run(work, params) {
    const { store } = work;
    const movement = movementToExplain(store, params);
    const { posting } = movement.internal;
    const cardId = params.cardId ?? linkedCard(store, movement.parent);
    const { share, daysBefore, ...usual } = LATE_DEFAULTS[params.confidence ?? "HIGH"];
    const day = params.date ?? daysFrom(posting.day, -daysBefore);
    const descriptor = (posting.merchantName ?? posting.description).toUpperCase();
    const cents =
      params.amount === undefined
        ? Math.round(posting.cents * share)
        : centsOf(params.amount, posting.currency);
    if (cents < 1) throw badRequest("late-card-data: amount is less than the smallest unit");
    return authorize(work, {
      card: cardForPurchase(store, { ...params, cardId }),
      merchant: merchantFor({ descriptor, ...usual, ...params.merchant }, 0),
      currency: posting.currency,
      billingCurrency: posting.currency,
      cents: { transaction: cents, billing: cents },
      result: "APPROVED",
      day,
      dateTime: `${day}T12:00:00`,
    });
  },
});

/** The purchase that a posting is for: the given one, or the latest open one. */
function purchaseFor(store: Store, params: BankPostParams): Transaction | undefined {
  const { transactionId, bankAccountId, amount, description, accountId } = params;
  if (transactionId !== undefined) return store.find("transactions", transactionId);
  const hasDetails =
    amount !== undefined || description !== undefined || bankAccountId !== undefined;
  if (hasDetails || params.transactionType === "credit") return undefined;
  return store
    .latest("transactions", accountFor(store, accountId), 100)
    .find(({ open, body }) => open && bankAccountOfCard(store, body.cardId) !== undefined);
}

function postingOf(
  work: UnitOfWork,
  params: BankPostParams,
  { purchase, currency: usual }: { purchase: Transaction | undefined; currency: string },
): Posting {
  const own = purchase ? detailsOf(purchase) : { ...DEFAULT_POSTING, currency: usual };
  const { amount = own.amount, currency = own.currency } = params;
  const cents = centsOf(amount, currency);
  if (cents < 1) {
    throw badRequest("bank-post: amount is less than the smallest unit of its currency");
  }
  const { description = own.description } = params;
  // A given description without a merchant name belongs to no known merchant.
  const isOther = params.description !== undefined && params.merchantName === undefined;
  const { merchantName = isOther ? null : own.merchantName } = params;
  const { category = own.category, pending = false, transactionType = "debit" } = params;
  const day = params.date ?? work.today();
  return { day, cents, currency, description, merchantName, category, pending, transactionType };
}

function detailsOf({ internal, body }: Transaction) {
  const { name, description, category } = merchantOf(body.descriptor);
  const currency = body.cardholderBillingCurrency;
  const open = body.cardholderBillingHoldAmount || body.cardholderBillingSettledAmount;
  const amount = open || amountOf(internal.authorized?.billing ?? 0, currency);
  return { amount, currency, description, merchantName: name, category };
}
