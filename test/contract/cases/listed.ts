import type { RequirementId } from "../../../generated/requirements.ts";
import { type Case, casesOf, invalid, notice, silent } from "./case.ts";
import { change, OTHER_ID, type ResponsePayload, response, without } from "./payload.ts";

const POSTING = response("GET /bank-transactions/{subaccountId}/{id}", "debit");
const MATCH = response("GET /transaction-matches/{subaccountId}/{matchId}", "high");

/** Values that differ from the event's, by their pointer. */
type Values = Record<string, readonly unknown[]>;

/** Fields without a convention: any difference from the event is a notice. */
const OPEN: readonly [RequirementId, ResponsePayload, Values][] = [
  [
    "EP-10",
    POSTING,
    {
      "/bankAccountName": [null, 7, { name: "Everyday" }],
      "/currency": [null, 978, "EUR ".split("")],
      "/description": [null, 1],
      "/merchantName": [5, {}],
      "/pending": ["no", null, 0],
      "/transactionType": ["DEBIT", "transfer", null, 1],
    },
  ],
  [
    "EP-12",
    MATCH,
    {
      "/confidence": ["SURE", "high", null, 1],
      "/score": ["0.98", null],
      "/cardTransaction": ["Corner Cafe", null, []],
      "/cardTransaction/currency": [978],
      "/cardTransaction/descriptor": [null],
      "/cardTransaction/source": [{}],
      "/matches": [null, {}, "one"],
      "/matches/0": ["one", null],
      "/matches/0/bankAccountName": [1],
      "/matches/0/source": [null],
      "/matches/0/description": [false],
    },
  ],
  [
    "MAT-03",
    MATCH,
    {
      "/reasons": [{}, "Amount", null],
      "/reasons/0": ["Amount"],
      "/reasons/0/type": ["Colour", 1],
      "/reasons/0/score": ["1"],
      "/reasons/0/message": [null],
    },
  ],
];

/** Fields with a convention, which applies if the field is present. */
const CONVENTIONAL: readonly [RequirementId, ResponsePayload, Values][] = [
  ["CONV-01", POSTING, { "/bankAccountId": ["acc_1", 1] }],
  [
    "CONV-01",
    MATCH,
    {
      "/cardTransaction/id": ["txn_1"],
      "/cardTransaction/cardId": [7],
      "/matches/0/id": ["btx_1"],
      "/matches/0/bankAccountId": ["acc_1"],
    },
  ],
  ["CONV-03", POSTING, { "/date": ["2025-3-4", "2025-02-30", 20250304] }],
  ["CONV-03", MATCH, { "/cardTransaction/date": ["4 March"], "/matches/0/date": ["2025-13-01"] }],
  ["CONV-04", POSTING, { "/amount": ["42.50", {}] }],
  ["CONV-04", MATCH, { "/cardTransaction/amount": ["42.50"], "/matches/0/amount": ["42.50"] }],
  ["CONV-05", POSTING, { "/_links/self": ["/bank-transactions/1/2"] }],
  ["CONV-05", MATCH, { "/_links/self/href": ["https://feed.example/x"] }],
];

const each = (
  [requirement, payload, values]: (typeof OPEN)[number],
  make: typeof notice,
  also?: readonly RequirementId[],
): Case[] =>
  Object.entries(values).flatMap(([pointer, others]) =>
    casesOf(
      requirement,
      others.map((value) => {
        const title = `a response has ${JSON.stringify(value)} at ${pointer}`;
        return make(title, change(payload, { [pointer]: value }), { also });
      }),
    ),
  );

/** Fields of bank transactions and matches that are unspecified in GET responses. */
export const listed: Case[] = [
  ...OPEN.flatMap((one) => each(one, notice)),
  ...CONVENTIONAL.flatMap((one) => each(one, invalid, ["EP-10", "EP-12"])),
  ...casesOf("EP-10", [
    silent("a response has only id and category", {
      ...POSTING,
      body: { id: OTHER_ID, category: [] },
    }),
  ]),
  ...casesOf("EP-12", [
    silent("a response has only id", { ...MATCH, body: { id: OTHER_ID } }),
    silent(
      "both sides of a response have only some fields",
      without(MATCH, "/cardTransaction/cardId", "/matches/0/source", "/reasons/0/diff"),
    ),
  ]),
];
