import { isDeepStrictEqual } from "node:util";
import { type EventName, eventInfo } from "../../generated/events.ts";
import type { ClaimId } from "../../generated/requirements.ts";
import { resourceFields } from "../../generated/resources.ts";
import { memberOf } from "../../src/contract/pointer.ts";
import type { OperationWithResponse } from "../../src/contract/validate.ts";
import { bodyOf, breachAt } from "../assert.ts";
import type { Session } from "../check.ts";
import { differencesOf, pick, SUBSCRIPTION_FIELDS } from "../observe/deliveries/api-lookups.ts";
import { textAt } from "../observe/deliveries/find.ts";
import {
  bankTransactionIn,
  isBankOnly,
  messageIdsOf,
  projectedMessages,
  supersededIn,
} from "../observe/feed.ts";
import type { CollectionOperation } from "../observe/operations.ts";
import { walk } from "../observe/pages.ts";
import type { Delivery, Exchange } from "../wire/exchange.ts";
import { readMessage, readSubscription, readTransaction } from "./drive.ts";
import { judgeResponse, type Violation, violation } from "./judge.ts";
import type { World } from "./world.ts";

const TRANSACTION = ["id", ...resourceFields.transactions.all].filter(
  (name) => name !== "updatedAt",
);

const MESSAGE = ["id", "_links", ...resourceFields.transactionMessages.all];

/** The API's responses for the resources of a step. */
interface Views {
  readonly violations: readonly Violation[];
  /** By id. */
  readonly exchanges: ReadonlyMap<string, Exchange>;
  /** The messages of each transaction in link order, by its id. */
  readonly messages: ReadonlyMap<string, readonly Exchange[]>;
}

/**
 * Requests the resources of a step: those that it names, and those of its deliveries. Compares each
 * with its latest event (SUB-09, EP-04, MSG-09).
 *
 * @param purchases Transactions to request with their messages, whether they are announced or not.
 */
export async function readViews(
  session: Session,
  world: World,
  {
    named,
    deliveries,
    purchases = [],
  }: {
    readonly named: ReadonlySet<string>;
    readonly deliveries: readonly Delivery[];
    readonly purchases?: readonly string[];
  },
): Promise<Views> {
  const exchanges = new Map<string, Exchange>();
  const violations: Violation[] = [];
  // A delivery without an id has no resource; the contract reports the missing id.
  const identified = deliveries.flatMap((delivery) => {
    const id = textAt(delivery.json, "/id");
    return id ? [{ id, delivery }] : [];
  });
  const judge = (operation: OperationWithResponse, exchange: Exchange, found: Violation[]) => {
    violations.push(...judgeResponse(operation, exchange, session.capabilities), ...found);
  };
  const concerned = new Set([...named, ...identified.map(({ id }) => id)]);
  await Promise.all(
    [...concerned].map(async (id) => {
      const latest = world.latest.get(id);
      if (!latest || latest.name.startsWith("bankaccount")) return;
      const isSubscription = latest.name.startsWith("cardsubscription");
      const exchange = await (isSubscription ? readSubscription : readTransaction)(session, id);
      exchanges.set(id, exchange);
      const single = isSubscription
        ? "GET /card-subscriptions/{id}"
        : "GET /transactions/{transactionId}";
      judge(single, exchange, compareWithEvents(exchange, latest, world.deliveries));
    }),
  );
  const messages = new Map<string, readonly Exchange[]>();
  for (const id of purchases) {
    const exchange = exchanges.get(id) ?? (await readTransaction(session, id));
    exchanges.set(id, exchange);
    const ids = messageIdsOf(bodyOf(exchange));
    messages.set(id, await Promise.all(ids.map((one) => readMessage(session, one))));
  }
  const read = [...messages.values()].flat();
  const known = new Map(read.map((one) => [textAt(bodyOf(one), "/id"), one]));
  await Promise.all(
    identified.map(async ({ id, delivery }) => {
      if (delivery.name !== "transactionmessage.created") return;
      const exchange = known.get(id) ?? (await readMessage(session, id));
      judge("GET /transaction-messages/{id}", exchange, compareMessage(exchange, delivery));
    }),
  );
  return { violations, exchanges, messages };
}

/** Compares a resource with its latest event. Of several with one time, any may be the latest. */
function compareWithEvents(
  exchange: Exchange,
  latest: Delivery,
  deliveries: readonly Delivery[],
): Violation[] {
  const isSubscription = latest.name.startsWith("cardsubscription");
  const [id, at] = [textAt(latest.json, "/id"), textAt(latest.json, "/updatedAt")];
  const others = deliveries.filter(
    ({ json }) => textAt(json, "/id") === id && textAt(json, "/updatedAt") === at,
  );
  const compared = [latest, ...others].map((one) => compareWith(exchange, one, isSubscription));
  return compared.toSorted((one, other) => one.length - other.length)[0] ?? [];
}

function compareWith(exchange: Exchange, latest: Delivery, isSubscription: boolean): Violation[] {
  const served = bodyOf(exchange);
  if (served === undefined) {
    const claim = isSubscription ? "EP-13.card-subscriptions" : "EP-04.returns";
    return notServed(claim, exchange, latest);
  }
  const fields = isSubscription ? SUBSCRIPTION_FIELDS : TRANSACTION;
  const cause = isSubscription ? "SUB-09.every-change" : unannouncedChange(latest.json, served);
  const evidence = [exchange, latest] as const;
  const [wanted, actual] = [pick(latest.json, fields), pick(served, fields)];
  const found = differing(cause, wanted, actual, "in its latest event", evidence);
  const [sent, listed] = [messageIdsOf(latest.json), messageIdsOf(served)];
  if (isDeepStrictEqual(sent.toSorted(), listed.toSorted())) return found;
  const expected = `the messages of its latest event: ${sent.join(", ")}`;
  return [...found, violation(cause, breachAt(exchange, "/_links/messages", expected, latest))];
}

/** The differences between an event and the resource that it announces. */
function differing(
  claim: ClaimId,
  announced: unknown,
  served: unknown,
  place: string,
  evidence: readonly [Exchange, Delivery],
): Violation[] {
  return differencesOf(announced, served).map(({ path, expected, actual }) => {
    return violation(claim, { path, expected: `${expected}, as ${place}`, actual, evidence });
  });
}

/** The row of the status table that owes the event of a change which only the API shows. */
function unannouncedChange(latest: unknown, served: unknown): ClaimId {
  const [was, is] = [textAt(latest, "/status"), textAt(served, "/status")];
  const isNetted = memberOf(served, "transactionSettledAmount") === 0;
  if (isBankOnly(latest)) return isNetted ? "TXN-14.updated" : "EP-04.same-as-event";
  const isFromBank = projectedMessages(served)?.some((one) => bankTransactionIn(one));
  if (was === "PENDING" && is === "SETTLED" && isFromBank) return "TXN-12.updated";
  const ids = (body: unknown) => supersededIn(body).length;
  const isSuperseded = was === "SETTLED" && ids(served) > ids(latest);
  return isSuperseded ? "TXN-13.updated" : "EP-04.same-as-event";
}

function compareMessage(exchange: Exchange, delivery: Delivery): Violation[] {
  const served = bodyOf(exchange);
  if (served === undefined) return notServed("EP-05.returns", exchange, delivery);
  const { metadata, ...body } = served as Record<string, unknown>;
  // An envelope may have additional fields that the interface does not define.
  const announced = pick(delivery.json, [...MESSAGE, ...Object.keys(body)]);
  return differing("MSG-09.identical", announced, body, "delivered", [exchange, delivery]);
}

function notServed(claim: ClaimId, exchange: Exchange, delivery: Delivery): Violation[] {
  const status = exchange.response?.status;
  // Without a response, nothing is known. Other requirements are about refused tokens.
  if (status === undefined || status === 401 || status >= 500) return [];
  const expected = "200 with the resource that was announced";
  const breach = { expected, actual: `${status}`, evidence: [exchange, delivery] as const };
  return [violation(claim, breach)];
}

/** The most pages that are read of a list: longer lists are not compared. */
const MOST_PAGES = 3;

interface List {
  readonly operation: CollectionOperation;
  /** Broken if an announced resource is not listed, or is still listed after its removal. */
  readonly missing: ClaimId;
  readonly removed: ClaimId;
  readonly created: EventName;
  readonly deleted?: EventName;
}

const LISTS: readonly List[] = [
  {
    ...{ operation: "GET /transactions", missing: "EP-03.lists-new", removed: "EP-03.lists-new" },
    ...{ created: "transaction.created" },
  },
  {
    ...{
      operation: "GET /bank-transactions",
      missing: "BTX-07.listed",
      removed: "BTX-07.unlisted",
    },
    ...{ created: "banktransaction.created", deleted: "banktransaction.deleted" },
  },
  {
    operation: "GET /transaction-matches",
    ...{ missing: "MAT-11.listed", removed: "MAT-11.unlisted" },
    ...{ created: "transaction.match.created", deleted: "transaction.match.deleted" },
  },
];

/** Compares the lists that a step's deliveries change with the script's announced resources. */
export async function readLists(
  session: Session,
  world: World,
  deliveries: readonly Delivery[],
): Promise<Violation[]> {
  const changed = LISTS.filter(({ created, deleted }) =>
    deliveries.some(({ name }) => name === created || name === deleted),
  );
  const found = await Promise.all(changed.map((list) => compareList(session, world, list)));
  return found.flat();
}

async function compareList(session: Session, world: World, list: List): Promise<Violation[]> {
  const { operation, missing, removed, created, deleted } = list;
  const { pages, end } = await walk(session, operation, { limit: 100, mostPages: MOST_PAGES });
  const last = pages.at(-1)?.exchange;
  if (end.kind !== "last" || !last) return [];
  const listed = Map.groupBy(
    pages.flatMap(({ items, exchange }) => items.map((item) => ({ item, exchange }))),
    ({ item }) => memberOf(item, "id"),
  );
  const idsIn = (event: EventName) =>
    world.deliveries
      .filter(({ name }) => name === event)
      .map((delivery) => [textAt(delivery.json, eventInfo[event].id) ?? "", delivery] as const);
  const gone = new Map(deleted ? idsIn(deleted) : []);
  return idsIn(created).flatMap(([id, delivery]): Violation[] => {
    const shown = listed.get(id) ?? [];
    const times = shown.length;
    const isGone = gone.has(id);
    if (times === (isGone ? 0 : 1)) return [];
    const expected = isGone ? `no ${id}, which is deleted` : `${id} once, which was announced`;
    const actual = times === 0 ? "not listed" : `listed ${times === 1 ? "once" : `${times} times`}`;
    const claim = isGone ? removed : times > 1 ? "PAGE-11.once" : missing;
    const evidence = [shown[0]?.exchange ?? last, gone.get(id) ?? delivery] as const;
    return [violation(claim, { expected, actual, evidence })];
  });
}
