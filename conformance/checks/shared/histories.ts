import type { EventName } from "../../../generated/events.ts";
import {
  type ClaimId,
  claims as catalogue,
  type Situation,
} from "../../../generated/requirements.ts";
import { OPEN_BANKING } from "../../../src/contract/rules/vocabulary.ts";
import { nameOf } from "../../assert.ts";
import {
  type Check,
  type ClaimBreach,
  claimsOfRequirement,
  type Found,
  namedClaims,
  type Session,
} from "../../check.ts";
import { type History, historyOf } from "../../observe/deliveries/history.ts";
import { bankOnlyTransactionsOf } from "../../observe/deliveries/order.ts";
import { allNamed, postingIdsOf, type TypedDelivery } from "../../observe/deliveries/reading.ts";
import { situationsIn } from "../../observe/situations.ts";
import { Skip } from "../../skip.ts";
import type { Delivery } from "../../wire/exchange.ts";

type Snapshot = TypedDelivery<"transaction.created" | "transaction.updated">;
type Subscribed = TypedDelivery<"cardsubscription.created" | "cardsubscription.updated">;

/** When the deliveries of a run decide some claims of `txfeed history`. */
interface HistoryCase {
  readonly claims: readonly ClaimId[];
  /** Counts the cases in which the claims could be violated. */
  readonly cases: (history: History) => number;
  /** The events whose deliveries show the situations; default: none. */
  readonly events?: readonly EventName[];
  /** Why the claims are undecided if there are none. */
  readonly none: string;
}

const CASES: readonly HistoryCase[] = [
  {
    claims: ["CONV-09.announced"],
    cases: (history) =>
      sum(snapshotsIn(history), ([first]) => first?.body._links.messages.length ?? 0),
    none: "no transaction that was created in this run",
  },
  {
    claims: ["TXN-11.never-shrinks"],
    cases: (history) =>
      countSteps(snapshotsIn(history), (before) => before.body.supersededMessageIds.length > 0),
    none: "no transaction changed after a message of it was superseded",
  },
  {
    claims: ["TXN-12.settles", "TXN-12.high-only"],
    cases: (history) =>
      matchesOfPurchases(history).filter(({ body }) => body.confidence === "HIGH").length,
    none: "no match of high confidence with a purchase created in this run",
  },
  {
    claims: ["TXN-13.marks-in-same-event"],
    cases: (history) =>
      countSteps(
        snapshotsIn(history),
        (before, now) =>
          isSettled(before) &&
          now.body.network !== OPEN_BANKING &&
          now.body._links.messages.length > before.body._links.messages.length,
      ),
    none: "no settled purchase got another message",
  },
  {
    claims: ["TXN-14.netted"],
    cases: ({ complete }) => {
      const bankOnly = bankOnlyTransactionsOf(complete);
      const matches = allNamed(complete, "transaction.match.created");
      return matches.filter(({ body }) => body.matches.some(({ id }) => bankOnly.has(id))).length;
    },
    none: "no bank-only transaction was matched",
  },
  {
    claims: ["TXN-15.message-event", "TXN-15.transaction-event"],
    cases: (history) =>
      snapshotsIn(history).filter(([first]) => first?.body.network === OPEN_BANKING).length,
    none: "no bank-only transaction that was created in this run",
  },
  {
    claims: ["TXN-18.created-at", "TXN-18.updated-at"],
    cases: (history) => countSteps(snapshotsIn(history), () => true),
    none: "no transaction was delivered twice",
  },
  {
    claims: ["TXN-20.no-return"],
    cases: (history) => countSteps(snapshotsIn(history), isSettled),
    none: "no transaction changed after it was settled",
  },
  {
    claims: ["MSG-09.once"],
    cases: ({ reading }) => allNamed(reading.typed, "transactionmessage.created").length,
    none: "no message was delivered",
  },
  {
    claims: ["MSG-11.announced"],
    cases: ({ complete }) => sum(complete, (one) => postingIdsOf(one).length),
    events: ["transactionmessage.created"],
    none: "no bank-sourced message that was created in this run",
  },
  {
    claims: ["MSG-12.event-agrees"],
    cases: projectedToo,
    none: "no message was delivered both on its own and in a projection",
  },
  ...(["single-starts", "bulk-starts", "feed-starts"] as const).map((name, index) => {
    const type = (["cardholder-single", "network-bulk", "bank-feed"] as const)[index];
    return {
      claims: [`SUB-04.${name}` as const],
      cases: ({ complete }: History) =>
        allNamed(complete, "cardsubscription.created").filter(
          ({ body }) => body.enrollmentType === type,
        ).length,
      none: `no ${type} enrollment that was created in this run`,
    };
  }),
  {
    claims: ["SUB-05.no-other-move"],
    cases: (history) =>
      countSteps(subscriptionsIn(history), (before, now) => before.body.state !== now.body.state),
    none: "no subscription changed its state",
  },
  {
    claims: ["SUB-06.state", "SUB-06.type", "SUB-06.same-account", "SUB-06.no-created"],
    cases: (history) =>
      countSteps(
        subscriptionsIn(history),
        (before, now) =>
          before.body.enrollmentType === "bank-feed" && now.body.enrollmentType !== "bank-feed",
      ),
    none: "no bank-feed subscription was upgraded",
  },
  {
    claims: ["SUB-07.state-kept", "SUB-07.type-kept"],
    cases: (history) =>
      countSteps(
        subscriptionsIn(history),
        (before, now) =>
          before.body.bankAccountId === undefined && now.body.bankAccountId !== undefined,
      ),
    none: "no card was linked to a bank account after its enrollment",
  },
  {
    claims: ["SUB-09.one-created", "SUB-09.created-first"],
    cases: (history) => countSteps(subscriptionsIn(history), () => true),
    events: ["cardsubscription.created"],
    none: "no subscription created in this run changed",
  },
  {
    claims: ["NBF-03.present", "NBF-03.absent"],
    cases: ({ reading }) =>
      byId(allNamed(reading.typed, "networkbulkfeed.statechanged")).filter(
        (events) => events.length > 1,
      ).length,
    none: "no feed with more than one event",
  },
  {
    claims: ["NBF-04.no-other-move"],
    cases: ({ reading }) =>
      allNamed(reading.typed, "networkbulkfeed.statechanged").filter(
        ({ body }) => body.oldState === "submitted",
      ).length,
    none: "no feed left the state submitted",
  },
  {
    claims: ["BLK-02.exactly-one"],
    cases: ({ reading }) => allNamed(reading.typed, "banklink.completed").length,
    none: "no banklink.completed was delivered",
  },
  {
    claims: ["BLK-05.created-sent"],
    cases: ({ complete }) =>
      sum(
        allNamed(complete, "banklink.completed").flatMap(({ body }) => body.bankAccounts),
        ({ cards = [] }) => cards.length,
      ),
    none: "no banklink.completed with a card that the completion created",
  },
  {
    claims: ["BAC-03.chain"],
    cases: ({ reading }) => {
      const changes = allNamed(reading.typed, "bankaccount.state_changed");
      return changes.length - new Set(changes.map(({ body }) => body.bankAccountId)).size;
    },
    none: "no bank account changed its state twice",
  },
  {
    claims: ["BAC-05.auth-required", "BAC-05.active"],
    cases: ({ reading }) => allNamed(reading.typed, "bankaccount.state_changed").length,
    none: "no bankaccount.state_changed was delivered",
  },
  {
    claims: ["BTX-04.names-announced", "BTX-04.account"],
    cases: ({ complete }) => allNamed(complete, "banktransaction.deleted").length,
    events: ["banktransaction.deleted"],
    none: "no banktransaction.deleted of a bank transaction announced in this run",
  },
  {
    claims: ["BTX-05.retracted"],
    cases: (history) => {
      const matches = matchesByPosting(history);
      const removals = allNamed(history.complete, "banktransaction.deleted");
      return removals.filter(({ body }) => matches.has(body.id)).length;
    },
    none: "no bank transaction with a match was deleted",
  },
  {
    claims: ["MAT-04.announced"],
    cases: ({ complete }) => allNamed(complete, "transaction.match.created").length,
    none: "no match that was created in this run",
  },
  {
    claims: ["MAT-05.names-announced", "MAT-05.bank-transaction"],
    cases: ({ complete }) => allNamed(complete, "transaction.match.deleted").length,
    events: ["transaction.match.deleted"],
    none: "no retraction of a match announced in this run",
  },
  {
    claims: ["MAT-05.card-transaction"],
    // A match may name a clearing leg, so only matches of known purchases count.
    cases: (history) => {
      const ids = new Set(matchesOfPurchases(history).map(({ body }) => body.matchId));
      const retractions = allNamed(history.complete, "transaction.match.deleted");
      return retractions.filter(({ body }) => ids.has(body.matchId)).length;
    },
    none: "no retraction of a match with a transaction announced in this run",
  },
  {
    claims: ["MAT-07.old-deleted"],
    cases: (history) =>
      [...matchesByPosting(history).values()].filter((all) => all.length > 1).length,
    none: "no bank transaction was matched a second time",
  },
  {
    claims: ["MAT-08.own-leg"],
    cases: splitPurchases,
    none: "no purchase was settled by several bank transactions",
  },
  {
    claims: ["WHK-05.once", "WHK-05.before-updated"],
    cases: (history) => snapshotsIn(history).filter((snapshots) => snapshots.length > 1).length,
    none: "no transaction created in this run changed",
  },
];

/** The claims that the deliveries of a run decide together. */
export const historyClaims: ReadonlySet<ClaimId> = new Set(CASES.flatMap(({ claims }) => claims));

/**
 * A check for each requirement that a history decides: the deliveries of the run go through the
 * rules of `txfeed history`. They may violate claims that they do not prove.
 */
export const historyChecks: readonly Check[] = [
  ...Map.groupBy(CASES, ({ claims: [claim] }) => catalogue[claim as ClaimId].requirement),
].map(([requirement, cases]) => {
  const claims = namedClaims(claimsOfRequirement(requirement));
  return {
    claims,
    title: "no delivery contradicts another",
    requires: ["deliveries"],
    run: async (session) => resultOf(claims, cases, session),
  };
});

async function resultOf(
  claims: readonly ClaimId[],
  cases: readonly HistoryCase[],
  session: Session,
): Promise<Found<ClaimBreach>> {
  const history = await historyOf(session);
  const isOwn = ({ claim }: ClaimBreach) => claims.includes(claim);
  const breaches = history.breaches.filter(isOwn);
  const decided = new Map<ClaimId, Set<Situation>>();
  const open = new Map<ClaimId, Skip>();
  let assertions = 0;
  for (const one of cases) {
    const count = one.cases(history);
    assertions += count;
    const situations = count > 0 ? situationsOf(one, history, session) : [];
    for (const claim of one.claims) {
      if (count > 0) decided.set(claim, new Set(situations));
      else open.set(claim, reasonFor(one, history.reading.invalid));
    }
  }
  return {
    assertions: Math.max(assertions, breaches.length),
    ...{ breaches, decided, open },
    notices: history.notices.filter(isOwn),
  };
}

function situationsOf(
  { events = [] }: HistoryCase,
  { deliveries }: History,
  { capabilities }: Session,
): Situation[] {
  return deliveries
    .filter(({ name }) => events.some((one) => one === name))
    .flatMap((delivery) => situationsIn(delivery, capabilities.networks, deliveries));
}

/** Why there was no case. An invalid delivery is in no history. */
function reasonFor({ none }: HistoryCase, invalid: readonly Delivery[]): Skip {
  const [first] = invalid;
  if (!first) return new Skip(none);
  return new Skip(`${none}; ${invalid.length} deliveries are invalid, such as ${nameOf(first)}`);
}

/** Groups the snapshots since creation by transaction, in order. */
function snapshotsIn({ complete }: History): Snapshot[][] {
  return byId(allNamed(complete, "transaction.created", "transaction.updated"));
}

/** The matches whose purchase was created in this run. */
function matchesOfPurchases(history: History) {
  const known = new Set(snapshotsIn(history).map(([first]) => first?.body.id));
  const matches = allNamed(history.complete, "transaction.match.created");
  return matches.filter(({ body }) => known.has(body.cardTransaction.id));
}

/** Groups the snapshots since creation by subscription, in order. */
function subscriptionsIn({ complete }: History): Subscribed[][] {
  return byId(allNamed(complete, "cardsubscription.created", "cardsubscription.updated"));
}

/** Groups deliveries by the id of their resource. */
export function byId<T extends { readonly body: { readonly id: string } }>(
  typed: readonly T[],
): T[][] {
  return [...Map.groupBy(typed, ({ body }) => body.id).values()];
}

function isSettled({ body }: Snapshot): boolean {
  return body.status === "SETTLED";
}

function sum<T>(things: readonly T[], count: (thing: T) => number): number {
  return things.reduce((total, thing) => total + count(thing), 0);
}

/** Counts the adjacent pairs that meet a condition. */
function countSteps<T>(
  lists: readonly (readonly T[])[],
  is: (before: T, now: T) => boolean,
): number {
  return sum(
    lists,
    (list) => list.filter((now, at) => at > 0 && is(list[at - 1] as T, now)).length,
  );
}

/** Groups the matches by bank transaction. */
function matchesByPosting({ complete }: History): Map<string, TypedDelivery[]> {
  const matches = new Map<string, TypedDelivery[]>();
  for (const match of allNamed(complete, "transaction.match.created")) {
    for (const { id } of match.body.matches) matches.set(id, [...(matches.get(id) ?? []), match]);
  }
  return matches;
}

/** The number of purchases that several bank transactions settle. */
function splitPurchases(history: History): number {
  return snapshotsIn(history).filter((snapshots) => {
    const last = snapshots.at(-1) as Snapshot;
    return last.body.network !== OPEN_BANKING && new Set(postingIdsOf(last)).size > 1;
  }).length;
}

/** The number of projected messages that also have their own event. */
function projectedToo({ reading: { typed } }: History): number {
  const announced = new Set(
    allNamed(typed, "transactionmessage.created").map(({ body }) => body.id),
  );
  return allNamed(typed, "transaction.created", "transaction.updated")
    .flatMap(({ body }) => body._embedded?.messages ?? [])
    .filter(({ id }) => announced.has(id)).length;
}
