import type { Situation } from "../../../generated/requirements.ts";
import { memberOf } from "../../../src/contract/pointer.ts";
import { Assertions, ClaimAssertions, differences } from "../../assert.ts";
import { type Check, type Session, Skip } from "../../check.ts";
import {
  allDeliveries,
  POSTED,
  REMOVED,
  runScenarios,
  type Scenarios,
  STANDALONE,
  UPGRADED,
} from "../../scenarios/act.ts";
import {
  ANY_ORDER,
  areInverted,
  distinctEvents,
  findEvents,
  sendsInOrder,
} from "../../scenarios/find-deliveries.ts";
import { isListedOn, isSeen, stillListed } from "../../scenarios/listed.ts";
import { type Standalone, specialPostings } from "../../scenarios/postings.ts";
import { settled } from "../../scenarios/purchases.ts";
import { NO_MATCH } from "../../scenarios/rematches.ts";
import {
  endedLate,
  type Removal,
  removed,
  removedUnmatched,
  removedWhileLost,
  retired,
  retiredUnmatched,
} from "../../scenarios/removals.ts";
import { cardless, standalone } from "../../scenarios/standalones.ts";
import { syncedInReqSca } from "../../scenarios/subscriptions.ts";
import type { Capability } from "../../target.ts";
import type { Delivery } from "../../wire/exchange.ts";

/** Scenarios that remove a bank transaction. */
interface Case {
  readonly what: string;
  readonly removals: (session: Session) => Promise<readonly Removal[]>;
  readonly requires: readonly Capability[];
  readonly situations: readonly [Situation, Situation];
}

const REMOVED_POSTING: Case = {
  what: "a posting that the provider removes",
  removals: withLate(removed, "provider_removed"),
  requires: REMOVED,
  situations: ["removed", "matched"],
};

const RETIRED_POSTING: Case = {
  what: "a retired duplicate posting",
  removals: withLate(retired, "duplicate_retired"),
  requires: [...POSTED, "verb:retireDuplicate"],
  situations: ["retired", "matched"],
};

const REMOVED_MOVEMENT: Case = {
  what: "a movement that the provider removes",
  removals: async (session) => unmatched(await removedUnmatched(session)),
  requires: [...STANDALONE, "verb:removeAtProvider"],
  situations: ["removed", "unmatched"],
};

const RETIRED_MOVEMENT: Case = {
  what: "a retired duplicate movement",
  removals: async (session) => unmatched(await retiredUnmatched(session)),
  requires: [...STANDALONE, "verb:retireDuplicate"],
  situations: ["retired", "unmatched"],
};

const REMOVED_WHILE_LOST: Case = {
  what: "a movement that is removed while disconnected",
  removals: async (session) => {
    const removal = await removedWhileLost(session);
    // A target without a connection may not know of the removal.
    const { transactions } = removal;
    return isSeen(transactions) && !isListedOn(transactions) ? unmatched(removal) : [];
  },
  requires: [...STANDALONE, "verb:removeAtProvider", "verb:disconnect", "verb:recover"],
  situations: ["removed", "unmatched"],
};

const unmatched = (removal: Removal) => (removal.match ? [] : [removal]);

/** Adds the removals of late matches for the same reason. */
function withLate(remove: (session: Session) => Promise<Removal>, reason: Removal["reason"]) {
  return async (session: Session): Promise<readonly Removal[]> => {
    const first = await remove(session);
    return [first, ...(await endedLate(session)).filter((one) => one.reason === reason)];
  };
}

/** Checks of the deletion of bank transactions and their matches. */
export const deletionChecks: readonly Check[] = [
  deletion(REMOVED_POSTING),
  deletion(RETIRED_POSTING),
  deletion(REMOVED_MOVEMENT),
  deletion(RETIRED_MOVEMENT),
  deletion(REMOVED_WHILE_LOST),
  retraction("the match of a removed posting is announced as deleted", REMOVED_POSTING),
  retraction("the match of a retired duplicate is announced as deleted", RETIRED_POSTING),
  // BTX-05: If the deleted bank transaction had a match, transaction.match.deleted follows with
  // reason bank_transaction_retired.
  {
    claims: ["BTX-05.follows"],
    title: "the retraction of a match is sent after the deletion of its posting",
    requires: [...REMOVED, "verb:retireDuplicate"],
    run: async (session) => {
      const { completed, missing } = await runScenarios(
        () => REMOVED_POSTING.removals(session),
        () => RETIRED_POSTING.removals(session),
      );
      const assertions = new Assertions();
      const groups = completed.map(inPairs);
      // Chance alone may reverse a few pairs (WHK-04).
      if (groups.flat().length > 0 && !(await sendsInOrder(session))) return new Skip(ANY_ORDER);
      // A target may use the wrong order for one reason only.
      for (const pairs of [groups.flat(), ...groups]) {
        const [pair] = pairs;
        if (!pair) continue;
        assertions.check(!areInverted(pairs), {
          expected: "banktransaction.deleted, then transaction.match.deleted",
          actual: `the opposite order, ${pairs.length} of ${pairs.length} times`,
          evidence: [pair[1], pair[0]],
        });
      }
      return assertions.result(NO_MATCH, missing);
    },
  },
];

/** Pairs each deletion with the retraction of its match. */
function inPairs(removals: readonly Removal[]): (readonly [Delivery, Delivery])[] {
  return removals.flatMap(({ deliveries, bankTransactionId: id }) => {
    const [gone] = findEvents(deliveries, "banktransaction.deleted", { "/id": id });
    const values = { "/bankTransactionId": id };
    const [match] = findEvents(deliveries, "transaction.match.deleted", values);
    return gone && match ? [[gone, match] as const] : [];
  });
}

/** Checks that a removed bank transaction disappears from its list. */
export const removalChecks: readonly Check[] = [
  removal("a removed posting is no longer listed", REMOVED_POSTING),
  removal("a retired duplicate posting is no longer listed", RETIRED_POSTING),
  removal("a retired duplicate movement is no longer listed", RETIRED_MOVEMENT),
];

/** Checks that postings are announced. */
export const postingChecks: readonly Check[] = [
  // BTX-01: banktransaction.created has the fields of the bank transaction table; date is
  // YYYY-MM-DD, transactionType debit or credit.
  posting("a bank posting is announced with its account, amount and type", STANDALONE, (session) =>
    runScenarios(
      async () => debit("linked-card", await standalone(session)),
      async () => debit("cardless", await cardless(session)),
    ),
  ),
  posting("credits and pending postings are announced as they are", STANDALONE, specialPostings),
  posting("the posting of a purchase is announced", POSTED, (session) =>
    runScenarios(async () => ({ ...(await settled(session)), situation: "posted" })),
  ),
  posting(
    "a posting is announced while a card of the account is in reqSCA",
    [...UPGRADED, "verb:postAtBank"],
    (session) =>
      runScenarios(async () => {
        const { result, ...step } = await syncedInReqSca(session);
        const { bankTransactionId } = result;
        return { ...step, bankTransactionId, situation: "in-reqsca" };
      }),
  ),
];

type Posted = Pick<Removal, "deliveries" | "bankTransactionId" | "resource"> & {
  readonly situation: Situation;
  /** The values that its event must have, by JSON pointer. */
  readonly values?: Readonly<Record<string, unknown>>;
};

function debit(situation: Situation, movement: Standalone): Posted {
  const { bankAccountId, amount } = movement;
  const values = {
    ...{ "/bankAccountId": bankAccountId, "/amount": amount, "/currency": "EUR" },
    ...{ "/transactionType": "debit", "/pending": false },
  };
  return { ...movement, situation, values };
}

// BTX-01: every synced bank transaction is announced, as it is.
function posting(
  title: string,
  requires: readonly Capability[],
  post: (session: Session) => Promise<Scenarios<Posted>>,
): Check {
  return {
    claims: ["BTX-01.owed", "BTX-01.values"],
    title,
    requires,
    run: async (session) => {
      const assertions = new ClaimAssertions();
      const { completed, missing } = await post(session);
      const all = await allDeliveries(session);
      for (const { situation, deliveries, bankTransactionId: id, resource, values } of completed) {
        const what = `one banktransaction.created of ${id}`;
        const sent = findEvents(deliveries, "banktransaction.created", { "/id": id });
        const owed = assertions.of("BTX-01.owed", situation);
        owed.wasDelivered(sent, what, resource);
        owed.atMost(1, distinctEvents(sent, all), what);
        if (!values) continue;
        for (const one of sent.slice(0, 1)) {
          assertions.of("BTX-01.values", situation).hasValues(one, values);
        }
      }
      return assertions.result("the bank posted nothing", missing);
    },
  };
}

// BTX-04: banktransaction.deleted names the id of an earlier banktransaction.created, with
// bankAccountId, deletedAt and reason provider_removed or duplicate_retired.
function deletion({ what, removals, requires, situations }: Case): Check {
  return {
    claims: ["BTX-04.owed", "BTX-04.account", "BTX-04.reason"],
    title: `${what} is announced as deleted`,
    requires,
    run: async (session) => {
      const assertions = new ClaimAssertions();
      for (const { deliveries, resource, reason, ...subject } of await removals(session)) {
        const { bankTransactionId: id, bankAccountId } = subject;
        const all = await allDeliveries(session);
        const sent = findEvents(deliveries, "banktransaction.deleted", { "/id": id });
        const owed = assertions.of("BTX-04.owed", ...situations);
        owed.wasDelivered(sent, `banktransaction.deleted of ${id}`, resource);
        owed.atMost(1, distinctEvents(sent, all), `one banktransaction.deleted of ${id}`);
        for (const one of sent.slice(0, 1)) {
          const account = assertions.of("BTX-04.account", ...situations);
          account.hasValues(one, { "/bankAccountId": bankAccountId });
          assertions.of("BTX-04.reason", ...situations).hasValues(one, { "/reason": reason });
        }
      }
      return assertions.result("nothing was removed");
    },
  };
}

// BTX-05: If the deleted bank transaction had a match, transaction.match.deleted follows with
// reason bank_transaction_retired.
function retraction(title: string, { removals, requires, situations }: Case): Check {
  return {
    claims: ["BTX-05.retracted", "BTX-05.reason"],
    title,
    requires,
    run: async (session) => {
      const assertions = new ClaimAssertions();
      for (const { deliveries, match, bankTransactionId } of await removals(session)) {
        if (!match) continue;
        const matchId = memberOf(match.json, "matchId");
        const values = { "/bankTransactionId": bankTransactionId };
        const sent = findEvents(deliveries, "transaction.match.deleted", values);
        const what = `transaction.match.deleted of ${matchId}`;
        const retracted = assertions.of("BTX-05.retracted", ...situations);
        retracted.wasDelivered(sent, what, match, (one) =>
          differences(one, { "/matchId": matchId }, [match]),
        );
        for (const one of sent.slice(0, 1)) {
          const reason = assertions.of("BTX-05.reason", ...situations);
          reason.hasValues(one, { "/reason": "bank_transaction_retired" }, match);
        }
      }
      return assertions.result(NO_MATCH);
    },
  };
}

// BTX-07: Deletions from before the event existed are reconciled by GET /bank-transactions.
function removal(title: string, { removals, requires, situations }: Case): Check {
  return {
    claims: ["BTX-07.unlisted"],
    title,
    requires,
    run: async (session) => {
      const assertions = new Assertions();
      for (const { transactions, deliveries } of await removals(session)) {
        if (!isSeen(transactions)) continue;
        const unlisted = assertions.of("BTX-07.unlisted", ...situations);
        const evidence = deliveries.slice(0, 1);
        unlisted.check(!isListedOn(transactions), stillListed(transactions, ...evidence));
      }
      const reason = "GET /bank-transactions did not list the posting before its removal";
      return assertions.result(reason);
    },
  };
}
