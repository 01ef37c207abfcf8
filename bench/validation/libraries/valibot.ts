import * as v from "valibot";
import { formats, NETWORK_CODE, RELATIVE_PATH, TRACE_ID, UUID } from "./formats.ts";
import type { Library } from "./library.ts";

const string = v.string();
const number = v.number();
const id = v.pipe(string, v.regex(UUID));
const day = v.pipe(string, v.check(formats.date));
const timestamp = v.pipe(string, v.check(formats["date-time"]));
const localDateTime = v.pipe(string, v.check(formats["date-time-local"]));
const networkCode = v.pipe(string, v.regex(NETWORK_CODE));
const link = v.object({ href: v.pipe(string, v.regex(RELATIVE_PATH)) });
/** Valibot takes an array for an object whose fields are all optional. */
const noArray = v.check((value) => !Array.isArray(value));
const metadata = v.pipe(v.unknown(), noArray, v.object({ resourceId: v.exactOptional(string) }));

const bankData = v.object({
  provider: string,
  bankTransactionId: id,
  personalFinanceCategory: v.object({ primary: string, detailed: string }),
});

const projectedMessage = v.object({
  id,
  _links: v.object({ self: link }),
  messageType: string,
  network: networkCode,
  result: string,
  approvalCode: v.exactOptional(v.nullable(string)),
  transactionAmount: number,
  transactionCurrency: string,
  traceId: v.nullable(v.pipe(string, v.regex(TRACE_ID))),
  transactionReference: string,
  cardholderBillingAmount: number,
  cardholderBillingCurrency: string,
  dateTime: localDateTime,
  bankData: v.nullable(bankData),
  superseded: v.boolean(),
  accountId: v.exactOptional(id),
  subaccountId: v.exactOptional(id),
  cardId: v.exactOptional(v.nullable(id)),
});

const embedded = v.pipe(
  v.unknown(),
  noArray,
  v.object({ messages: v.exactOptional(v.array(projectedMessage)) }),
);

const transaction = v.object({
  id,
  subaccountId: id,
  cardId: v.nullable(id),
  network: networkCode,
  status: string,
  descriptor: string,
  acceptor: v.object({ city: string, country: string, mcc: string, state: string }),
  transactionCurrency: string,
  cardholderBillingCurrency: string,
  transactionHoldAmount: number,
  transactionSettledAmount: number,
  cardholderBillingHoldAmount: number,
  cardholderBillingSettledAmount: number,
  transactionType: string,
  supersededMessageIds: v.array(id),
  createdAt: timestamp,
  updatedAt: timestamp,
  _links: v.object({
    self: link,
    subaccount: link,
    card: v.exactOptional(link),
    messages: v.array(link),
  }),
  _embedded: v.exactOptional(embedded),
  metadata: v.exactOptional(metadata),
});

const bankTransaction = v.object({
  id,
  bankAccountId: id,
  bankAccountName: string,
  date: day,
  amount: v.pipe(number, v.gtValue(0)),
  currency: string,
  merchantName: v.nullable(string),
  category: v.nullable(string),
  pending: v.boolean(),
  transactionType: v.picklist(["debit", "credit"]),
  metadata: v.exactOptional(metadata),
  description: string,
});

const match = v.object({
  matchId: id,
  confidence: v.picklist(["HIGH", "MEDIUM", "LOW"]),
  score: number,
  cardTransaction: v.object({
    id,
    cardId: id,
    date: day,
    amount: number,
    currency: string,
    descriptor: string,
    source: string,
  }),
  reasons: v.array(
    v.object({
      type: string,
      score: number,
      cardValue: v.unknown(),
      bankValue: v.unknown(),
      diff: v.unknown(),
      message: string,
    }),
  ),
  matches: v.array(
    v.object({
      id,
      bankAccountId: id,
      bankAccountName: string,
      date: day,
      amount: number,
      currency: string,
      source: string,
      description: string,
    }),
  ),
  metadata: v.exactOptional(metadata),
});

const check = (schema: v.GenericSchema) => (body: unknown) =>
  v.safeParse(schema, body).issues?.length ?? 0;

/** Valibot, in its own words; its own date checks know no calendar, so these are ours. */
export const valibot: Library = {
  name: "valibot",
  setUp: async () => ({
    "transaction.updated": check(transaction),
    "banktransaction.created": check(bankTransaction),
    "transaction.match.created": check(match),
  }),
};
