import type { RequirementId } from "../../../generated/requirements.ts";
import { type Case, casesOf, invalid, notice, silent, valid } from "./case.ts";
import { at, change, delivery, OTHER_ID, response, without } from "./payload.ts";

const HIGH = delivery("transaction.match.created", "high");
const MEDIUM = delivery("transaction.match.created", "medium");
const LOW = delivery("transaction.match.created", "low");
const RETIRED = delivery("transaction.match.deleted", "bank-transaction-retired");
const REPLACED = delivery("transaction.match.deleted", "rematch-superseded");
const REST = response("GET /transaction-matches/{subaccountId}/{matchId}", "high");
const LIST = response("GET /transaction-matches", "only-page");

/** Each required non-null field, and other requirements that restrict it. */
const FIELDS: Record<string, RequirementId[] | undefined> = {
  matchId: ["CONV-01", "EP-12"],
  confidence: ["MAT-02"],
  score: ["MAT-02"],
  cardTransaction: undefined,
  reasons: ["MAT-03"],
  matches: undefined,
  "cardTransaction/id": ["CONV-01"],
  "cardTransaction/cardId": ["CONV-01"],
  "cardTransaction/date": ["CONV-03"],
  "cardTransaction/amount": ["CONV-04"],
  "cardTransaction/currency": undefined,
  "cardTransaction/descriptor": undefined,
  "cardTransaction/source": undefined,
  "matches/0/id": ["CONV-01", "MAT-04"],
  "matches/0/bankAccountId": ["CONV-01"],
  "matches/0/bankAccountName": undefined,
  "matches/0/date": ["CONV-03"],
  "matches/0/amount": ["CONV-04"],
  "matches/0/currency": undefined,
  "matches/0/source": undefined,
  "matches/0/description": undefined,
};

const fields = casesOf("MAT-01", [
  silent("a match has all fields", HIGH),
  valid(
    "a match of a response has only an id",
    change(LIST, { "/_embedded/transactionMatches": [{ id: OTHER_ID }] }),
  ),
  ...Object.entries(FIELDS).map(([field, also]) =>
    invalid(`${field} is absent`, without(HIGH, `/${field}`), { also }),
  ),
  ...Object.entries(FIELDS).map(([field, also]) =>
    invalid(`${field} is null`, change(HIGH, { [`/${field}`]: null }), { also }),
  ),
  invalid("confidence is an unknown value", change(HIGH, { "/confidence": "SURE" }), {
    also: ["MAT-02"],
  }),
  invalid("confidence is in lower case", change(HIGH, { "/confidence": "high" }), {
    also: ["MAT-02"],
  }),
  invalid("score is a string", change(HIGH, { "/score": "0.98" }), { also: ["MAT-02"] }),
  invalid("matches is one bank transaction", change(HIGH, { "/matches": at(HIGH, "/matches/0") })),
  invalid("cardTransaction is an id", change(HIGH, { "/cardTransaction": OTHER_ID })),
  invalid("matches are ids", change(HIGH, { "/matches": [OTHER_ID] })),
]);

const scored = (confidence: string, score: number) => {
  const { confidence: _, score: __, ...rest } = HIGH.body as Record<string, unknown>;
  return { ...HIGH, body: { ...rest, confidence, score } };
};

const RIGHT: [string, number][] = [
  ["HIGH", 1],
  ["HIGH", 0.7],
  ["HIGH", 0.70001],
  ["MEDIUM", 0.6999999],
  ["MEDIUM", 0.5],
  ["LOW", 0.4999999],
  ["LOW", 0.2],
];

const WRONG: [string, number][] = [
  ["HIGH", 0.6999999],
  ["HIGH", 0.5],
  ["HIGH", 0.2],
  ["MEDIUM", 1],
  ["MEDIUM", 0.7],
  ["MEDIUM", 0.4999999],
  ["MEDIUM", 0.2],
  ["LOW", 0.7],
  ["LOW", 0.6],
  ["LOW", 0.5],
  ["LOW", 0.1999],
  ["LOW", 0],
  ["LOW", -0.5],
  ["HIGH", 0.1],
];

const confidences = casesOf("MAT-02", [
  ...RIGHT.map(([level, score]) => silent(`${score} is ${level}`, scored(level, score))),
  ...WRONG.map(([level, score]) => invalid(`${score} is ${level}`, scored(level, score))),
  valid("a match of a response has a confidence and no score", without(REST, "/score")),
  valid("a match of a response has a score and no confidence", without(REST, "/confidence")),
  notice("0.69 is HIGH in a response", change(REST, { "/score": 0.69 })),
  notice("0.19 is HIGH in a response", change(REST, { "/score": 0.19 })),
  notice(
    "0.98 is MEDIUM in a response's list",
    change(LIST, { "/_embedded/transactionMatches/0/confidence": "MEDIUM" }),
  ),
]);

const REASON = "/reasons/0";

const reasons = casesOf("MAT-03", [
  silent("the reasons are amount, date and merchant", MEDIUM),
  silent(
    "the compared values have any type",
    change(LOW, { [`${REASON}/cardValue`]: { value: 1 }, [`${REASON}/bankValue`]: [1] }),
  ),
  silent("diff is null", change(HIGH, { [`${REASON}/diff`]: null })),
  notice("a reason has an unknown type", change(HIGH, { [`${REASON}/type`]: "Location" })),
  notice("the type of a reason is in lower case", change(HIGH, { "/reasons/2/type": "merchant" })),
  ...["type", "score", "cardValue", "bankValue", "diff", "message"].map((field) =>
    invalid(`${field} is absent`, without(HIGH, `${REASON}/${field}`), { also: ["MAT-01"] }),
  ),
  invalid("type is a number", change(HIGH, { [`${REASON}/type`]: 1 })),
  invalid("score is a string", change(HIGH, { [`${REASON}/score`]: "1" })),
  invalid("message is null", change(HIGH, { [`${REASON}/message`]: null })),
  invalid("reasons are strings", change(HIGH, { "/reasons": ["Amount"] }), { also: ["MAT-01"] }),
]);

const deletions = casesOf("MAT-05", [
  silent("the reason is bank_transaction_retired", RETIRED),
  silent("the reason is rematch_superseded", REPLACED),
  ...Object.entries<RequirementId[] | undefined>({
    matchId: ["CONV-01"],
    bankTransactionId: ["CONV-01", "MAT-06"],
    cardTransactionId: ["CONV-01"],
    reason: undefined,
  }).flatMap(([field, also]) => [
    invalid(`${field} is absent`, without(RETIRED, `/${field}`), { also }),
    invalid(`${field} is null`, change(RETIRED, { [`/${field}`]: null }), { also }),
  ]),
  invalid("the reason is an unknown value", change(RETIRED, { "/reason": "unmatched" })),
  invalid(
    "the reason is that of a bank transaction",
    change(RETIRED, { "/reason": "provider_removed" }),
  ),
]);

const envelopes = casesOf("MAT-06", [
  silent("resourceId is the bank transaction's id", RETIRED),
  silent("metadata has members other than resourceId", change(REPLACED, { "/metadata/v": 1 })),
  invalid("there is no metadata", without(RETIRED, "/metadata")),
  invalid("metadata has no resourceId", without(REPLACED, "/metadata/resourceId")),
  invalid("metadata is empty", change(REPLACED, { "/metadata": {} })),
  invalid("resourceId is another id", change(RETIRED, { "/metadata/resourceId": OTHER_ID })),
  ...["matchId", "cardTransactionId"].map((field) =>
    invalid(
      `resourceId is ${field}`,
      change(RETIRED, { "/metadata/resourceId": at(RETIRED, `/${field}`) }),
    ),
  ),
  invalid(
    "bankTransactionId differs from resourceId",
    change(REPLACED, { "/bankTransactionId": OTHER_ID }),
  ),
  invalid("resourceId is a number", change(RETIRED, { "/metadata/resourceId": 1 }), {
    also: ["WHK-03"],
  }),
  invalid("metadata is null", change(RETIRED, { "/metadata": null }), { also: ["WHK-03"] }),
]);

/** Matches, in events and responses. */
export const mat: Case[] = [...fields, ...confidences, ...reasons, ...deletions, ...envelopes];
