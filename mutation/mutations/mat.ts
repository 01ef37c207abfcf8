import { jobHandlers } from "../../src/sandbox/job-handlers.ts";
import { keepListed } from "../internals.ts";
import type { Mutation } from "../mutation.ts";
import { parseJson } from "../mutation.ts";
import {
  changeEvents,
  changeEventsNamed,
  changeResource,
  dropEvents,
  type Json,
  mutationState,
  OTHER_ID,
  patch,
  rename,
  replaceEvent,
  sendAfter,
} from "../rewrite.ts";

const CREATED = "transaction.match.created" as const;
const RETRACTED = "transaction.match.deleted" as const;

const isReplaced = (body: Json) => body.reason === "rematch_superseded";

const otherId = (id: string) => `${id.slice(0, -1)}${id.endsWith("0") ? "1" : "0"}`;

export const mat: readonly Mutation[] = [
  {
    id: "mat/id",
    requirement: "MAT-01",
    description: "The event uses the resource's format: id instead of matchId",
    deliveries: changeEvents("transaction-matches", (body) => rename(body, "matchId", "id")),
  },
  {
    id: "mat/single-bank-transaction",
    requirement: "MAT-01",
    description: "matches is a single bank transaction instead of a list",
    deliveries: changeEvents("transaction-matches", (body) => {
      [body.matches] = body.matches;
    }),
  },
  {
    id: "mat/score-text",
    requirement: "MAT-01",
    description: "The score is a string with two decimals",
    deliveries: changeEvents("transaction-matches", (body) => {
      body.score = body.score.toFixed(2);
    }),
  },
  {
    id: "mat/no-source",
    requirement: "MAT-01",
    description: "source is omitted from the bank transaction",
    deliveries: changeEvents("transaction-matches", (body) => {
      for (const one of body.matches) delete one.source;
    }),
  },
  {
    id: "mat/other-thresholds",
    requirement: "MAT-02",
    description: "The thresholds are those of an old version: HIGH from 0.90, MEDIUM from 0.70",
    ...changeResource("transaction-matches", (body) => {
      const { score } = body;
      body.confidence = score >= 0.9 ? "HIGH" : score >= 0.7 ? "MEDIUM" : "LOW";
    }),
  },
  {
    id: "mat/always-high",
    requirement: "MAT-02",
    description: "confidence is hard-coded as HIGH",
    ...changeResource("transaction-matches", (body) => {
      body.confidence = "HIGH";
    }),
  },
  {
    id: "mat/confidence-lower-case",
    requirement: "MAT-01",
    description: "confidence is in lower case",
    ...changeResource("transaction-matches", (body) => {
      body.confidence = body.confidence.toLowerCase();
    }),
  },
  {
    id: "mat/below-low",
    requirement: "MAT-02",
    description: "Candidates with a score of only 0.05 are announced",
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
    ...changeResource("transaction-matches", (body) => {
      body.reasons = body.reasons.map(({ message }: Json) => message);
    }),
  },
  {
    id: "mat/reasons-without-diff",
    requirement: "MAT-03",
    description: "A reason has no diff",
    deliveries: changeEvents("transaction-matches", (body) => {
      for (const reason of body.reasons) delete reason.diff;
    }),
  },
  {
    id: "mat/other-bank-id",
    requirement: "MAT-04",
    description: "matches[].id is the provider's id",
    ...changeResource("transaction-matches", (body) => {
      for (const one of body.matches) one.id = otherId(one.id);
    }),
  },
  {
    id: "mat/account-as-bank-id",
    requirement: "MAT-04",
    description: "matches[].id is the bank account's id",
    deliveries: changeEvents("transaction-matches", (body) => {
      for (const one of body.matches) one.id = one.bankAccountId;
    }),
  },
  {
    id: "mat/deletes-other-id",
    requirement: "MAT-05",
    description: "The retraction has the id of a row in another table",
    deliveries: changeEventsNamed(RETRACTED, (body) => {
      body.matchId = otherId(body.matchId);
    }),
  },
  {
    id: "mat/deletes-bank-id",
    requirement: "MAT-05",
    description: "The retraction's matchId is the bank transaction's id",
    deliveries: changeEventsNamed(RETRACTED, (body) => {
      body.matchId = body.bankTransactionId;
    }),
  },
  {
    id: "mat/deleted-without-card",
    requirement: "MAT-05",
    description: "cardTransactionId is missing from the retraction",
    deliveries: changeEventsNamed(RETRACTED, (body) => {
      delete body.cardTransactionId;
    }),
  },
  {
    id: "mat/deleted-for-no-reason",
    requirement: "MAT-05",
    description: "The reason of a retraction is null",
    deliveries: changeEventsNamed(RETRACTED, (body) => {
      body.reason = null;
    }),
  },
  {
    id: "mat/deletes-other-bank-id",
    requirement: "MAT-05",
    description: "bankTransactionId of a retraction is that of the previous retraction",
    deliveries: changeEventsNamed(RETRACTED, (body, { run }) => {
      const known = mutationState(run, "known", () => ({ id: "" }));
      const { id } = known;
      known.id = body.bankTransactionId;
      if (!id) return;
      body.bankTransactionId = id;
      body.metadata.resourceId = id;
    }),
  },
  {
    id: "mat/resource-of-match",
    requirement: "MAT-06",
    description: "metadata.resourceId is the match's id",
    deliveries: changeEventsNamed(RETRACTED, (body) => {
      body.metadata.resourceId = body.matchId;
    }),
  },
  {
    id: "mat/rematch-keeps-id",
    requirement: "MAT-07",
    description: "A re-match overwrites the old row: it keeps the id and retracts nothing",
    checks: ["MAT-07: a forced re-match creates matches with new ids"],
    deliveries: async (delivery, { send }, run) => {
      const old = mutationState(run, "old", () => new Map<string, string>());
      const body = parseJson(delivery.body);
      if (delivery.name === RETRACTED && isReplaced(body)) {
        return void old.set(body.bankTransactionId, body.matchId);
      }
      const kept = delivery.name === CREATED && old.get(body.matches[0].id);
      await send(kept ? replaceEvent(delivery, CREATED, { ...body, matchId: kept }) : delivery);
    },
  },
  {
    id: "mat/rematch-retracts-nothing",
    requirement: "MAT-07",
    description: "A re-match replaces the old match without a retraction",
    deliveries: dropEvents(RETRACTED, isReplaced),
  },
  {
    id: "mat/rematch-for-other-reason",
    requirement: "MAT-07",
    description: "A re-match retracts with the reason bank_transaction_retired",
    checks: ["MAT-07: a forced re-match retracts the old match by its id"],
    deliveries: changeEventsNamed(RETRACTED, (body) => {
      if (isReplaced(body)) body.reason = "bank_transaction_retired";
    }),
  },
  {
    id: "mat/rematch-retracts-new",
    requirement: "MAT-07",
    description: "The retraction is sent late, with the id of the new match",
    deliveries: async (delivery, { send }, run) => {
      const waiting = mutationState(run, "waiting", () => new Map<string, typeof delivery>());
      const body = parseJson(delivery.body);
      if (delivery.name === RETRACTED && isReplaced(body)) {
        return void waiting.set(body.bankTransactionId, delivery);
      }
      await send(delivery);
      const late = delivery.name === CREATED ? waiting.get(body.matches[0].id) : undefined;
      if (!late) return;
      waiting.delete(body.matches[0].id);
      await send(replaceEvent(late, RETRACTED, { ...parseJson(late.body), matchId: body.matchId }));
    },
  },
  {
    id: "mat/legs-of-one-id",
    requirement: "MAT-08",
    description: "The match of each part has the transaction's id",
    checks: ["MAT-08: each debit of a purchase in parts is matched to its own leg"],
    ...changeResource("transaction-matches", async (body, { run }) => {
      const all = await run.sandbox.resources("transaction-matches", { limit: 10_000 });
      const own = all.find(({ id }) => id === (body.matchId ?? body.id));
      const { transactionId } = Object(own?.hidden) as { transactionId?: string };
      body.cardTransaction.id = transactionId ?? body.cardTransaction.id;
    }),
  },
  {
    id: "mat/one-match-for-all-legs",
    requirement: "MAT-08",
    description: "Only the first match of a purchase that clears in parts is announced",
    deliveries: dropEvents(CREATED, async (body, run) => {
      const all = await run.sandbox.resources("transaction-matches", { limit: 10_000 });
      const own = all.find(({ id }) => id === body.matchId);
      const { transactionId = "" } = Object(own?.hidden) as { transactionId?: string };
      const seen = mutationState(run, "seen", () => new Set<string>());
      const isAgain = seen.has(transactionId);
      if (transactionId) seen.add(transactionId);
      return isAgain;
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
    id: "mat/deletes-other-card-id",
    requirement: "MAT-05",
    description: "The retraction has the id of another card transaction",
    checks: ["MAT-05: a retraction names the announced match"],
    deliveries: changeEventsNamed("transaction.match.deleted", (body) => {
      body.cardTransactionId = OTHER_ID;
    }),
  },
  {
    id: "mat/retracts-unmatched",
    requirement: "MAT-05",
    description: "Each removed bank transaction sends a retraction, even if it was not matched",
    checks: ["MAT-05: an unmatched movement causes no retraction"],
    deliveries: sendAfter("banktransaction.deleted", ({ id, metadata }) => ({
      name: "transaction.match.deleted",
      body: {
        ...{ matchId: OTHER_ID, bankTransactionId: id, cardTransactionId: OTHER_ID, metadata },
        reason: "bank_transaction_retired",
      },
    })),
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
    checks: ["MAT-04: matches[] of a match names its bank transaction's own account"],
    ...changeResource("transaction-matches", ({ matches }) => {
      for (const one of matches) one.bankAccountId = OTHER_ID;
    }),
  },
];
