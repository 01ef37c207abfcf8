import * as z from "zod";
import * as values from "../verbs/values.ts";
import type { Verbs } from "../verbs/verb.ts";
import { bankPost, lateCardData } from "./bank-post.ts";
import { clear, clearPart } from "./clearing.ts";
import { enrich } from "./enrichment.ts";
import { switchProjection } from "./projection.ts";
import { purchase } from "./purchase.ts";
import { rematch } from "./rematch.ts";
import { providerRemove, retireDuplicate } from "./retirement.ts";

const id = values.id.optional();
const { amount, currency, date, text } = values;

const merchant = z.strictObject({
  descriptor: text.optional(),
  mcc: z
    .string()
    .regex(/^\d{4}$/, "takes four digits")
    .optional(),
  city: text.optional(),
  country: text.optional(),
  state: text.optional(),
});

const clearing = z.strictObject({
  accountId: id,
  transactionId: id,
  amount: amount.optional(),
});

const bankTransaction = z.strictObject({ accountId: id, bankTransactionId: id });

/** What happens with cards and at the bank. */
export const activityVerbs: Verbs<
  | ("purchase" | "clear" | "clear-partial" | "bank-post" | "late-card-data")
  | ("retire-duplicate" | "provider-remove" | "rematch" | "enrich" | "switch-projection")
> = {
  purchase: {
    summary: "a card is used",
    requirements: ["WHK-05", "MSG-04", "MSG-06"],
    params: z.strictObject({
      accountId: id,
      cardId: id,
      amount: amount.optional(),
      currency: currency.optional(),
      billingAmount: amount.optional(),
      billingCurrency: currency.optional(),
      merchant: merchant.optional(),
      result: z.enum(["APPROVED", "DECLINED"]).optional(),
    }),
    run: purchase,
  },
  clear: {
    summary: "the network clears a purchase",
    requirements: ["TXN-13", "MSG-03"],
    params: clearing,
    run: clear,
  },
  "clear-partial": {
    summary: "the network clears a part of a purchase",
    requirements: ["MAT-08"],
    params: clearing,
    run: clearPart,
  },
  "bank-post": {
    summary: "the bank posts a purchase, or a movement of its own",
    requirements: ["TXN-12", "TXN-15", "TXN-16", "TXN-17"],
    params: z.strictObject({
      accountId: id,
      bankAccountId: id,
      transactionId: id,
      amount: amount.optional(),
      currency: currency.optional(),
      description: text.optional(),
      merchantName: text.nullable().optional(),
      category: z.array(text).max(10).optional(),
      date: date.optional(),
      pending: z.boolean().optional(),
      transactionType: z.enum(["debit", "credit"]).optional(),
    }),
    run: bankPost,
  },
  "late-card-data": {
    summary: "card data comes after the bank's posting",
    requirements: ["MAT-09", "TXN-14"],
    params: z.strictObject({
      accountId: id,
      bankTransactionId: id,
      cardId: id,
      amount: amount.optional(),
      merchant: merchant.optional(),
      date: date.optional(),
    }),
    run: lateCardData,
  },
  "retire-duplicate": {
    summary: "a posting that is in the feed twice is retired",
    requirements: ["BTX-04", "BTX-05"],
    params: bankTransaction,
    run: retireDuplicate,
  },
  "provider-remove": {
    summary: "the provider takes a bank transaction back",
    requirements: ["BTX-04", "BTX-05"],
    params: bankTransaction,
    run: providerRemove,
  },
  rematch: {
    summary: "matches are made anew",
    requirements: ["MAT-07"],
    params: z.strictObject({
      accountId: id,
      transactionId: id,
      bankTransactionId: id,
      bankAccountId: id,
    }),
    run: rematch,
  },
  enrich: {
    summary: "a message is enriched with its merchant",
    requirements: ["ENR-01"],
    params: z.strictObject({ accountId: id, messageId: id, transactionId: id }),
    run: enrich,
  },
  "switch-projection": {
    summary: "messages in transactions are switched on or off",
    requirements: ["TXN-10"],
    params: z.strictObject({ accountId: id, on: z.boolean() }),
    run: switchProjection,
  },
};
