import { isDeepStrictEqual } from "node:util";
import { memberOf } from "../../../src/contract/pointer.ts";
import { amountsDiffer } from "../../../src/contract/rules/sum.ts";
import { Assertions, bodyOf, breachAt, differences } from "../../assert.ts";
import { type Check, Skip } from "../../check.ts";
import type { Session } from "../../run/session.ts";
import { allDeliveries, hasVerb, runScenarios, type Scenarios } from "../../scenarios/act.ts";
import {
  distinctEvents,
  findEvents,
  findMatches,
  listAt,
  textAt,
} from "../../scenarios/find-deliveries.ts";
import { interleaved, partsIn } from "../../scenarios/interleaved.ts";
import { isListedOn, isSeen, noLongerListed, stillListed } from "../../scenarios/listed.ts";
import { purchaseInParts } from "../../scenarios/parts.ts";
import { bankMessageOf, settled } from "../../scenarios/purchases.ts";
import { readTransaction } from "../../scenarios/read.ts";
import { rematched } from "../../scenarios/rematches.ts";
import { NO_MATCH, removed, removedUnmatched, retired } from "../../scenarios/removals.ts";
import type { Delivery } from "../../wire/exchange.ts";
import { POSTED, REMOVED, STANDALONE } from "../shared/scenario-capabilities.ts";

/** Checks retracted and replaced matches, and matches of a purchase in parts. */
export const matchChecks: readonly Check[] = [
  // MAT-05: transaction.match.deleted names a matchId announced before, with bankTransactionId,
  // cardTransactionId and reason bank_transaction_retired or rematch_superseded.
  {
    claims: ["MAT-05.bank-transaction", "MAT-05.card-transaction"],
    title: "a retraction names the announced match",
    requires: POSTED,
    run: async (session) => {
      const assertions = new Assertions();
      const { completed: scenarios, missing } = await retractions(session);
      for (const { deliveries, match } of scenarios) {
        const matchId = memberOf(match.json, "matchId");
        for (const one of findEvents(deliveries, "transaction.match.deleted", {
          "/matchId": matchId,
        })) {
          assertions.hasValues(
            one,
            { "/bankTransactionId": textAt(match.json, "/matches/0/id") },
            match,
          );
          const isOfWhole = textAt(match.json, "/cardTransaction/id");
          // A match and its retraction may name a leg by different ids.
          if (isOfWhole !== undefined && (await isTransaction(session, isOfWhole))) {
            assertions.hasValues(one, { "/cardTransactionId": isOfWhole }, match);
          }
        }
      }
      return assertions.result("no match was retracted", missing);
    },
  },
  {
    claims: ["MAT-05.only-matched"],
    title: "an unmatched movement causes no retraction",
    requires: [...STANDALONE, "verb:removeAtProvider"],
    run: async (session) => {
      const { deliveries, match, bankTransactionId } = await removedUnmatched(session);
      if (match) return new Skip("the movement was matched unexpectedly");
      const values = { "/bankTransactionId": bankTransactionId };
      const assertions = new Assertions();
      const what = "no transaction.match.deleted of an unmatched movement";
      assertions.atMost(0, findEvents(deliveries, "transaction.match.deleted", values), what);
      return assertions.result("no movement was removed");
    },
  },
  // MAT-07: A forced re-match creates new match ids; the old id is announced deleted with
  // rematch_superseded.
  {
    claims: ["MAT-07.old-deleted", "MAT-07.reason"],
    title: "a forced re-match retracts the old match by its id",
    requires: [...POSTED, "verb:rematch"],
    run: async (session) => {
      const { deliveries, match } = await rematched(session);
      if (!match) return new Skip(NO_MATCH);
      const matchId = memberOf(match.json, "matchId");
      const assertions = new Assertions();
      assertions.wasDelivered(
        findEvents(deliveries, "transaction.match.deleted", { "/matchId": matchId }),
        `transaction.match.deleted of ${matchId}`,
        match,
        (one) => differences(one, { "/reason": "rematch_superseded" }, [match]),
      );
      return assertions.result(NO_MATCH);
    },
  },
  {
    claims: ["MAT-07.new-ids", "MAT-07.old-unlisted"],
    title: "a forced re-match creates matches with new ids",
    requires: [...POSTED, "verb:rematch"],
    run: async (session) => {
      const { deliveries, match, matches, purchase } = await rematched(session);
      if (!match) return new Skip(NO_MATCH);
      const matchId = memberOf(match.json, "matchId");
      const assertions = new Assertions();
      const fresh = findMatches(deliveries, purchase.bankTransactionId);
      const all = await allDeliveries(session);
      for (const one of fresh) {
        const isOld = memberOf(one.json, "matchId") === matchId;
        const isRepeat =
          isDeepStrictEqual(one.json, match.json) && !distinctEvents([match, one], all)[1];
        assertions.check(!isOld || isRepeat, breachAt(one, "/matchId", "a new id", match));
      }
      if (matches && isSeen(matches)) {
        assertions.check(!isListedOn(matches), stillListed(matches, match));
      }
      return assertions.result(NO_MATCH);
    },
  },
  // MAT-08: A purchase that clears in parts matches each bank debit to its own leg: one
  // transaction.match.created per debit, each with its own cardTransaction.id.
  {
    claims: ["MAT-08.one-each", "MAT-08.own-leg"],
    title: "each debit of a purchase in parts is matched to its own leg",
    requires: [...POSTED, "verb:clear"],
    run: async (session) => {
      const { postings, deliveries } = await purchaseInParts(session);
      const assertions = new Assertions();
      const legs = new Map<unknown, Delivery>();
      for (const { bankTransactionId, resource } of postings) {
        const matches = findMatches(deliveries, bankTransactionId);
        const what = `one transaction.match.created of ${bankTransactionId}`;
        assertions.wasDelivered(matches, what, resource);
        const ids = new Map(matches.map((one) => [memberOf(one.json, "matchId"), one]));
        assertions.atMost(1, [...ids.values()], what);
        const [match] = matches;
        if (!match) continue;
        const leg = textAt(match.json, "/cardTransaction/id");
        const other = legs.get(leg);
        const isOwn = other === undefined || other === match;
        const expected = "a different cardTransaction.id than the other debit";
        const beside = other ? [other] : [];
        assertions.check(isOwn, breachAt(match, "/cardTransaction/id", expected, ...beside));
        legs.set(leg, match);
      }
      return assertions.result("the bank posted no parts");
    },
  },
  {
    claims: ["MAT-08.leg-by-leg"],
    title: "each part of a purchase settles once, in any order of events",
    // Without "verb:settle", a match may arrive after the next step and change its result.
    requires: [...POSTED, "verb:clear", "verb:settle"],
    run: async (session) => {
      const { completed: purchases, missing } = await interleaved(session);
      const assertions = new Assertions();
      for (const { event, amounts, views, messages } of purchases.flat()) {
        for (const view of views) {
          const parts = [...partsIn(view, messages).keys()];
          const amount = memberOf(bodyOf(view), "transactionSettledAmount");
          if (typeof amount !== "number" || parts.length === 0) continue;
          const settled = parts.reduce((sum, part) => sum + amounts[part], 0);
          const expected = `${settled.toFixed(2)} after ${event}: each part once`;
          const isRight = !amountsDiffer(amount, settled);
          assertions.check(isRight, breachAt(view, "/transactionSettledAmount", expected));
        }
      }
      return assertions.result("no part of a purchase was posted and cleared", missing);
    },
  },
];

/** Checks matches that settle a purchase. */
export const settlingMatchChecks: readonly Check[] = [
  // MAT-01: transaction.match.created has matchId, confidence, score, cardTransaction, reasons[]
  // and matches[] with the fields given.
  {
    claims: ["MAT-01.owed"],
    title: "a match that settles a purchase is announced",
    requires: POSTED,
    run: async (session) => {
      const step = await settled(session);
      const { bankTransactionId, bankAccountId, cardId } = step;
      const message = bankMessageOf(step, bankTransactionId);
      if (!message) return new Skip("the bank's posting settled no purchase: see TXN-12");
      const assertions = new Assertions();
      assertions.wasDelivered(
        findMatches(step.deliveries, bankTransactionId),
        `transaction.match.created of ${bankTransactionId}`,
        message,
        (match) => [
          ...differences(match, { "/cardTransaction/cardId": cardId }, [message]),
          ...(bankAccountIn(match.json, bankTransactionId) === bankAccountId
            ? []
            : [
                breachAt(match, "/matches/0/bankAccountId", JSON.stringify(bankAccountId), message),
              ]),
        ],
      );
      return assertions.result("nothing was matched");
    },
  },
];

/** Checks that a retracted match disappears from its list. */
export const listedMatchChecks: readonly Check[] = [
  // MAT-11: Earlier removals of matches are reconciled by GET /transaction-matches.
  {
    claims: ["MAT-11.unlisted"],
    title: "a retracted match is no longer listed",
    requires: REMOVED,
    run: async (session) => {
      const { matches, deliveries } = await removed(session);
      if (!matches) return new Skip(NO_MATCH);
      return noLongerListed(
        matches,
        deliveries,
        "GET /transaction-matches did not list the match before its retraction",
      );
    },
  },
];

/** Runs the scenarios that retract a match and that the driver supports. */
async function retractions(
  session: Session,
): Promise<Scenarios<{ deliveries: readonly Delivery[]; match: Delivery }>> {
  const { completed: scenarios, missing } = await runScenarios<{
    deliveries: readonly Delivery[];
    match?: Delivery;
  }>(
    ...(hasVerb(session, "removeAtProvider") ? [() => removed(session)] : []),
    ...(hasVerb(session, "retireDuplicate") ? [() => retired(session)] : []),
    ...(hasVerb(session, "rematch") ? [() => rematched(session)] : []),
  );
  const matched = scenarios.flatMap(({ deliveries, match }) =>
    match ? [{ deliveries, match }] : [],
  );
  return { completed: matched, ...(missing && { missing }) };
}

/** Whether an id belongs to a transaction rather than to a leg. */
async function isTransaction(session: Session, transactionId: string): Promise<boolean> {
  const { response } = await readTransaction(session, transactionId);
  return response?.status === 200;
}

function bankAccountIn(match: unknown, bankTransactionId: string): unknown {
  const own = listAt(match, "matches").find((one) => memberOf(one, "id") === bankTransactionId);
  return memberOf(own, "bankAccountId");
}
