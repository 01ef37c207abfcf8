import { type Type, type } from "arktype";
import { formats, NETWORK_CODE, RELATIVE_PATH, TRACE_ID, UUID } from "./formats.ts";
import type { Library } from "./library.ts";

const id = type(UUID);
const day = type.string.narrow(formats.date);
const timestamp = type.string.narrow(formats["date-time"]);
const localDateTime = type.string.narrow(formats["date-time-local"]);
const networkCode = type(NETWORK_CODE);
const link = type({ href: RELATIVE_PATH });
/** ArkType takes an array for an object whose fields are all optional. */
const noArray = (value: object) => !Array.isArray(value);
const metadata = type({ "resourceId?": "string" }).narrow(noArray);

const bankData = type({
  provider: "string",
  bankTransactionId: id,
  personalFinanceCategory: { primary: "string", detailed: "string" },
});

const projectedMessage = type({
  id,
  _links: { self: link },
  messageType: "string",
  network: networkCode,
  result: "string",
  "approvalCode?": "string | null",
  transactionAmount: "number",
  transactionCurrency: "string",
  traceId: type(TRACE_ID).or("null"),
  transactionReference: "string",
  cardholderBillingAmount: "number",
  cardholderBillingCurrency: "string",
  dateTime: localDateTime,
  bankData: bankData.or("null"),
  superseded: "boolean",
  "accountId?": id,
  "subaccountId?": id,
  "cardId?": id.or("null"),
});

const transaction = type({
  id,
  subaccountId: id,
  cardId: id.or("null"),
  network: networkCode,
  status: "string",
  descriptor: "string",
  acceptor: { city: "string", country: "string", mcc: "string", state: "string" },
  transactionCurrency: "string",
  cardholderBillingCurrency: "string",
  transactionHoldAmount: "number",
  transactionSettledAmount: "number",
  cardholderBillingHoldAmount: "number",
  cardholderBillingSettledAmount: "number",
  transactionType: "string",
  supersededMessageIds: id.array(),
  createdAt: timestamp,
  updatedAt: timestamp,
  _links: { self: link, subaccount: link, "card?": link, messages: link.array() },
  "_embedded?": type({ "messages?": projectedMessage.array() }).narrow(noArray),
  "metadata?": metadata,
});

const bankTransaction = type({
  id,
  bankAccountId: id,
  bankAccountName: "string",
  date: day,
  amount: "number > 0",
  currency: "string",
  merchantName: "string | null",
  category: "string | null",
  pending: "boolean",
  transactionType: "'debit' | 'credit'",
  "metadata?": metadata,
  description: "string",
});

const match = type({
  matchId: id,
  confidence: "'HIGH' | 'MEDIUM' | 'LOW'",
  score: "number",
  cardTransaction: {
    id,
    cardId: id,
    date: day,
    amount: "number",
    currency: "string",
    descriptor: "string",
    source: "string",
  },
  reasons: type({
    type: "string",
    score: "number",
    cardValue: "unknown",
    bankValue: "unknown",
    diff: "unknown",
    message: "string",
  }).array(),
  matches: type({
    id,
    bankAccountId: id,
    bankAccountName: "string",
    date: day,
    amount: "number",
    currency: "string",
    source: "string",
    description: "string",
  }).array(),
  "metadata?": metadata,
});

const check = (schema: Type) => (body: unknown) => {
  const result = schema(body);
  return result instanceof type.errors ? result.length : 0;
};

/** ArkType, in its own words; its own date keywords know no calendar, so these tests are ours. */
export const arktype: Library = {
  name: "arktype",
  setUp: async () => ({
    "transaction.updated": check(transaction),
    "banktransaction.created": check(bankTransaction),
    "transaction.match.created": check(match),
  }),
};
