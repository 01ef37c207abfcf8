import { jobHandlers } from "../../src/sandbox/job-handlers.ts";
import { keepListed } from "../internals.ts";
import type { Mutation } from "../mutation.ts";
import {
  changeEvents,
  changeResource,
  dropEvents,
  type Json,
  OTHER_ID,
  patch,
  rename,
} from "../rewrite.ts";

const otherId = (id: string) => `${id.slice(0, -1)}${id.endsWith("0") ? "1" : "0"}`;

/** Mutations of the fields of matches. */
export const mat: readonly Mutation[] = [
  {
    id: "mat/id",
    requirement: "MAT-01",
    description: "The event uses the resource's format: id instead of matchId",
    checks: ["MAT-01: every body"],
    deliveries: changeEvents("transaction-matches", (body) => rename(body, "matchId", "id")),
  },
  {
    id: "mat/single-bank-transaction",
    requirement: "MAT-01",
    description: "matches is a single bank transaction instead of a list",
    checks: ["MAT-01: a match that settles a purchase is announced", "MAT-01: every body"],
    deliveries: changeEvents("transaction-matches", (body) => {
      [body.matches] = body.matches;
    }),
  },
  {
    id: "mat/score-text",
    requirement: "MAT-01",
    description: "The score is a string with two decimals",
    checks: ["MAT-01: every body"],
    deliveries: changeEvents("transaction-matches", (body) => {
      body.score = body.score.toFixed(2);
    }),
  },
  {
    id: "mat/no-source",
    requirement: "MAT-01",
    description: "source is omitted from the bank transaction",
    checks: ["MAT-01: every body"],
    deliveries: changeEvents("transaction-matches", (body) => {
      for (const one of body.matches) delete one.source;
    }),
  },
  {
    id: "mat/other-thresholds",
    requirement: "MAT-02",
    description: "The thresholds are those of an old version: HIGH from 0.90, MEDIUM from 0.70",
    checks: ["MAT-02: every body"],
    ...changeResource("transaction-matches", (body) => {
      const { score } = body;
      body.confidence = score >= 0.9 ? "HIGH" : score >= 0.7 ? "MEDIUM" : "LOW";
    }),
  },
  {
    id: "mat/always-high",
    requirement: "MAT-02",
    description: "confidence is hard-coded as HIGH",
    checks: ["MAT-02: every body"],
    ...changeResource("transaction-matches", (body) => {
      body.confidence = "HIGH";
    }),
  },
  {
    id: "mat/confidence-lower-case",
    requirement: "MAT-01",
    description: "confidence is in lower case",
    checks: ["MAT-01: every body"],
    ...changeResource("transaction-matches", (body) => {
      body.confidence = body.confidence.toLowerCase();
    }),
  },
  {
    id: "mat/below-low",
    requirement: "MAT-02",
    description: "Candidates with a score of only 0.05 are announced",
    checks: ["MAT-02: every body"],
    ...changeResource("transaction-matches", (body) => {
      if (body.confidence === "HIGH") return;
      body.confidence = "LOW";
      body.score = 0.05;
    }),
  },
  {
    id: "mat/reasons-text",
    requirement: "MAT-03",
    description: "Reasons are strings instead of objects",
    checks: ["MAT-03: every body"],
    ...changeResource("transaction-matches", (body) => {
      body.reasons = body.reasons.map(({ message }: Json) => message);
    }),
  },
  {
    id: "mat/reasons-without-diff",
    requirement: "MAT-03",
    description: "A reason has no diff",
    checks: ["MAT-03: every body"],
    deliveries: changeEvents("transaction-matches", (body) => {
      for (const reason of body.reasons) delete reason.diff;
    }),
  },
  {
    id: "mat/other-bank-id",
    requirement: "MAT-04",
    description: "matches[].id is the provider's id",
    checks: [
      "MAT-04: matches[].id of a match is the id of a bank transaction",
      "MAT-04: no delivery contradicts another",
    ],
    ...changeResource("transaction-matches", (body) => {
      for (const one of body.matches) one.id = otherId(one.id);
    }),
  },
  {
    id: "mat/account-as-bank-id",
    requirement: "MAT-04",
    description: "matches[].id is the bank account's id",
    checks: ["MAT-04: no delivery contradicts another"],
    deliveries: changeEvents("transaction-matches", (body) => {
      for (const one of body.matches) one.id = one.bankAccountId;
    }),
  },
  {
    id: "mat/no-rematching",
    requirement: "MAT-09",
    description: "The re-matching job is registered under the wrong name",
    checks: ["MAT-09: late card data is matched within 30 days"],
    inside: ({ fire }) =>
      patch(jobHandlers as Json, "rematch", () => () => {
        fire();
      }),
  },
  {
    id: "mat/retracted-still-listed",
    requirement: "MAT-11",
    description: "The search index is not updated, so retracted matches stay in the list",
    checks: ["MAT-11: a retracted match is no longer listed"],
    inside: keepListed("transaction-matches"),
  },
  {
    id: "mat/unannounced",
    requirement: "MAT-01",
    description: "Matches are stored without an event",
    checks: [
      "MAT-01: a match that settles a purchase is announced",
      "SUB-08: bank transactions match and are announced in reqSCA",
    ],
    deliveries: dropEvents("transaction.match.created"),
  },
  {
    id: "mat/bank-account-of-provider",
    requirement: "MAT-04",
    description: "matches[].bankAccountId is the provider's id",
    checks: [
      "MAT-04: matches[].bankAccountId is the account of the bank transaction",
      "MAT-04: a match agrees with the events of its bank transactions",
    ],
    ...changeResource("transaction-matches", ({ matches }) => {
      for (const one of matches) one.bankAccountId = OTHER_ID;
    }),
  },
  {
    id: "mat/subscription-as-card",
    requirement: "MAT-01",
    description: "cardTransaction.cardId is the id of the card's subscription",
    checks: [
      "MAT-01: a match that settles a purchase is announced",
      "MAT-01: a match names the card of its card transaction",
    ],
    ...changeResource("transaction-matches", async ({ cardTransaction }, { run }) => {
      const all = await run.sandbox.resources("card-subscriptions", { limit: 10_000 });
      const own = all.find(({ body }) => (body as Json).cardId === cardTransaction.cardId);
      if (own) cardTransaction.cardId = own.id;
    }),
  },
];
