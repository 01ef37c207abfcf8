import { isDeepStrictEqual } from "node:util";
import type { Situation } from "../../../generated/requirements.ts";
import { memberOf } from "../../../src/contract/pointer.ts";
import { Assertions, breachAt, ClaimAssertions, differences } from "../../assert.ts";
import { type Check, type Session, Skip } from "../../check.ts";
import { situationsOf } from "../../observe/situations.ts";
import {
  allDeliveries,
  hasVerbs,
  POSTED,
  REMOVED,
  readTransaction,
  runScenarios,
  type Scenarios,
  STANDALONE,
} from "../../scenarios/act.ts";
import { distinctEvents, findEvents, textAt } from "../../scenarios/find-deliveries.ts";
import { ifPossible } from "../../scenarios/lifecycles.ts";
import { isListedOn, isSeen, type Listed, stillListed } from "../../scenarios/listed.ts";
import { NO_MATCH, partsRematched, type Rematch, rematched } from "../../scenarios/rematches.ts";
import {
  endedLate,
  type Removal,
  removed,
  removedUnmatched,
  retired,
} from "../../scenarios/removals.ts";
import type { Delivery } from "../../wire/exchange.ts";

/** Checks retracted and replaced matches. */
export const retractionChecks: readonly Check[] = [
  // MAT-05: transaction.match.deleted names a matchId announced before, with bankTransactionId,
  // cardTransactionId and reason bank_transaction_retired or rematch_superseded.
  {
    claims: ["MAT-05.names-announced", "MAT-05.bank-transaction", "MAT-05.card-transaction"],
    title: "a retraction names the announced match",
    requires: POSTED,
    run: async (session) => {
      const assertions = new ClaimAssertions();
      const { completed, missing } = await retractions(session);
      for (const { deliveries, match, how } of completed) {
        const bankTransactionId = textAt(match.json, "/matches/0/id");
        const matchId = memberOf(match.json, "matchId");
        const ofPosting = findEvents(deliveries, "transaction.match.deleted", {
          "/bankTransactionId": bankTransactionId,
        });
        const ofMatch = findEvents(deliveries, "transaction.match.deleted", {
          "/matchId": matchId,
        });
        const names = assertions.of("MAT-05.names-announced", how);
        if (ofPosting.length > 0) {
          names.wasDelivered(ofPosting, "", match, (one) =>
            differences(one, { "/matchId": matchId }, [match]),
          );
        }
        for (const one of ofMatch) {
          const bank = assertions.of("MAT-05.bank-transaction", how);
          bank.hasValues(one, { "/bankTransactionId": bankTransactionId }, match);
          const named = textAt(match.json, "/cardTransaction/id");
          if (named === undefined) continue;
          const breaches = differences(one, { "/cardTransactionId": named }, [match]);
          // The interface does not say whether a match and its retraction name a leg by one id.
          const isOpen = breaches.length > 0 && !(await isTransaction(session, named));
          const card = assertions.of("MAT-05.card-transaction", how);
          card.all(breaches.map((breach) => (isOpen ? { ...breach, isWarning: true } : breach)));
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
      const { completed, missing } = await allRematched(session);
      const assertions = new ClaimAssertions();
      for (const { deliveries, match, order } of completed) {
        const matchId = memberOf(match.json, "matchId");
        const sent = findEvents(deliveries, "transaction.match.deleted", { "/matchId": matchId });
        const owed = assertions.of("MAT-07.old-deleted", order);
        owed.wasDelivered(sent, `transaction.match.deleted of ${matchId}`, match);
        if (sent.length === 0) continue;
        assertions.of("MAT-07.reason").wasDelivered(sent, "", match, (one) => {
          return differences(one, { "/reason": "rematch_superseded" }, [match]);
        });
      }
      return assertions.result(NO_MATCH, missing);
    },
  },
  {
    claims: ["MAT-07.new-ids", "MAT-07.old-unlisted"],
    title: "a forced re-match creates matches with new ids",
    requires: [...POSTED, "verb:rematch"],
    run: async (session) => {
      const { completed, missing } = await allRematched(session);
      const all = await allDeliveries(session);
      const assertions = new ClaimAssertions();
      for (const { match, matches, earlier, fresh, order } of completed) {
        for (const one of fresh) {
          const same = earlier.filter(({ json }) => {
            return memberOf(json, "matchId") === memberOf(one.json, "matchId");
          });
          const isRepeat = same.some((old) => {
            return isDeepStrictEqual(one.json, old.json) && !distinctEvents([old, one], all)[1];
          });
          const isNew = same.length === 0 || isRepeat;
          const ids = assertions.of("MAT-07.new-ids", order);
          ids.check(isNew, breachAt(one, "/matchId", "a new id", ...same));
        }
        if (!isSeen(matches)) continue;
        const listed = assertions.of("MAT-07.old-unlisted");
        listed.check(!isListedOn(matches), stillListed(matches, match));
      }
      return assertions.result(NO_MATCH, missing);
    },
  },
];

/** Checks that a retracted match disappears from its list. */
export const listedMatchChecks: readonly Check[] = [
  // MAT-11: Earlier removals of matches are reconciled by GET /transaction-matches.
  {
    claims: ["MAT-11.listed"],
    title: "an announced match is listed before its retraction",
    requires: REMOVED,
    run: async (session) => {
      const assertions = new Assertions();
      const { completed, missing } = await retractions(session);
      const all = await allDeliveries(session);
      for (const { matches, deliveries, match } of completed) {
        const matchId = textAt(match.json, "/matchId");
        const [gone] = findEvents(all, "transaction.match.deleted", { "/matchId": matchId });
        const isEarlier = gone !== undefined && !deliveries.includes(gone);
        if (!matches?.before.isWhole || isEarlier) continue;
        const where = situationsOf(match.json, session.capabilities.networks);
        assertions.of("MAT-11.listed", ...where).check(matches.before.items.length > 0, {
          expected: `${matchId}, because it was announced`,
          actual: "not listed",
          evidence: [matches.before.page, match],
        });
      }
      return assertions.result(NO_MATCH, missing);
    },
  },
  {
    claims: ["MAT-11.unlisted"],
    title: "a retracted match is no longer listed",
    requires: REMOVED,
    run: async (session) => {
      const assertions = new Assertions();
      const { completed, missing } = await retractions(session);
      for (const { matches, deliveries, how } of completed) {
        if (!matches || !isSeen(matches)) continue;
        const listed = assertions.of("MAT-11.unlisted", how);
        listed.check(!isListedOn(matches), stillListed(matches, ...deliveries.slice(0, 1)));
      }
      const reason = "GET /transaction-matches did not list a match before its retraction";
      return assertions.result(reason, missing);
    },
  },
];

/** A match after a verb that retracts it. */
interface Retraction {
  readonly how: Situation;
  readonly deliveries: readonly Delivery[];
  readonly match: Delivery;
  readonly matches?: Listed;
}

/** Runs the scenarios that retract a match and that the driver supports. */
async function retractions(session: Session): Promise<Scenarios<Retraction>> {
  const { completed, missing } = await runScenarios<readonly Retraction[]>(
    ...(hasVerbs(session, "removeAtProvider") ? [async () => ended(await removed(session))] : []),
    ...(hasVerbs(session, "retireDuplicate") ? [async () => ended(await retired(session))] : []),
    async () => ended(...(await endedLate(session))),
    ...(hasVerbs(session, "rematch") ? [() => replaced(session)] : []),
  );
  return { completed: completed.flat(), ...(missing && { missing }) };
}

function ended(...removals: readonly Removal[]): Retraction[] {
  return removals.flatMap(({ deliveries, match, matches, reason }) => {
    const how = reason === "provider_removed" ? "removed" : "retired";
    return match ? [{ how, deliveries, match, ...(matches && { matches }) }] : [];
  });
}

/** Rematches a purchase with one match and, if the target can, one with several. */
async function allRematched(session: Session): Promise<Scenarios<Rematch>> {
  const canClear = hasVerbs(session, "clear");
  const { completed, missing } = await rematched(session);
  const parts = canClear ? (await ifPossible(() => partsRematched(session))).flat() : [];
  return { completed: [...completed, ...parts], ...(missing && { missing }) };
}

async function replaced(session: Session): Promise<readonly Retraction[]> {
  const { completed, missing } = await allRematched(session);
  if (missing && completed.length === 0) throw missing;
  return completed.map(({ deliveries, match, matches }: Rematch) => {
    return { how: "rematched", deliveries, match, matches };
  });
}

/** Whether an id belongs to a transaction rather than to a leg. */
async function isTransaction(session: Session, transactionId: string): Promise<boolean> {
  const { response } = await readTransaction(session, transactionId);
  return response?.status === 200;
}
