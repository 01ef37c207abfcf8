import { createStandalone } from "../../src/world/activity/standalone.ts";
import { jobHandlers } from "../../src/world/job-handlers.ts";
import { UnitOfWork } from "../../src/world/unit-of-work.ts";
import * as is from "../bugs.ts";
import { bug, field, fields } from "../bugs.ts";
import { event } from "../events.ts";
import { keepListed, verb } from "../internals.ts";
import type { Mutation } from "../mutation.ts";
import {
  type Json,
  nth,
  OTHER_ID,
  patch,
  resource,
  resourcesOf,
  response,
  toPrevious,
  type Where,
} from "../rewrite.ts";

const MATCHED = "transaction.match.created" as const;
const RETRACTED = "transaction.match.deleted" as const;
const DELETED = "banktransaction.deleted" as const;

const match = resource("transaction-matches");
const matched = event(MATCHED);
const retracted = event(RETRACTED);
const both = event(MATCHED, RETRACTED);

const isReplaced = (body: Json) => body.reason === "rematch_superseded";

const replaced = retracted.when(isReplaced);
const RESOURCE_ID = "/metadata/resourceId";

/** The purchase of a match. */
async function transactionOf(id: string, run: Where): Promise<string | undefined> {
  const own = (await resourcesOf(run, "transaction-matches")).find((one) => one.id === id);
  return own?.hidden?.transactionId;
}

/** Does not retract matches that were announced with a confidence. */
const retractionSilent = (confidence: string) =>
  both.silent((body, { event: name, memory }) => {
    if (name === MATCHED) memory.set(body.matchId, body.confidence);
    return name === RETRACTED && memory.get(body.matchId) === confidence;
  });

/** Changes the retractions of re-matches by whether they are the first of their purchase. */
const onParts = (change: (body: Json, isFirst: boolean) => Json | undefined) =>
  both.handle(async (body, { event: name, memory, send }) => {
    if (name === MATCHED) memory.set(body.matchId, body.cardTransaction.descriptor);
    if (name === MATCHED || !isReplaced(body)) return await send();
    const key = `first of ${memory.get(body.matchId)}`;
    const first = memory.get(key) ?? body.bankTransactionId;
    memory.set(key, first);
    const changed = change(body, first === body.bankTransactionId);
    if (changed) await send(changed);
  });

/** Mutations of matches. */
export const mat: readonly Mutation[] = [
  field("mat/id", "MAT-01.fields", matched, "/matchId", is.named("id")),
  field("mat/single-bank-transaction", "MAT-01.fields", matched, "/matches", is.first),
  field("mat/score-text", "MAT-01.fields", matched, "/score", is.decimals),
  field("mat/no-source", "MAT-01.bank-side", matched, "/matches/*/source", is.omitted),
  bug("mat/announced-as-unsure", "TXN-12.high-only").is(
    "A match that settles its purchase is announced before its last score is known",
    matched.when({ confidence: "HIGH" }).set("/confidence", "MEDIUM").set("/score", 0.6),
  ),
  bug("mat/other-thresholds", "MAT-02.medium").is(
    "The thresholds are those of an old version: HIGH from 0.90, MEDIUM from 0.70",
    match.set("/confidence", (_, { score }) => {
      return score >= 0.9 ? "HIGH" : score >= 0.7 ? "MEDIUM" : "LOW";
    }),
  ),
  ...fields(match, [
    ["mat/always-high", "MAT-02.high", "/confidence", is.always("HIGH")],
    ["mat/confidence-lower-case", "MAT-01.fields", "/confidence", is.lower],
    ["mat/other-bank-id", ["MAT-04.resolves", "MAT-04.announced"], "/matches/*/id", is.mistaken],
    ["mat/bank-account-of-provider", "MAT-04.same-account", "/matches/*/bankAccountId", is.foreign],
  ]),
  bug("mat/below-low", "MAT-02.none-below").is(
    "Candidates with a score of only 0.05 are announced",
    match
      .when(({ confidence }) => confidence !== "HIGH")
      .set("/confidence", "LOW")
      .set("/score", 0.05),
  ),
  bug("mat/reasons-text", "MAT-03.fields")
    .is("Reasons are strings instead of objects")
    .by(match.set("/reasons/*", (reason) => reason.message)),
  field("mat/reasons-without-diff", "MAT-03.fields", matched, "/reasons/*/diff", is.omitted),
  bug("mat/account-as-bank-id", "MAT-04.announced").is(
    "matches[].id is the bank account's id",
    matched.each("/matches/*", (one) => {
      one.id = one.bankAccountId;
    }),
  ),
  bug("mat/no-rematching", "MAT-09.rematched")
    .is("The re-matching job is registered under the wrong name")
    .by({
      inside: ({ fire }) => patch(jobHandlers as Json, "rematch", () => () => fire()),
    }),
  bug("mat/retracted-still-listed", "MAT-11.unlisted")
    .is("The search index is not updated, so retracted matches stay in the list")
    .by(keepListed("transaction-matches")),
  bug("mat/unannounced", "MAT-01.owed").is("Matches are stored without an event", matched.silent()),
  bug("mat/subscription-as-card", "MAT-01.owed", "MAT-01.card-transaction")
    .is("cardTransaction.cardId is the id of the card's subscription")
    .by(match, async ({ cardTransaction }, run) => {
      const all = await resourcesOf(run, "card-subscriptions");
      const own = all.find(({ body }) => body.cardId === cardTransaction.cardId);
      if (own) cardTransaction.cardId = own.id;
    }),
  // Retractions, re-matches and purchases in parts.
  ...fields(retracted, [
    ["mat/deletes-other-id", "MAT-05.names-announced", "/matchId", is.mistaken],
    ["mat/deletes-bank-id", "MAT-05.names-announced", "/matchId", is.copyOf("bankTransactionId")],
    ["mat/deleted-without-card", "MAT-05.card-transaction", "/cardTransactionId", is.omitted],
    ["mat/deleted-for-no-reason", "MAT-05.reason", "/reason", is.nulled],
    ["mat/resource-of-match", "MAT-06.resource-id", RESOURCE_ID, is.copyOf("matchId")],
    ["mat/deletes-other-card-id", "MAT-05.card-transaction", "/cardTransactionId", is.foreign],
  ]),
  field("ep/event-other-match-id", "MAT-05.names-announced", matched, "/matchId", is.mistaken),
  bug("mat/deletes-other-bank-id", "MAT-05.bank-transaction")
    .is("bankTransactionId of a retraction is that of the previous retraction")
    .by(retracted, toPrevious("bankTransactionId")),
  bug("mat/rematch-keeps-id", "MAT-07.new-ids").is(
    "A re-match overwrites the old row: it keeps the id and retracts nothing",
    both.handle((body, { event: name, memory, send }) => {
      if (name === RETRACTED && isReplaced(body))
        return memory.set(body.bankTransactionId, body.matchId);
      const matchId = name === MATCHED && memory.get(body.matches[0].id);
      return matchId ? send({ ...body, matchId }) : send();
    }),
  ),
  bug("mat/rematch-retracts-nothing", "MAT-07.old-deleted")
    .is("A re-match replaces the old match without a retraction")
    .by(retracted.silent(isReplaced)),
  bug("mat/rematch-for-other-reason", "MAT-07.reason")
    .is("A re-match retracts with the reason bank_transaction_retired")
    .by(replaced.set("/reason", "bank_transaction_retired")),
  bug("mat/resource-of-match-if-replaced", "MAT-06.resource-id")
    .is("metadata.resourceId is the match's id if the match is replaced")
    .by(is.copyOf("matchId")(replaced, RESOURCE_ID)),
  bug("mat/rematch-retracts-new", "MAT-07.old-deleted").is(
    "The retraction is sent late, with the id of the new match",
    both.handle(async (body, { event: name, memory, send }) => {
      const late = (matchId: string) => send({ ...body, matchId });
      if (name === RETRACTED && isReplaced(body)) return memory.set(body.bankTransactionId, late);
      await send();
      const id = name === MATCHED && body.matches[0].id;
      await memory.get(id)?.(body.matchId);
      memory.delete(id);
    }),
  ),
  bug("mat/legs-of-one-id", "MAT-08.own-leg")
    .is("The match of each part has the transaction's id")
    .by(match, async (body, run) => {
      const transactionId = await transactionOf(body.matchId ?? body.id, run);
      body.cardTransaction.id = transactionId ?? body.cardTransaction.id;
    }),
  bug("mat/one-match-for-all-legs", "MAT-08.one-each").is(
    "Only the first match of a purchase that clears in parts is announced",
    matched.silent(async ({ matchId }, run) => {
      const transactionId = await transactionOf(matchId, run);
      return transactionId !== undefined && nth(run, transactionId) > 1;
    }),
  ),
  bug("mat/retracts-unmatched", "MAT-05.only-matched").is(
    "Each removed bank transaction sends a retraction, even if it was not matched",
    event(DELETED).twice(
      ({ id, metadata }) => ({
        ...{ matchId: OTHER_ID, bankTransactionId: id, cardTransactionId: OTHER_ID, metadata },
        reason: "bank_transaction_retired",
      }),
      RETRACTED,
    ),
  ),
  bug("mat/rematch-retracts-one", "MAT-07.old-deleted")
    .is("A re-match of a purchase in parts retracts the match of one part only")
    .by(onParts((body, isFirst) => (isFirst ? body : undefined))),
  bug("mat/leg-named-otherwise", "MAT-05.card-transaction")
    .is("The retractions of a purchase in parts name the same card transaction")
    .by(onParts((body, isFirst) => (isFirst ? body : { ...body, cardTransactionId: OTHER_ID }))),
  // What shows in one situation only.
  bug("mat/unannounced-on-c", "MAT-01.owed")
    .is("Matches on NETWORK_C, which have no approval code, are stored without an event")
    .by(matched.silent(({ cardTransaction }) => cardTransaction.source === "NETWORK_C")),
  bug("mat/high-from-069", "MAT-02.high")
    .is("A score of 0.69 is rounded up to HIGH")
    .by(match.when({ confidence: "MEDIUM" }).set("/confidence", "HIGH").set("/score", 0.69)),
  bug("mat/low-as-empty", "MAT-01.fields")
    .is("The confidence LOW is an empty string")
    .by(match.when({ confidence: "LOW" }).set("/confidence", "")),
  bug("mat/announces-candidates", "MAT-02.none-below").is(
    "The best candidate is announced, even if it is not similar",
    event(MATCHED, "banktransaction.created", "transaction.created").handle(
      async (body, { event: name, memory, send }) => {
        memory.set(name, body);
        await send();
        const isOther = String(body.descriptor).startsWith("ZYX");
        if (name !== "transaction.created" || !isOther) return;
        const last = memory.get(MATCHED);
        const { id } = memory.get("banktransaction.created");
        await send(
          {
            ...{ ...last, matchId: OTHER_ID, confidence: "LOW", score: 0.07 },
            cardTransaction: { ...last.cardTransaction, id: body.id },
            matches: [{ ...last.matches[0], id }],
          },
          MATCHED,
        );
      },
    ),
  ),
  bug("mat/medium-retired-silently", "BTX-05.retracted")
    .is("Only matches that settled a purchase are retracted with an event, not MEDIUM")
    .by(retractionSilent("MEDIUM")),
  bug("mat/low-removed-silently", "BTX-05.retracted")
    .is("Retractions of LOW matches are not announced")
    .by(retractionSilent("LOW")),
  bug("mat/retired-before-deletion", "BTX-05.follows")
    .is("The retirement of a duplicate announces the retraction before the deletion")
    .by(event(DELETED).late(RETRACTED, ({ reason }) => reason === "duplicate_retired")),
  bug("mat/duplicate-of-other-card", "MAT-05.card-transaction")
    .is("The retraction after a retired duplicate has the bank transaction's id twice")
    .by(event(DELETED, RETRACTED), (body, { event: name, memory }) => {
      if (name === DELETED) memory.set(body.id, body.reason);
      else if (memory.get(body.bankTransactionId) === "duplicate_retired")
        body.cardTransactionId = body.bankTransactionId;
    }),
  bug("mat/second-rematch-silent", "MAT-07.old-deleted")
    .is("Only the first re-match of a purchase retracts its match with an event")
    .by(retracted.silent((body, run) => isReplaced(body) && nth(run, body.bankTransactionId) > 1)),
  bug("mat/second-rematch-reuses-id", "MAT-07.new-ids")
    .is("The second re-match takes the id of the first match from a cache")
    .by(matched, (body, run) => {
      const [{ id }] = body.matches;
      const first = run.memory.get(`match of ${id}`) ?? body.matchId;
      run.memory.set(`match of ${id}`, first);
      if (nth(run, id) > 2) body.matchId = first;
    }),
  bug("mat/third-match-silent", "MAT-01.owed")
    .is("A bank transaction's matches are announced only twice")
    .by(matched.silent(({ matches }, run) => nth(run, matches[0].id) > 2)),
  bug("mat/listed-after-retirement", "MAT-11.unlisted")
    .is("The match of a retired duplicate stays in the list")
    .by(keepListed("transaction-matches", "retire-duplicate")),
  bug("mat/never-restarted", "MAT-09.restarted")
    .is("Newer card data does not restart a schedule that still runs")
    .by({
      inside: ({ fire }) => {
        const { cancel, schedule } = UnitOfWork.prototype;
        const hasJobs = (work: Json, subject: string) =>
          (work.store.sql("SELECT 1 FROM jobs WHERE subject = ?").all(subject) as Json[]).length >
          0;
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
    }),
  bug("mat/rematched-counted-twice", "TXN-14.netted").is(
    "A re-match adds a bank-only transaction although the debit has its match again",
    verb("rematch").otherwise((original, work, _, fire) => {
      const result = original();
      for (const id of result.matchIds) {
        const { parent } = work.store.find("transaction-matches", id);
        const movement = work.store.find("bank-transactions", parent);
        createStandalone(work, work.store.find("bank-accounts", movement.parent), movement);
        fire();
      }
      return result;
    }),
  ),
  bug("mat/low-unlisted", "MAT-11.listed").is(
    "GET /transaction-matches leaves LOW matches out",
    response("/transaction-matches").set("/_embedded/transactionMatches", (all: Json[]) =>
      all.filter(({ confidence }) => confidence !== "LOW"),
    ),
  ),
];
