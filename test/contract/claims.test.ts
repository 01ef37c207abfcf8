import { expect, test } from "vitest";
import { claims } from "../../generated/requirements.ts";
import { validateEvent, validateResponse } from "../../src/contract/index.ts";
import { cases } from "./cases/index.ts";
import { change, delivery, type Payload, response, without } from "./cases/payload.ts";

function findingsOf(payload: Payload) {
  return "event" in payload
    ? validateEvent(payload.event, payload.body).findings
    : validateResponse(payload.operation, 200, payload.body).findings;
}

const HIGH = delivery("transaction.match.created", "high");
const MEDIUM = delivery("transaction.match.created", "medium");
const MESSAGE = delivery("transactionmessage.created", "authorization");
const ON_C = delivery("transactionmessage.created", "authorization-network-c");
const POSTING = delivery("banktransaction.created", "debit");
const PENDING = delivery("transaction.created", "pending");
const SUPERSEDED = delivery("transaction.updated", "settled-by-network");
const TOKEN = response("POST /auth/realms/{account_id}/protocol/openid-connect/token", "token");

/** What a payload violates, and nothing else. */
const VIOLATIONS: readonly (readonly [violated: string, title: string, payload: Payload])[] = [
  ["MAT-02.high", "a score below the threshold of HIGH", change(HIGH, { "/score": 0.65 })],
  ["MAT-02.medium", "MEDIUM from 0.70", change(MEDIUM, { "/score": 0.72 })],
  ["MAT-02.none-below", "a score below all", change(MEDIUM, { "/score": 0.1 })],
  ["MSG-06.none-network-c", "a code on NETWORK_C", change(ON_C, { "/approvalCode": "A1" })],
  ["MSG-06.string", "a code that is a number", change(MESSAGE, { "/approvalCode": 7 })],
  ["MSG-01.required", "no result", without(MESSAGE, "/result")],
  ["MSG-01.types", "a reference of another type", change(MESSAGE, { "/transactionReference": 1 })],
  ["CONV-02.form", "a time without its zone", change(PENDING, { "/createdAt": "2025-03-04" })],
  ["CONV-02.exists", "no such day", change(PENDING, { "/createdAt": "2025-02-30T00:00:00.000Z" })],
  ["CONV-05.relative", "a full URL", change(PENDING, { "/_links/self/href": "https://a.b/c" })],
  ["CONV-05.object", "a link without href", change(PENDING, { "/_links/self": {} })],
  ["TXN-02.card-id", "no card of a purchase", change(PENDING, { "/cardId": 5 })],
  ["TXN-06.present", "no list of ids", without(PENDING, "/supersededMessageIds")],
  ["TXN-08.marked", "an unmarked message", change(SUPERSEDED, markedAs(false))],
  ["BTX-01.debit-credit", "no direction", change(POSTING, { "/transactionType": "none" })],
  ["BTX-02.positive", "an amount of 0", change(POSTING, { "/amount": 0 })],
  ["MAT-01.bank-side", "a side without currency", without(HIGH, "/matches/0/currency")],
  ["MAT-01.fields", "no sides", without(HIGH, "/matches")],
  ["AUTH-02.expires-in", "a lifetime of an hour", change(TOKEN, { "/expires_in": 3600 })],
  ["AUTH-02.token-type", "no type", without(TOKEN, "/token_type")],
];

function markedAs(superseded: boolean) {
  const { body } = SUPERSEDED as { body: { _embedded: { messages: { superseded: boolean }[] } } };
  const at = body._embedded.messages.findIndex((one) => one.superseded);
  return { [`/_embedded/messages/${at}/superseded`]: superseded };
}

test.each(VIOLATIONS)("%s is violated by %s", (violated, _title, payload) => {
  const found = findingsOf(payload).filter(({ level }) => level !== "notice");
  expect([...new Set(found.map(({ claim }) => claim))]).toContain(violated);
  expect(found.map(({ claim }) => claim?.split(".")[0])).toEqual(
    found.map(({ requirement }) => requirement),
  );
});

test("every finding of a payload names a claim of its requirement", () => {
  const misfits = cases.flatMap(({ payload }) =>
    findingsOf(payload).filter(
      ({ claim, requirement }) => !claim || claims[claim].requirement !== requirement,
    ),
  );
  expect(misfits).toEqual([]);
});
