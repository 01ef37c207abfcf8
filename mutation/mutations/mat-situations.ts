import { createStandalone } from "../../src/sandbox/activity/standalone.ts";
import { UnitOfWork } from "../../src/sandbox/unit-of-work.ts";
import { combine, keepListed, replaceVerb } from "../internals.ts";
import type { DeliveryHook, Mutation, MutationRun } from "../mutation.ts";
import { parseJson } from "../mutation.ts";
import {
  changeEventsNamed,
  changeResource,
  changeResponseAt,
  delayEvents,
  dropEvents,
  type Json,
  mutationState,
  OTHER_ID,
  onEvents,
  patch,
  replaceEvent,
} from "../rewrite.ts";

const MATCHED = "transaction.match.created" as const;
const RETRACTED = "transaction.match.deleted" as const;
const DELETED = "banktransaction.deleted" as const;

const isReplaced = (body: Json) => body.reason === "rematch_superseded";

/** Drops the retractions of matches that were announced with a confidence. */
function dropRetractionsOf(confidence: string): DeliveryHook {
  return onEvents([MATCHED, RETRACTED], async (delivery, { send }, run) => {
    const known = mutationState(run, "known", () => new Map<string, string>());
    const body = parseJson(delivery.body);
    if (delivery.name === MATCHED) known.set(body.matchId, body.confidence);
    const isDropped = delivery.name === RETRACTED && known.get(body.matchId) === confidence;
    if (!isDropped) await send(delivery);
  });
}

/** Whether this is the nth event of a key, or a later one. */
function isFrom(nth: number, key: string, run: MutationRun): boolean {
  const seen = mutationState(run, "seen", () => new Map<string, number>());
  const count = (seen.get(key) ?? 0) + 1;
  seen.set(key, count);
  return count >= nth;
}

/** Changes the retractions that follow the deletion of a duplicate. */
function changeOfDuplicates(change: (body: Json) => void): DeliveryHook {
  return onEvents([DELETED, RETRACTED], async (delivery, { send }, run) => {
    const reasons = mutationState(run, "reasons", () => new Map<string, string>());
    const body = parseJson(delivery.body);
    if (delivery.name === DELETED) reasons.set(body.id, body.reason);
    else if (reasons.get(body.bankTransactionId) === "duplicate_retired") change(body);
    await send({ ...delivery, body: JSON.stringify(body) });
  });
}

let isRetiring = false;

/** Mutations of matches that show in one situation only. */
export const matSituations: readonly Mutation[] = [
  {
    id: "mat/unannounced-on-c",
    requirement: "MAT-01",
    description: "Matches on NETWORK_C, which have no approval code, are stored without an event",
    checks: ["MAT-01: a match that settles a purchase is announced"],
    deliveries: dropEvents(MATCHED, ({ cardTransaction }) => {
      return cardTransaction.source === "NETWORK_C";
    }),
  },
  {
    id: "mat/high-from-069",
    requirement: "MAT-02",
    description: "A score of 0.69 is rounded up to HIGH",
    checks: ["MAT-02: every body"],
    ...changeResource("transaction-matches", (body) => {
      if (body.confidence !== "MEDIUM") return;
      body.confidence = "HIGH";
      body.score = 0.69;
    }),
  },
  {
    id: "mat/low-as-empty",
    requirement: "MAT-01",
    description: "The confidence LOW is an empty string",
    checks: ["MAT-01: every body"],
    ...changeResource("transaction-matches", (body) => {
      if (body.confidence === "LOW") body.confidence = "";
    }),
  },
  {
    id: "mat/announces-candidates",
    requirement: "MAT-02",
    description: "The best candidate is announced, even if it is not similar",
    checks: [
      "MAT-02: late card data without a similar posting is not matched",
      "MAT-02: every body",
    ],
    deliveries: async (delivery, { send }, run) => {
      const last = mutationState(run, "last", (): Json => ({}));
      const body = parseJson(delivery.body);
      if (delivery.name === MATCHED) last.match = body;
      if (delivery.name === "banktransaction.created") last.postingId = body.id;
      await send(delivery);
      const isOther = String(body.descriptor).startsWith("ZYX");
      if (delivery.name !== "transaction.created" || !isOther) return;
      const [one] = last.match.matches;
      await send(
        replaceEvent(delivery, MATCHED, {
          ...{ ...last.match, matchId: OTHER_ID, confidence: "LOW", score: 0.07 },
          cardTransaction: { ...last.match.cardTransaction, id: body.id },
          matches: [{ ...one, id: last.postingId }],
        }),
      );
    },
  },
  {
    id: "mat/medium-retired-silently",
    requirement: "BTX-05",
    description: "Only matches that settled a purchase are retracted with an event, not MEDIUM",
    checks: ["BTX-05: the match of a retired duplicate is announced as deleted"],
    deliveries: dropRetractionsOf("MEDIUM"),
  },
  {
    id: "mat/low-removed-silently",
    requirement: "BTX-05",
    description: "Retractions of LOW matches are not announced",
    checks: ["BTX-05: the match of a removed posting is announced as deleted"],
    deliveries: dropRetractionsOf("LOW"),
  },
  {
    id: "mat/retired-before-deletion",
    requirement: "BTX-05",
    description: "The retirement of a duplicate announces the retraction before the deletion",
    checks: ["BTX-05: the retraction of a match is sent after the deletion of its posting"],
    deliveries: delayEvents(DELETED, RETRACTED, ({ reason }) => reason === "duplicate_retired"),
  },
  {
    id: "btx/deleted-twice",
    requirement: "BTX-04",
    description: "The retraction's job announces the deletion again, with its own time",
    checks: [
      "BTX-04: a posting that the provider removes is announced as deleted",
      "BTX-04: a retired duplicate posting is announced as deleted",
    ],
    deliveries: onEvents([DELETED, RETRACTED], async (delivery, { send }, run) => {
      const sent = mutationState(run, "sent", () => new Map<string, Json>());
      const body = parseJson(delivery.body);
      await send(delivery);
      if (delivery.name === DELETED) sent.set(body.id, body);
      const deletion = delivery.name === RETRACTED && sent.get(body.bankTransactionId);
      if (deletion) await send(replaceEvent(delivery, DELETED, deletion));
    }),
  },
  {
    id: "mat/duplicate-of-other-card",
    requirement: "MAT-05",
    description: "The retraction after a retired duplicate has the bank transaction's id twice",
    checks: ["MAT-05: a retraction names the announced match"],
    deliveries: changeOfDuplicates((body) => {
      body.cardTransactionId = body.bankTransactionId;
    }),
  },
  {
    id: "mat/resource-of-match-if-replaced",
    requirement: "MAT-06",
    description: "metadata.resourceId is the match's id if the match is replaced",
    checks: ["MAT-06: every body"],
    deliveries: changeEventsNamed(RETRACTED, (body) => {
      if (isReplaced(body)) body.metadata.resourceId = body.matchId;
    }),
  },
  {
    id: "mat/second-rematch-silent",
    requirement: "MAT-07",
    description: "Only the first re-match of a purchase retracts its match with an event",
    checks: ["MAT-07: a forced re-match retracts the old match by its id"],
    deliveries: dropEvents(RETRACTED, (body, run) => {
      return isReplaced(body) && isFrom(2, body.bankTransactionId, run);
    }),
  },
  {
    id: "mat/second-rematch-reuses-id",
    requirement: "MAT-07",
    description: "The second re-match takes the id of the first match from a cache",
    checks: ["MAT-07: a forced re-match creates matches with new ids"],
    deliveries: changeEventsNamed(MATCHED, (body, { run }) => {
      const first = mutationState(run, "first", () => new Map<string, string>());
      const [{ id }] = body.matches;
      if (!first.has(id)) first.set(id, body.matchId);
      if (isFrom(3, id, run)) body.matchId = first.get(id);
    }),
  },
  {
    id: "mat/third-match-silent",
    requirement: "MAT-01",
    description: "A bank transaction's matches are announced only twice",
    checks: ["MAT-01: each new resource of GET /transaction-matches is announced"],
    deliveries: dropEvents(MATCHED, ({ matches }, run) => isFrom(3, matches[0].id, run)),
  },
  {
    id: "btx/same-text-silent",
    requirement: "BTX-01",
    description: "A posting with the text of an earlier one is taken for its repetition",
    checks: ["BTX-01: each new resource of GET /bank-transactions is announced"],
    deliveries: dropEvents("banktransaction.created", ({ description }, run) => {
      return isFrom(2, description, run);
    }),
  },
  {
    id: "mat/listed-after-retirement",
    requirement: "MAT-11",
    description: "The match of a retired duplicate stays in the list",
    checks: ["MAT-11: a retracted match is no longer listed"],
    inside: combine(
      replaceVerb("retire-duplicate", (original, work, params) => {
        isRetiring = true;
        try {
          return (original as Json)(work, params);
        } finally {
          isRetiring = false;
        }
      }),
      keepListed("transaction-matches", () => isRetiring),
    ),
  },
  {
    id: "mat/never-restarted",
    requirement: "MAT-09",
    description: "Newer card data does not restart a schedule that still runs",
    checks: ["MAT-09: newer card data is matched as soon as the card data before it"],
    inside: ({ fire }) => {
      const { cancel, schedule } = UnitOfWork.prototype;
      const hasJobs = (work: UnitOfWork, subject: string) =>
        (work.store.sql("SELECT 1 FROM jobs WHERE subject = ?").all(subject) as Json[]).length > 0;
      let isRunning = false;
      const undo = [
        patch(UnitOfWork.prototype, "cancel", () => {
          return function keepJobs(this: UnitOfWork, name, subject) {
            isRunning = name === "rematch" && hasJobs(this, subject);
            if (isRunning) fire();
            else cancel.call(this, name, subject);
          };
        }),
        patch(UnitOfWork.prototype, "schedule", () => {
          return function scheduleOnce(this: UnitOfWork, name, subject, inMs) {
            if (name !== "rematch" || !isRunning) schedule.call(this, name, subject, inMs);
          };
        }),
      ];
      return () => {
        for (const restore of undo) restore();
      };
    },
  },
  {
    id: "mat/rematched-counted-twice",
    requirement: "TXN-14",
    description: "A re-match adds a bank-only transaction although the debit has its match again",
    checks: ["TXN-14: a movement that is matched again is not counted twice"],
    inside: replaceVerb("rematch", (original, work, params, fire) => {
      const result = (original as Json)(work, params);
      for (const id of result.matchIds) {
        const match = work.store.find("transaction-matches", id);
        const movement = work.store.find("bank-transactions", match.parent);
        createStandalone(work, work.store.find("bank-accounts", movement.parent), movement);
        fire();
      }
      return result;
    }),
  },
  {
    id: "mat/low-unlisted",
    requirement: "MAT-11",
    description: "GET /transaction-matches leaves LOW matches out",
    checks: ["MAT-11: an announced match is listed before its retraction"],
    http: changeResponseAt("/transaction-matches", (json) => {
      const all: Json[] = json._embedded.transactionMatches;
      json._embedded.transactionMatches = all.filter(({ confidence }) => confidence !== "LOW");
    }),
  },
];
