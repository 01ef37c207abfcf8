import { z } from "zod";
import { formats, NETWORK_CODE, RELATIVE_PATH, TRACE_ID } from "./formats.ts";
import type { Library } from "./library.ts";

const id = z.guid();
const day = z.iso.date();
const timestamp = z.iso.datetime({ precision: 3 });
const localDateTime = z.string().refine(formats["date-time-local"]);
const networkCode = z.string().regex(NETWORK_CODE);
const link = z.object({ href: z.string().regex(RELATIVE_PATH) });
/** Any value, but there has to be one. */
const anything = z.unknown().refine((value) => value !== undefined);
const metadata = z.object({ resourceId: z.string().optional() }).optional();

const bankData = z.object({
  provider: z.string(),
  bankTransactionId: id,
  personalFinanceCategory: z.object({ primary: z.string(), detailed: z.string() }),
});

const projectedMessage = z.object({
  id,
  _links: z.object({ self: link }),
  messageType: z.string(),
  network: networkCode,
  result: z.string(),
  approvalCode: z.string().nullable().optional(),
  transactionAmount: z.number(),
  transactionCurrency: z.string(),
  traceId: z.string().regex(TRACE_ID).nullable(),
  transactionReference: z.string(),
  cardholderBillingAmount: z.number(),
  cardholderBillingCurrency: z.string(),
  dateTime: localDateTime,
  bankData: bankData.nullable(),
  superseded: z.boolean(),
  accountId: id.optional(),
  subaccountId: id.optional(),
  cardId: id.nullable().optional(),
});

const transaction = z.object({
  id,
  subaccountId: id,
  cardId: id.nullable(),
  network: networkCode,
  status: z.string(),
  descriptor: z.string(),
  acceptor: z.object({
    city: z.string(),
    country: z.string(),
    mcc: z.string(),
    state: z.string(),
  }),
  transactionCurrency: z.string(),
  cardholderBillingCurrency: z.string(),
  transactionHoldAmount: z.number(),
  transactionSettledAmount: z.number(),
  cardholderBillingHoldAmount: z.number(),
  cardholderBillingSettledAmount: z.number(),
  transactionType: z.string(),
  supersededMessageIds: z.array(id),
  createdAt: timestamp,
  updatedAt: timestamp,
  _links: z.object({
    self: link,
    subaccount: link,
    card: link.optional(),
    messages: z.array(link),
  }),
  _embedded: z.object({ messages: z.array(projectedMessage).optional() }).optional(),
  metadata,
});

const bankTransaction = z.object({
  id,
  bankAccountId: id,
  bankAccountName: z.string(),
  date: day,
  amount: z.number().positive(),
  currency: z.string(),
  merchantName: z.string().nullable(),
  category: z.string().nullable(),
  pending: z.boolean(),
  transactionType: z.enum(["debit", "credit"]),
  metadata,
  description: z.string(),
});

const match = z.object({
  matchId: id,
  confidence: z.enum(["HIGH", "MEDIUM", "LOW"]),
  score: z.number(),
  cardTransaction: z.object({
    id,
    cardId: id,
    date: day,
    amount: z.number(),
    currency: z.string(),
    descriptor: z.string(),
    source: z.string(),
  }),
  reasons: z.array(
    z.object({
      type: z.string(),
      score: z.number(),
      cardValue: anything,
      bankValue: anything,
      diff: anything,
      message: z.string(),
    }),
  ),
  matches: z.array(
    z.object({
      id,
      bankAccountId: id,
      bankAccountName: z.string(),
      date: day,
      amount: z.number(),
      currency: z.string(),
      source: z.string(),
      description: z.string(),
    }),
  ),
  metadata,
});

const check = (schema: z.ZodType) => (body: unknown) =>
  schema.safeParse(body).error?.issues.length ?? 0;

/** Zod, in its own words. */
export const zod: Library = {
  name: "zod 4",
  setUp: async () => ({
    "transaction.updated": check(transaction),
    "banktransaction.created": check(bankTransaction),
    "transaction.match.created": check(match),
  }),
};
