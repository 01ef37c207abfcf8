import { jobHandlers } from "../../src/sandbox/job-handlers.ts";
import { staysListed } from "../internals.ts";
import type { Mutation } from "../mutation.ts";
import { parseJson } from "../mutation.ts";
import {
  announced,
  dropped,
  followed,
  type Json,
  OTHER_ID,
  of,
  patch,
  remembered,
  rename,
  sentAs,
  shown,
} from "../rewrite.ts";

const CREATED = "transaction.match.created" as const;
const RETRACTED = "transaction.match.deleted" as const;

const isReplaced = (body: Json) => body.reason === "rematch_superseded";

const otherId = (id: string) => `${id.slice(0, -1)}${id.endsWith("0") ? "1" : "0"}`;

export const mat: readonly Mutation[] = [
  {
    id: "mat/id",
    requirement: "MAT-01",
    description: "The event gives the resource's shape: id in place of matchId",
    deliveries: announced("transaction-matches", (body) => rename(body, "matchId", "id")),
  },
  {
    id: "mat/single-bank-transaction",
    requirement: "MAT-01",
    description: "matches is the one bank transaction, not a list",
    deliveries: announced("transaction-matches", (body) => {
      [body.matches] = body.matches;
    }),
  },
  {
    id: "mat/score-text",
    requirement: "MAT-01",
    description: "The score is a string of two digits",
    deliveries: announced("transaction-matches", (body) => {
      body.score = body.score.toFixed(2);
    }),
  },
  {
    id: "mat/no-source",
    requirement: "MAT-01",
    description: "source is left out of the bank's side",
    deliveries: announced("transaction-matches", (body) => {
      for (const one of body.matches) delete one.source;
    }),
  },
  {
    id: "mat/other-thresholds",
    requirement: "MAT-02",
    description: "The thresholds of the first version: HIGH from 0.90, MEDIUM from 0.70",
    ...shown("transaction-matches", (body) => {
      const { score } = body;
      body.confidence = score >= 0.9 ? "HIGH" : score >= 0.7 ? "MEDIUM" : "LOW";
    }),
  },
  {
    id: "mat/always-high",
    requirement: "MAT-02",
    description: "What is announced is called HIGH: confidence is set by hand",
    ...shown("transaction-matches", (body) => {
      body.confidence = "HIGH";
    }),
  },
  {
    id: "mat/confidence-lower-case",
    requirement: "MAT-01",
    description: "confidence is in lower case",
    ...shown("transaction-matches", (body) => {
      body.confidence = body.confidence.toLowerCase();
    }),
  },
  {
    id: "mat/below-low",
    requirement: "MAT-02",
    description: "Everything that was weighed is announced, down to a score of 0.05",
    ...shown("transaction-matches", (body) => {
      if (body.confidence === "HIGH") return;
      body.confidence = "LOW";
      body.score = 0.05;
    }),
  },
  {
    id: "mat/reasons-text",
    requirement: "MAT-03",
    description: "Reasons are only their messages",
    ...shown("transaction-matches", (body) => {
      body.reasons = body.reasons.map(({ message }: Json) => message);
    }),
  },
  {
    id: "mat/reasons-without-diff",
    requirement: "MAT-03",
    description: "diff is omitted if there is no difference",
    deliveries: announced("transaction-matches", (body) => {
      for (const reason of body.reasons) delete reason.diff;
    }),
  },
  {
    id: "mat/other-bank-id",
    requirement: "MAT-04",
    description: "matches[].id is the provider's id of the posting",
    ...shown("transaction-matches", (body) => {
      for (const one of body.matches) one.id = otherId(one.id);
    }),
  },
  {
    id: "mat/account-as-bank-id",
    requirement: "MAT-04",
    description: "matches[].id is the bank account's",
    deliveries: announced("transaction-matches", (body) => {
      for (const one of body.matches) one.id = one.bankAccountId;
    }),
  },
  {
    id: "mat/deletes-other-id",
    requirement: "MAT-05",
    description: "The retraction names the id of the row in another table",
    deliveries: sentAs(RETRACTED, (body) => {
      body.matchId = otherId(body.matchId);
    }),
  },
  {
    id: "mat/deletes-bank-id",
    requirement: "MAT-05",
    description: "The retraction's matchId is the bank transaction's id",
    deliveries: sentAs(RETRACTED, (body) => {
      body.matchId = body.bankTransactionId;
    }),
  },
  {
    id: "mat/deleted-without-card",
    requirement: "MAT-05",
    description: "cardTransactionId is left out of the retraction",
    deliveries: sentAs(RETRACTED, (body) => {
      delete body.cardTransactionId;
    }),
  },
  {
    id: "mat/deleted-for-no-reason",
    requirement: "MAT-05",
    description: "The reason of a retraction is null: the job that makes it knows none",
    deliveries: sentAs(RETRACTED, (body) => {
      body.reason = null;
    }),
  },
  {
    id: "mat/deletes-other-bank-id",
    requirement: "MAT-05",
    description: "bankTransactionId of the retraction is that of the match before",
    deliveries: sentAs(RETRACTED, (body, { run }) => {
      const known = remembered(run, "known", () => ({ id: "" }));
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
    description: "metadata.resourceId is the match's",
    deliveries: sentAs(RETRACTED, (body) => {
      body.metadata.resourceId = body.matchId;
    }),
  },
  {
    id: "mat/rematch-keeps-id",
    requirement: "MAT-07",
    description: "A re-match is written over the old row: same id, and nothing is retracted",
    checks: ["MAT-07: a forced re-match creates matches of new ids"],
    deliveries: async (delivery, { send }, run) => {
      const old = remembered(run, "old", () => new Map<string, string>());
      const body = parseJson(delivery.body);
      if (delivery.name === RETRACTED && isReplaced(body)) {
        return void old.set(body.bankTransactionId, body.matchId);
      }
      const kept = delivery.name === CREATED && old.get(body.matches[0].id);
      await send(kept ? of(delivery, CREATED, { ...body, matchId: kept }) : delivery);
    },
  },
  {
    id: "mat/rematch-retracts-nothing",
    requirement: "MAT-07",
    description: "The old match is forgotten without a word when a new one takes its place",
    deliveries: dropped(RETRACTED, isReplaced),
  },
  {
    id: "mat/rematch-for-other-reason",
    requirement: "MAT-07",
    description: "A re-match retracts with the reason bank_transaction_retired",
    checks: ["MAT-07: a forced re-match retracts the old match by its id"],
    deliveries: sentAs(RETRACTED, (body) => {
      if (isReplaced(body)) body.reason = "bank_transaction_retired";
    }),
  },
  {
    id: "mat/rematch-retracts-new",
    requirement: "MAT-07",
    description: "The retraction is sent late, and names the new match",
    deliveries: async (delivery, { send }, run) => {
      const waiting = remembered(run, "waiting", () => new Map<string, typeof delivery>());
      const body = parseJson(delivery.body);
      if (delivery.name === RETRACTED && isReplaced(body)) {
        return void waiting.set(body.bankTransactionId, delivery);
      }
      await send(delivery);
      const late = delivery.name === CREATED ? waiting.get(body.matches[0].id) : undefined;
      if (!late) return;
      waiting.delete(body.matches[0].id);
      await send(of(late, RETRACTED, { ...parseJson(late.body), matchId: body.matchId }));
    },
  },
  {
    id: "mat/legs-of-one-id",
    requirement: "MAT-08",
    description: "Each leg's match names the transaction",
    checks: ["MAT-08: each debit of a purchase in parts is matched to its own leg"],
    ...shown("transaction-matches", async (body, { run }) => {
      const all = await run.sandbox.resources("transaction-matches", { limit: 10_000 });
      const own = all.find(({ id }) => id === (body.matchId ?? body.id));
      const { transactionId } = Object(own?.hidden) as { transactionId?: string };
      body.cardTransaction.id = transactionId ?? body.cardTransaction.id;
    }),
  },
  {
    id: "mat/one-match-for-all-legs",
    requirement: "MAT-08",
    description: "Of a purchase that clears in parts only the first debit is announced",
    deliveries: dropped(CREATED, async (body, run) => {
      const all = await run.sandbox.resources("transaction-matches", { limit: 10_000 });
      const own = all.find(({ id }) => id === body.matchId);
      const { transactionId = "" } = Object(own?.hidden) as { transactionId?: string };
      const seen = remembered(run, "seen", () => new Set<string>());
      const isAgain = seen.has(transactionId);
      if (transactionId) seen.add(transactionId);
      return isAgain;
    }),
  },
  {
    id: "mat/no-rematching",
    requirement: "MAT-09",
    description: "The job that matches again is registered under another name",
    checks: ["MAT-09: card data that comes late is matched in time"],
    inside: ({ fire }) =>
      patch(jobHandlers as Json, "rematch", () => () => {
        fire();
      }),
  },
  {
    id: "mat/retracted-still-listed",
    requirement: "MAT-11",
    description: "Retracted matches stay in the list: the search index is not updated",
    checks: ["MAT-11: a retracted match is listed no longer"],
    inside: staysListed("transaction-matches"),
  },
  {
    id: "mat/deletes-other-card-id",
    requirement: "MAT-05",
    description: "The retraction names another card transaction",
    checks: ["MAT-05: a retraction names the match that was announced"],
    deliveries: sentAs("transaction.match.deleted", (body) => {
      body.cardTransactionId = OTHER_ID;
    }),
  },
  {
    id: "mat/retracts-unmatched",
    requirement: "MAT-05",
    description: "Each removed posting sends a retraction, whether it was matched or not",
    checks: ["MAT-05: nothing is retracted of a movement that was never matched"],
    deliveries: followed("banktransaction.deleted", ({ id, metadata }) => ({
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
    deliveries: dropped("transaction.match.created"),
  },
];
