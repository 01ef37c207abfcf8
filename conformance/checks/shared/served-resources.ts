import type { ClaimId, Situation } from "../../../generated/requirements.ts";
import { resourceFields } from "../../../generated/resources.ts";
import { memberOf, valueAt } from "../../../src/contract/pointer.ts";
import { each } from "../../assert.ts";
import {
  type Breach,
  type Check,
  type ClaimBreach,
  namedClaims,
  type Session,
} from "../../check.ts";
import {
  bankTransactionDifferences,
  type Contradiction,
  differencesOf,
  matchDifferences,
  pick,
  type ReferencedResource,
  type ReferencedResources,
  referencedResources,
  SUBSCRIPTION_FIELDS,
  unexplained,
} from "../../observe/deliveries/api-lookups.ts";
import {
  allNamed,
  isNamed,
  postingIdsOf,
  removedBy,
  retractedBy,
  type TypedDelivery,
} from "../../observe/deliveries/reading.ts";
import type { CollectionOperation } from "../../observe/operations.ts";
import { listAtEnd } from "../../observe/pages.ts";
import { situationsOf } from "../../observe/situations.ts";
import { type Delivery, outcomeOf } from "../../wire/exchange.ts";
import { noneOfValid } from "./histories.ts";

/** A resource of a delivery, and what of it differs in the API. */
interface Compared {
  readonly id: string;
  /** A breach may omit the claim if the check has one. */
  readonly breaches: readonly Breach[];
  readonly situations?: readonly Situation[];
}

interface Comparison {
  readonly title: string;
  readonly compared: (
    referenced: ReferencedResources,
    session: Session,
  ) => readonly Compared[] | Promise<readonly Compared[]>;
  /** Why there is nothing to compare. */
  readonly none: string;
  /** Whether an unreadable delivery may explain a difference, too. */
  readonly mayBeUnread?: true;
}

/**
 * Creates a check that compares the resources of deliveries with the API. A difference is no breach
 * if a later delivery announces a change or the end of its resource.
 */
export function comparedWithApi(
  claims: readonly ClaimId[],
  { title, compared, none, mayBeUnread }: Comparison,
): Check {
  return {
    claims: namedClaims(claims),
    title,
    requires: ["deliveries", "state"],
    run: async (session) => {
      const referenced = await referencedResources(session);
      const { mayMention } = referenced.history.reading;
      const all = await compared(referenced, session);
      const remaining = new Set(
        await unexplained(
          session,
          all.filter(({ breaches }) => breaches.length > 0),
          ({ id }, later) => hasChanged(id, later) || (mayBeUnread === true && mayMention(id)),
        ),
      );
      return each(
        all,
        noneOfValid(none, referenced.history),
        (one) => (remaining.has(one) ? (one.breaches as readonly ClaimBreach[]) : []),
        ({ situations = [] }) => situations,
      );
    },
  };
}

function hasChanged(id: string, later: readonly TypedDelivery[]): boolean {
  const snapshots = allNamed(later, ...SNAPSHOTS.transaction, ...SNAPSHOTS.cardsubscription);
  return (
    removedBy(later).has(id) ||
    retractedBy(later).has(id) ||
    snapshots.some(({ body }) => body.id === id)
  );
}

const SNAPSHOTS = {
  transaction: ["transaction.created", "transaction.updated"],
  cardsubscription: ["cardsubscription.created", "cardsubscription.updated"],
} as const;

/** What of a resource must be served as its last event has it. */
interface Served {
  readonly claim: ClaimId;
  readonly title: string;
  readonly kind: keyof typeof SNAPSHOTS;
  readonly view: (body: unknown) => unknown;
  /**
   * Whether to compare a resource with an event, by their `updatedAt`. Default: if they are equal,
   * because the resource has not changed since.
   */
  readonly isComparable?: (served: string, announced: string) => boolean;
  /** Whether a missing resource is a breach. Other checks report it, too. */
  readonly isOwed?: true;
  /** Whether to compare an invalid response. Other checks report its shape. */
  readonly isInvalidToo?: true;
}

/**
 * Creates a check that a GET equals the last event of a resource. Events with the same `updatedAt`
 * have no known order: the resource must equal one of them.
 */
function servedAsAnnounced(served: Served): Check {
  const { claim, title, kind } = served;
  return comparedWithApi([claim], {
    title,
    compared: ({ history, at }, { capabilities }) => {
      const events = allNamed(history.reading.typed, ...SNAPSHOTS[kind]);
      return [...Map.groupBy(events, ({ body }) => body.id)].flatMap(([id, all]): Compared[] => {
        const latest = all.reduce((one, other) =>
          other.body.updatedAt >= one.body.updatedAt ? other : one,
        );
        const lookup = at(latest.body._links.self.href);
        const breaches = lookup && differencesToLatest(all, latest, lookup, served);
        const situations = situationsOf(latest.body, capabilities.networks);
        return breaches ? [{ id, breaches, situations }] : [];
      });
    },
    none: `no delivered ${kind === "transaction" ? kind : "subscription"} is unchanged in the API`,
  });
}

type Snapshot = TypedDelivery<(typeof SNAPSHOTS)[keyof typeof SNAPSHOTS][number]>;

/** The differences between a response and an event; undefined if they can't be compared. */
function differencesToLatest(
  all: readonly Snapshot[],
  latest: Snapshot,
  { exchange, response }: ReferencedResource,
  { view, isComparable = (one, other) => one === other, isOwed, isInvalidToo }: Served,
): readonly Breach[] | undefined {
  const evidence = [exchange, latest.delivery] as const;
  const { id, updatedAt } = latest.body;
  if (!response?.isJson) {
    return isOwed && [{ expected: `200 with ${id}`, actual: outcomeOf(exchange), evidence }];
  }
  const isInvalid = response.findings.some(({ level }) => level === "error");
  if (isInvalid && !isInvalidToo) return undefined;
  const body = exchange.response?.json;
  if (!isComparable(String(memberOf(body, "updatedAt")), updatedAt)) return undefined;
  const differences = all
    .filter((one) => one.body.updatedAt === updatedAt)
    .map((one) => differencesOf(view(one.body), view(body)));
  if (differences.some((found) => found.length === 0)) return [];
  return (differences.at(-1) ?? []).map((one) => ({ ...one, evidence }));
}

/** The ids of bank transactions in deliveries, by the claim that the API finds them. */
const NAMING = {
  "MSG-11.resolves": postingIdsOf,
  "MAT-04.resolves": (by: TypedDelivery) =>
    isNamed(by, "transaction.match.created") ? by.body.matches.map(({ id }) => id) : [],
};

/** Creates a check that the API finds bank transactions by the join key in deliveries. */
function resolves(claim: keyof typeof NAMING, title: string): Check {
  return comparedWithApi([claim], {
    title,
    compared: (referenced, { capabilities }) =>
      fetchedPostings(referenced, referenced.history.reading.typed, NAMING[claim]).map(
        ({ id, by, lookup }) => {
          const { exchange, response } = lookup;
          const served = memberOf(exchange.response?.json, "id");
          const isFound = response?.isJson && served === id;
          const actual = response?.isJson ? `id ${served}` : outcomeOf(exchange);
          const evidence = [exchange, by.delivery] as const;
          return {
            id,
            breaches: isFound ? [] : [{ expected: `200 with id ${id}`, actual, evidence }],
            situations: situationsOf(by.body, capabilities.networks),
          };
        },
      ),
    none: "no delivery names a bank transaction that can be fetched",
    mayBeUnread: true,
  });
}

/** The bank transactions that are fetched and not removed, each with the first that names it. */
function fetchedPostings<T extends TypedDelivery>(
  { history, at, postingPath }: ReferencedResources,
  naming: readonly T[],
  idsIn: (by: T) => readonly string[],
) {
  const named = new Map<string, T>();
  for (const by of naming) for (const id of idsIn(by)) if (!named.has(id)) named.set(id, by);
  for (const id of removedBy(history.reading.typed)) named.delete(id);
  return [...named].flatMap(([id, by]) => {
    const lookup = at(postingPath(id));
    return lookup ? [{ id, by, lookup }] : [];
  });
}

/** Compares a bank transaction's event with the API, in the fields that both have (EP-10). */
const postingIsServed = comparedWithApi(["EP-10.same-as-event"], {
  title: "GET of a bank transaction equals its event",
  compared: (referenced) => {
    const announced = allNamed(referenced.history.reading.typed, "banktransaction.created");
    return fetchedPostings(referenced, announced, ({ body }) => [body.id]).map(
      ({ id, by, lookup: { exchange, response } }) => {
        const evidence = [exchange, by.delivery] as const;
        const differences = response?.isJson
          ? bankTransactionDifferences(by.body, exchange.response?.json)
          : [{ expected: "200 with JSON", actual: outcomeOf(exchange) }];
        return { id, breaches: differences.map((one) => ({ ...one, evidence })) };
      },
    );
  },
  none: "no bank transaction with a known subaccount was delivered",
});

/** Compares a match's event with the API, in the fields that both have (EP-12). */
const matchIsServed = comparedWithApi(["EP-12.top-level-id", "EP-12.same-as-event"], {
  title: "GET of a match equals its event, with matchId as id",
  compared: ({ history, at, matchPath }) => {
    const retracted = retractedBy(history.reading.typed);
    return allNamed(history.reading.typed, "transaction.match.created").flatMap((match) => {
      const { body, delivery } = match;
      const lookup = retracted.has(body.matchId) ? undefined : at(matchPath(match));
      if (!lookup) return [];
      const { exchange, response } = lookup;
      const expected = `200 with id ${body.matchId}`;
      const differences: readonly Omit<Breach, "evidence">[] = response?.isJson
        ? matchDifferences(body, exchange.response?.json)
        : [{ expected, actual: outcomeOf(exchange) }];
      const breaches = differences.map((one): ClaimBreach => {
        const isOfId = one.path === undefined || one.path === "/id";
        const claim = isOfId ? "EP-12.top-level-id" : "EP-12.same-as-event";
        return { claim, ...one, evidence: [exchange, delivery] };
      });
      return [{ id: body.matchId, breaches }];
    });
  },
  none: "no match with a known subaccount was delivered",
  mayBeUnread: true,
});

/** An announced resource, and what of its event contradicts an item of a list. */
interface Announced {
  readonly id: string;
  readonly delivery: Delivery;
  readonly differences: (item: unknown) => readonly Contradiction[];
}

/** Creates a check that list items agree with their events, unless a removal is announced. */
function listedAsAnnounced(
  claim: ClaimId,
  operation: CollectionOperation,
  announcedBy: (typed: readonly TypedDelivery[]) => readonly Announced[],
): Check {
  return comparedWithApi([claim], {
    title: `each item of ${operation} equals its event`,
    compared: async ({ history }, session) => {
      const { typed } = history.reading;
      const list = await listAtEnd(session, operation);
      const removed = new Set([...removedBy(typed), ...retractedBy(typed)]);
      return announcedBy(typed).flatMap(({ id, delivery, differences }) => {
        const item = list?.items.get(id);
        if (!item || removed.has(id)) return [];
        const breaches = differences(item.body).map(({ path, ...rest }): Breach => {
          const evidence = [item.exchange, delivery] as const;
          return { path: `${item.at}${path}`, ...rest, evidence };
        });
        return [{ id, breaches }];
      });
    },
    none: `${operation} lists nothing that was announced in this run`,
  });
}

/** The fields of a transaction that a GET must repeat. Other checks compare the rest. */
const AGGREGATE = [
  "id",
  ...resourceFields.transactions.all.filter(
    (name) => name !== "supersededMessageIds" && name !== "updatedAt",
  ),
];

const SERVED: readonly Served[] = [
  // EP-04: GET /transactions/{transactionId} is one transaction, supersededMessageIds included.
  {
    claim: "EP-04.same-as-event",
    title: "GET of a transaction equals its latest snapshot",
    kind: "transaction",
    view: (body) => ({ ...pick(body, AGGREGATE), messages: hrefsOf(body) }),
    isOwed: true,
  },
  // TXN-11: supersededMessageIds is a full snapshot: mirroring it is an idempotent replace; it is
  // empty for transactions last updated before the field existed.
  {
    claim: "TXN-11.same-as-get",
    title: "GET has the supersededMessageIds of the latest snapshot",
    kind: "transaction",
    view: (body) => ({ supersededMessageIds: sorted(memberOf(body, "supersededMessageIds")) }),
    isInvalidToo: true,
  },
  // EP-13: The links of event payloads address /cards/{id}, /card-subscriptions/{id},
  // /network-bulk-feeds/{id}, /subaccounts/{id} and /bank-accounts/{id}.
  {
    claim: "EP-13.same-as-event",
    title: "GET of a subscription has the dates and links of its last event",
    kind: "cardsubscription",
    view: (body) => ({
      ...pick(body, ["id", "effectiveDate", "expirationDate"]),
      ...pick(memberOf(body, "_links"), ["self", "card", "networkBulkFeed", "bankAccount"]),
    }),
  },
  // SUB-01: A card subscription has the fields of its table; enrollmentType is cardholder-single,
  // network-bulk or bank-feed.
  {
    claim: "SUB-01.same-as-event",
    title: "GET of a subscription equals its last event",
    kind: "cardsubscription",
    view: (body) => pick(body, SUBSCRIPTION_FIELDS),
    // The API may lag behind its events, but each change is announced.
    isComparable: (served, announced) => served >= announced,
  },
];

function hrefsOf(body: unknown): unknown {
  const links = valueAt(body, ["_links", "messages"]);
  return Array.isArray(links) ? sorted(links.map((link) => memberOf(link, "href"))) : links;
}

/** Sorts an array whose order has no meaning. */
function sorted(value: unknown): unknown {
  return Array.isArray(value) ? value.toSorted() : value;
}

/** Checks that the API shows what deliveries announced. */
export const servedResources: readonly Check[] = [
  ...SERVED.map(servedAsAnnounced),
  postingIsServed,
  // EP-12: GET /transaction-matches/{subaccountId}/{matchId} is one match, whose top-level id
  // equals the event's matchId.
  matchIsServed,
  // EP-09: GET /bank-transactions is a collection of bank transactions, whose category is an array
  // of provider categories.
  listedAsAnnounced("EP-09.same-as-event", "GET /bank-transactions", (typed) =>
    allNamed(typed, "banktransaction.created").map(({ body, delivery }): Announced => {
      const differences = (item: unknown) => bankTransactionDifferences(body, item);
      return { id: body.id, delivery, differences };
    }),
  ),
  // EP-11: GET /transaction-matches is a collection of matches.
  listedAsAnnounced("EP-11.same-as-event", "GET /transaction-matches", (typed) =>
    allNamed(typed, "transaction.match.created").map(({ body, delivery }): Announced => {
      return { id: body.matchId, delivery, differences: (item) => matchDifferences(body, item) };
    }),
  ),
  // MSG-11: bankData.bankTransactionId equals the banktransaction.created id and resolves at GET
  // /bank-transactions/{subaccountId}/{id}.
  resolves("MSG-11.resolves", "GET finds the bankTransactionId of a delivered message"),
  // MAT-04: matches[].id is a bank transaction's id, as announced by banktransaction.created.
  resolves("MAT-04.resolves", "GET finds the bank transactions of a delivered match"),
];
