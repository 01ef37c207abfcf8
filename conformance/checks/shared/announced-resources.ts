import { type EventName, type EventPayloads, eventInfo } from "../../../generated/events.ts";
import type { ClaimId } from "../../../generated/requirements.ts";
import { ClaimAssertions, caseCheck } from "../../assert.ts";
import { type Breach, type Check, namedClaims, Skip } from "../../check.ts";
import { feedOf } from "../../observe/crawl.ts";
import { unexplained } from "../../observe/deliveries/api-lookups.ts";
import { findEvents, textAt } from "../../observe/deliveries/find.ts";
import { historyOf } from "../../observe/deliveries/history.ts";
import {
  allNamed,
  removedBy,
  retractedBy,
  subjectOf,
  type TypedDelivery,
} from "../../observe/deliveries/reading.ts";
import type { CollectionOperation } from "../../observe/operations.ts";
import { listAtEnd, type WholeList, wholeList, wholeListOf } from "../../observe/pages.ts";
import { situationsIn } from "../../observe/situations.ts";
import { deliveriesSince } from "../../verbs/drive.ts";
import type { Delivery } from "../../wire/exchange.ts";

/** The resources that deliveries announce: the id of each, and its delivery. */
type AnnouncedBy = (typed: readonly TypedDelivery[]) => (readonly [string, Delivery])[];

/** The resources that an event announces: its own, or those with the ids in its body. */
function by<Name extends EventName>(
  name: Name,
  idsIn?: (body: EventPayloads[Name]) => readonly string[],
): AnnouncedBy {
  return (typed) =>
    allNamed(typed, name).flatMap((one) => {
      const ids = idsIn?.(one.body as EventPayloads[Name]) ?? [subjectOf(one)];
      return ids.map((id) => [id, one.delivery] as const);
    });
}

/** The lists whose new resources each have an event. */
const OWED = [
  // WHK-05: transaction.created comes once per transaction and before its first transaction.updated
  // as the state describes it; both carry the same shape.
  ["WHK-05.owed", "GET /transactions", "transaction.created"],
  // BTX-01: banktransaction.created has the fields of the bank transaction table; date is
  // YYYY-MM-DD, transactionType debit or credit.
  ["BTX-01.owed", "GET /bank-transactions", "banktransaction.created"],
  // MAT-01: transaction.match.created has matchId, confidence, score, cardTransaction, reasons[]
  // and matches[] with the fields given.
  ["MAT-01.owed", "GET /transaction-matches", "transaction.match.created"],
] as const;

/** A list that shows announced resources to clients that missed the event. */
interface Reconciled {
  /** Broken if an announced resource is not listed. */
  readonly listed?: ClaimId;
  /** Broken if a removed resource is still listed. */
  readonly unlisted?: ClaimId;
  readonly operation: CollectionOperation;
  /** Default: only the removed resources. */
  readonly announcedBy?: AnnouncedBy;
  /** The ids of the removed resources; default: the interface shows no removal. */
  readonly removedBy?: (typed: readonly TypedDelivery[]) => ReadonlySet<string>;
}

const RECONCILED: readonly Reconciled[] = [
  // EP-03: GET /transactions is a collection of transactions.
  {
    ...{ listed: "EP-03.lists-new", operation: "GET /transactions" },
    announcedBy: by("transaction.created"),
  },
  // EP-06: GET /bank-links is a collection of bank links.
  {
    ...{ listed: "EP-06.lists-started", operation: "GET /bank-links" },
    announcedBy: by("banklink.completed"),
  },
  // EP-08: GET /bank-accounts is a collection of bank accounts, in each state of its connection.
  {
    ...{ listed: "EP-08.lists-new", operation: "GET /bank-accounts" },
    announcedBy: (typed) => [
      ...by("banklink.completed", (body) => body.bankAccounts.map(({ id }) => id))(typed),
      ...by("bankaccount.state_changed")(typed),
    ],
  },
  // BTX-07: Deletions from before the event existed are reconciled by GET /bank-transactions.
  {
    ...{ listed: "BTX-07.listed", unlisted: "BTX-07.unlisted" },
    ...{
      operation: "GET /bank-transactions",
      announcedBy: by("banktransaction.created"),
      removedBy,
    },
  },
  // MAT-11: Earlier removals of matches are reconciled by GET /transaction-matches.
  {
    ...{ listed: "MAT-11.listed", unlisted: "MAT-11.unlisted" },
    ...{
      operation: "GET /transaction-matches",
      announcedBy: by("transaction.match.created"),
      removedBy: retractedBy,
    },
  },
  // MAT-07: A forced re-match creates new match ids; the old id is announced deleted with
  // rematch_superseded.
  {
    ...{ unlisted: "MAT-07.old-unlisted", operation: "GET /transaction-matches" },
    removedBy: (typed) => {
      const retractions = allNamed(typed, "transaction.match.deleted");
      const replaced = retractions.filter(({ body }) => body.reason === "rematch_superseded");
      return new Set(replaced.map(({ body }) => body.matchId));
    },
  },
];

/** Checks that lists and events show the same resources. */
export const announcedResources: readonly Check[] = [
  ...OWED.map(([claim, operation, event]) => announcedIfNew(claim, operation, event)),
  ...RECONCILED.map(listedWhileThere),
];

/**
 * Creates a check that each resource that a list shows at the end of the run, but not at its
 * beginning, was announced.
 */
function announcedIfNew(claim: ClaimId, operation: CollectionOperation, event: EventName): Check {
  return caseCheck([claim], {
    title: `each new resource of ${operation} is announced`,
    // Without "verb:settle", an event may arrive later.
    requires: ["deliveries", "state", "verb:settle"],
    cases: async (session) => {
      const first = (await feedOf(session)).walks.get(operation);
      const before = first && wholeListOf(first);
      const after = await listAtEnd(session, operation);
      if (!before || !after) throw new Skip(`${operation} could not be read to its end`);
      const deliveries = await deliveriesSince(session, 0, () => true);
      const announced = new Set(
        findEvents(deliveries, event).map(({ json }) =>
          textAt(json, eventInfo[event].id)?.toLowerCase(),
        ),
      );
      const known = new Set([...before.items.keys()].map((one) => one.toLowerCase()));
      return [...after.items]
        .map(([one, { exchange }]) => ({ id: one.toLowerCase(), exchange }))
        .filter((one) => !known.has(one.id))
        .map((one) => ({ ...one, isAnnounced: announced.has(one.id) }));
    },
    none: new Skip(`${operation} shows no resource that was created in this run`),
    find: ({ id: own, exchange, isAnnounced }): Breach[] => {
      if (isAnnounced) return [];
      const expected = `${event} of ${own}, which is new in the list`;
      return [{ expected, actual: "it was not delivered", evidence: [exchange] }];
    },
  });
}

/**
 * Creates a check that a list contains every announced resource until its removal is announced.
 * Clients use the list to reconcile removals that had no event. If the list differs, the check
 * waits for later deliveries and fetches the list again.
 */
function listedWhileThere(reconciled: Reconciled): Check {
  const { operation, announcedBy = () => [], removedBy = () => new Set<string>() } = reconciled;
  const { listed, unlisted } = reconciled;
  const claims = [listed, unlisted].flatMap((claim) => claim ?? []);
  const until = reconciled.removedBy ? " until removal" : "";
  return {
    claims: namedClaims(claims),
    title: `${operation} lists announced resources${until}`,
    requires: ["deliveries", "state"],
    run: async (session) => {
      const { typed, mayMention } = (await historyOf(session)).reading;
      const announced = new Map(announcedBy(typed));
      const removed = removedBy(typed);
      const removals = removalsOf(typed).filter(([id]) => removed.has(id));
      for (const [id, delivery] of removals) announced.set(id, delivery);
      if (announced.size === 0) return new Skip("no delivery announced a resource of the list");
      const first = await listAtEnd(session, operation);
      if (!first) return new Skip(`${operation} could not be read to its end`);
      const isWrong = (list: WholeList) => {
        const isMarked = markedIn(list, removed);
        return (id: string) =>
          removed.has(id) ? list.items.has(id) && !isMarked(id) : !list.items.has(id);
      };
      const wrong = await unexplained(
        session,
        [...announced.keys()].filter(isWrong(first)),
        (id, later) => removedBy(later).has(id) || (!removed.has(id) && mayMention(id)),
      );
      const again = wrong.length > 0 ? ((await wholeList(session, operation)) ?? first) : first;
      const remaining = new Set(wrong.filter(isWrong(again)));
      const deliveries = typed.map(({ delivery }) => delivery);
      const { networks } = session.capabilities;
      const assertions = new ClaimAssertions();
      for (const [id, delivery] of announced) {
        const isRemoved = removed.has(id);
        const shown = again.items.get(id)?.exchange ?? again.last;
        const expected = isRemoved
          ? `no ${id}, because it is removed`
          : `${id}, because it was announced`;
        const actual = isRemoved ? "listed" : "not listed";
        const breach = { expected, actual, evidence: [shown, delivery] as const };
        const situations = situationsIn(delivery, networks, deliveries);
        const claim = isRemoved ? unlisted : listed;
        if (claim) assertions.of(claim, ...situations).check(!remaining.has(id), breach);
      }
      return assertions.result("");
    },
  };
}

/**
 * The interface allows marking an item as no longer valid: it has a member that no other item has,
 * or a value that no other has where few values are shared by all others.
 */
function markedIn({ items }: WholeList, removed: ReadonlySet<string>): (id: string) => boolean {
  const values = new Map<string, Set<string>>();
  for (const [id, { body }] of items) {
    if (removed.has(id)) continue;
    for (const [name, value] of Object.entries(Object(body))) {
      values.set(name, (values.get(name) ?? new Set()).add(JSON.stringify(value)));
    }
  }
  return (id) =>
    Object.entries(Object(items.get(id)?.body)).some(([name, value]) => {
      const known = values.get(name);
      const isShared = known && known.size * 2 <= items.size - removed.size;
      return !known || (isShared && !known.has(JSON.stringify(value)));
    });
}

/** The ids of removed resources, each with its delivery. */
const removalsOf: AnnouncedBy = (typed) => [
  ...by("banktransaction.deleted")(typed),
  ...by("transaction.match.deleted")(typed),
];
