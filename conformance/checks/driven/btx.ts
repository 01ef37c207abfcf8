import { isDeepStrictEqual } from "node:util";
import { memberOf } from "../../../src/contract/pointer.ts";
import { amountsDiffer } from "../../../src/contract/rules/sum.ts";
import { type Check, Skip } from "../../check.ts";
import type { Delivery } from "../../deliveries/delivery.ts";
import { allDeliveries, has, type Stories, tellEach } from "../../driven/act.ts";
import { interleaved, partsIn } from "../../driven/interleaved.ts";
import { isListedOn, type Listed } from "../../driven/listed.ts";
import { bodyOf, breachAt, differences, Look } from "../../driven/look.ts";
import { parted } from "../../driven/parts.ts";
import { rematched } from "../../driven/rematches.ts";
import { type Removal, removed, removedAlone, retired } from "../../driven/removals.ts";
import { areInverted, matchesOf, ofEvent, sent, textAt } from "../../driven/told.ts";
import type { Session } from "../../session.ts";
import type { Exchange } from "../../transport/exchange.ts";
import { POSTED, STANDALONE } from "./needs.ts";

const NO_MATCH = "no match of a posting was announced that could be taken back";
const REMOVED = [...POSTED, "verb:removeAtProvider"] as const;
const RETIRED = [...POSTED, "verb:retireDuplicate"] as const;

/** Bank transactions that go, and matches that are taken back. */
export const removalChecks: readonly Check[] = [
  deletion("a posting that the provider removes is told deleted", removed, REMOVED),
  deletion("a duplicate posting that is retired is told deleted", retired, RETIRED),
  retraction("the match of a removed posting is told deleted", removed, REMOVED),
  retraction("the match of a retired duplicate is told deleted", retired, RETIRED),
  {
    requirement: "BTX-05",
    title: "the retraction of a match follows the deletion of its posting",
    requires: [...REMOVED, "verb:retireDuplicate"],
    run: async (session) => {
      const { told: removals, missing } = await tellEach(
        () => removed(session),
        () => retired(session),
      );
      const pairs = removals.flatMap(({ told, bankTransactionId: id }) => {
        const [gone] = ofEvent(told, "banktransaction.deleted", { "/id": id });
        const [match] = ofEvent(told, "transaction.match.deleted", { "/bankTransactionId": id });
        return gone && match ? ([[gone, match]] as const) : [];
      });
      const [pair] = pairs;
      if (!pair) return new Skip(NO_MATCH);
      const look = new Look();
      look.that(!areInverted(pairs), {
        expected: "banktransaction.deleted, then transaction.match.deleted",
        actual: `the other way round, ${pairs.length} times of ${pairs.length}`,
        shownBy: [pair[1], pair[0]],
      });
      return look.found(NO_MATCH, missing);
    },
  },
  {
    requirement: "MAT-05",
    title: "a retraction names the match that was announced",
    requires: POSTED,
    alternative: true,
    run: async (session) => {
      const look = new Look();
      const { told: stories, missing } = await retractions(session);
      for (const { told, match } of stories) {
        const matchId = memberOf(match.json, "matchId");
        for (const one of ofEvent(told, "transaction.match.deleted", { "/matchId": matchId })) {
          look.has(one, { "/bankTransactionId": textAt(match.json, "/matches/0/id") }, match);
          const isOfWhole = textAt(match.json, "/cardTransaction/id");
          // A leg's id may be another than that of its retraction (readings, 20).
          if (isOfWhole !== undefined && (await isTransaction(session, isOfWhole))) {
            look.has(one, { "/cardTransactionId": isOfWhole }, match);
          }
        }
      }
      return look.found("no match was taken back", missing);
    },
  },
  {
    requirement: "MAT-05",
    title: "nothing is retracted of a movement that was never matched",
    requires: [...STANDALONE, "verb:removeAtProvider"],
    alternative: true,
    run: async (session) => {
      const { told, match, bankTransactionId } = await removedAlone(session);
      if (match) return new Skip("the movement was matched, though nothing explains it");
      const values = { "/bankTransactionId": bankTransactionId };
      const look = new Look();
      const what = "no transaction.match.deleted of a movement that had no match";
      look.atMost(0, ofEvent(told, "transaction.match.deleted", values), what);
      return look.found("no movement was removed");
    },
  },
  {
    requirement: "MAT-07",
    title: "a forced re-match retracts the old match by its id",
    requires: [...POSTED, "verb:rematch"],
    run: async (session) => {
      const { told, match } = await rematched(session);
      if (!match) return new Skip(NO_MATCH);
      const matchId = memberOf(match.json, "matchId");
      const look = new Look();
      look.came(
        ofEvent(told, "transaction.match.deleted", { "/matchId": matchId }),
        `transaction.match.deleted of ${matchId}`,
        match,
        (one) => differences(one, { "/reason": "rematch_superseded" }, [match]),
      );
      return look.found(NO_MATCH);
    },
  },
  {
    requirement: "MAT-07",
    title: "a forced re-match creates matches of new ids",
    requires: [...POSTED, "verb:rematch"],
    run: async (session) => {
      const { told, match, matches, purchase } = await rematched(session);
      if (!match) return new Skip(NO_MATCH);
      const matchId = memberOf(match.json, "matchId");
      const look = new Look();
      const fresh = matchesOf(told, purchase.bankTransactionId);
      const all = await allDeliveries(session);
      for (const one of fresh) {
        const isOld = memberOf(one.json, "matchId") === matchId;
        const isRepeat = isDeepStrictEqual(one.json, match.json) && !sent([match, one], all)[1];
        look.that(!isOld || isRepeat, breachAt(one, "/matchId", "a new id", match));
      }
      if (matches && isSeen(matches)) {
        look.that(!isListedOn(matches), stillListed(matches, match));
      }
      return look.found(NO_MATCH);
    },
  },
  {
    requirement: "MAT-08",
    title: "each debit of a purchase in parts is matched to its own leg",
    requires: [...POSTED, "verb:clear"],
    run: async (session) => {
      const { postings, told } = await parted(session);
      const look = new Look();
      const legs = new Map<unknown, Delivery>();
      for (const { bankTransactionId, shown } of postings) {
        const matches = matchesOf(told, bankTransactionId);
        const what = `one transaction.match.created of ${bankTransactionId}`;
        look.came(matches, what, shown);
        const ids = new Map(matches.map((one) => [memberOf(one.json, "matchId"), one]));
        look.atMost(1, [...ids.values()], what);
        const [match] = matches;
        if (!match) continue;
        const leg = textAt(match.json, "/cardTransaction/id");
        const other = legs.get(leg);
        const isOwn = other === undefined || other === match;
        const expected = "another cardTransaction.id than that of the other debit";
        const beside = other ? [other] : [];
        look.that(isOwn, breachAt(match, "/cardTransaction/id", expected, ...beside));
        legs.set(leg, match);
      }
      return look.found("the bank posted no parts");
    },
  },
  {
    requirement: "MAT-08",
    title: "parts that are posted and cleared in any order settle once each",
    // Without it, a match may come after the next step and change what that step shows.
    requires: [...POSTED, "verb:clear", "verb:settle"],
    run: async (session) => {
      const { told: purchases, missing } = await interleaved(session);
      const look = new Look();
      for (const { event, amounts, views, messages } of purchases.flat()) {
        for (const view of views) {
          const parts = [...partsIn(view, messages).keys()];
          const amount = memberOf(bodyOf(view), "transactionSettledAmount");
          if (typeof amount !== "number" || parts.length === 0) continue;
          const settled = parts.reduce((sum, part) => sum + amounts[part], 0);
          const expected = `${settled.toFixed(2)} after ${event}, each part once`;
          const isRight = !amountsDiffer(amount, settled);
          look.that(isRight, breachAt(view, "/transactionSettledAmount", expected));
        }
      }
      return look.found("no part of a purchase was posted and cleared", missing);
    },
  },
  {
    requirement: "BTX-07",
    title: "a removed posting is listed no longer",
    requires: REMOVED,
    alternative: true,
    run: async (session) => {
      const { transactions, told } = await removed(session);
      return goneFrom(transactions, told, "GET /bank-transactions did not list the posting");
    },
  },
  {
    requirement: "MAT-11",
    title: "a retracted match is listed no longer",
    requires: REMOVED,
    alternative: true,
    run: async (session) => {
      const { matches, told } = await removed(session);
      if (!matches) return new Skip(NO_MATCH);
      return goneFrom(matches, told, "GET /transaction-matches did not list the match");
    },
  },
];

type Tell = (session: Session) => Promise<Removal>;

function deletion(title: string, tell: Tell, needs: Check["requires"]): Check {
  return {
    requirement: "BTX-04",
    title,
    requires: needs,
    run: async (session) => {
      const { told, bankTransactionId: id, bankAccountId, reason, shown } = await tell(session);
      const look = new Look();
      look.came(
        ofEvent(told, "banktransaction.deleted", { "/id": id }),
        `banktransaction.deleted of ${id}`,
        shown,
        (one) => differences(one, { "/bankAccountId": bankAccountId, "/reason": reason }),
      );
      return look.found("nothing was removed");
    },
  };
}

function retraction(title: string, tell: Tell, needs: Check["requires"]): Check {
  return {
    requirement: "BTX-05",
    title,
    requires: needs,
    run: async (session) => {
      const { told, match, bankTransactionId } = await tell(session);
      if (!match) return new Skip(NO_MATCH);
      const matchId = memberOf(match.json, "matchId");
      const look = new Look();
      look.came(
        ofEvent(told, "transaction.match.deleted", { "/bankTransactionId": bankTransactionId }),
        `transaction.match.deleted of ${matchId}`,
        match,
        (one) =>
          differences(one, { "/matchId": matchId, "/reason": "bank_transaction_retired" }, [match]),
      );
      return look.found(NO_MATCH);
    },
  };
}

/** The stories that take a match back, as far as the driver can. */
async function retractions(
  session: Session,
): Promise<Stories<{ told: readonly Delivery[]; match: Delivery }>> {
  const { told: stories, missing } = await tellEach<{
    told: readonly Delivery[];
    match?: Delivery;
  }>(
    ...(has(session, "removeAtProvider") ? [() => removed(session)] : []),
    ...(has(session, "retireDuplicate") ? [() => retired(session)] : []),
    ...(has(session, "rematch") ? [() => rematched(session)] : []),
  );
  const matched = stories.flatMap(({ told, match }) => (match ? [{ told, match }] : []));
  return { told: matched, ...(missing && { missing }) };
}

/** Whether an id is that of a transaction; it may be a leg's. */
async function isTransaction(session: Session, transactionId: string): Promise<boolean> {
  const params = { path: { transactionId } };
  const answer: Exchange = await session.ask((feed) =>
    feed.GET("/transactions/{transactionId}", { params }),
  );
  return answer.response?.status === 200;
}

function stillListed({ after }: Listed, ...beside: readonly Delivery[]) {
  return {
    expected: "listed no longer, so that what was removed can be reconciled",
    actual: "listed as before",
    shownBy: [after.page, ...beside],
  } as const;
}

/** Whether it was listed, and the collection shows whether it still is. */
function isSeen({ before, after }: Listed): boolean {
  return before.items.length > 0 && (after.isWhole || after.items.length > 0);
}

function goneFrom(listed: Listed, told: readonly Delivery[], reason: string) {
  if (!isSeen(listed)) return new Skip(reason);
  const look = new Look();
  look.that(!isListedOn(listed), stillListed(listed, ...told.slice(0, 1)));
  return look.found(reason);
}
