import type { EventPayloads } from "../../../generated/events.ts";
import { describeValue } from "../../../src/contract/describe.ts";
import { memberOf } from "../../../src/contract/pointer.ts";
import type { Session } from "../../check.ts";
import { unlessSkipped } from "../../skip.ts";
import type { Delivery, Exchange } from "../../wire/exchange.ts";
import { feedOf } from "../crawl.ts";
import { type Fields, fieldDifferences, fieldsOf } from "../differences.ts";
import { BANK_TRANSACTION, MATCH, relatedIds, SubaccountIndex, sample } from "../feed.ts";
import { isFollowed, linksIn, operationAt } from "../operations.ts";
import { type ValidatedResponse, validatedResponse } from "../validation.ts";
import { type History, historyOf } from "./history.ts";
import { allNamed, isNamed, postingIdsOf, readDeliveries, type TypedDelivery } from "./reading.ts";

/** A resource referenced by a delivery, fetched after delivery collection ended. */
export interface ReferencedResource {
  readonly href: string;
  /** The first delivery that references it. */
  readonly from: Delivery;
  /** Whether the reference is a link in the delivery's body. */
  readonly isLink: boolean;
  readonly exchange: Exchange;
  /** The validated response; undefined if the link leads to no operation of the interface. */
  readonly response?: ValidatedResponse;
}

/** The API's responses for all resources that the deliveries reference. */
export interface ReferencedResources {
  readonly history: History;
  readonly resources: readonly ReferencedResource[];
  /** The resource at a path; undefined if it was not fetched. */
  readonly at: (href: string | undefined) => ReferencedResource | undefined;
  /** The path of a bank transaction; undefined if its subaccount is unknown. */
  readonly postingPath: (id: string) => string | undefined;
  readonly matchPath: (match: TypedDelivery<"transaction.match.created">) => string | undefined;
}

/** Maximum number of resources fetched, sampled evenly. A run of all scripts names fewer. */
const MAX_LOOKUPS = 600;

/** Minimum sample per kind, so that frequent kinds do not crowd out others. */
const LEAST_OF_A_KIND = 20;

/** Fetches the referenced resources once. */
export function referencedResources(session: Session): Promise<ReferencedResources> {
  return session.share("referenced resources", async (shared) => {
    const history = await historyOf(shared);
    const { typed } = history.reading;
    const bodies = typed.map(({ body }) => body);
    const subaccounts = new SubaccountIndex(await feedOf(shared), bodies);
    const postingPath = (id: string) => subaccounts.pathTo(BANK_TRANSACTION, id);
    const matchPath = ({ body }: TypedDelivery<"transaction.match.created">) =>
      subaccounts.pathTo(MATCH, body.matchId, ...relatedIds(body));
    const wanted = wantedBy(history, { postingPath, matchPath });
    const requested = await Promise.all(chosen(wanted).map((want) => ask(shared, want)));
    const resources = requested.filter((lookup) => lookup !== undefined);
    const byHref = new Map(resources.map((lookup) => [lookup.href, lookup]));
    const at = (href: string | undefined) => (href === undefined ? undefined : byHref.get(href));
    return { history, resources, at, postingPath, matchPath };
  });
}

type Wanted = Pick<ReferencedResource, "href" | "from" | "isLink">;

function wantedBy(
  { deliveries, reading: { typed } }: History,
  { postingPath, matchPath }: Pick<ReferencedResources, "postingPath" | "matchPath">,
): Wanted[] {
  const wanted = new Map<string, Wanted>();
  const want = (href: string | undefined, from: Delivery, isLink: boolean) => {
    if (href !== undefined && !wanted.has(href)) wanted.set(href, { href, from, isLink });
  };
  for (const from of deliveries) {
    for (const { href, name } of linksIn(from.json)) {
      if (isFollowed({ href, name })) want(href, from, true);
    }
  }
  for (const one of typed) {
    const postings = isNamed(one, "banktransaction.created") ? [one.body.id] : postingIdsOf(one);
    for (const id of postings) want(postingPath(id), one.delivery, false);
  }
  for (const match of allNamed(typed, "transaction.match.created")) {
    want(matchPath(match), match.delivery, false);
    for (const { id } of match.body.matches) want(postingPath(id), match.delivery, false);
  }
  return [...wanted.values()];
}

function chosen(wanted: readonly Wanted[]): Wanted[] {
  const share = MAX_LOOKUPS / Math.max(MAX_LOOKUPS, wanted.length);
  const kinds = Map.groupBy(wanted, ({ href }) => operationAt(href));
  return [...kinds.values()].flatMap((ofKind) =>
    sample(ofKind, Math.max(LEAST_OF_A_KIND, Math.floor(ofKind.length * share))),
  );
}

async function ask(session: Session, wanted: Wanted): Promise<ReferencedResource | undefined> {
  // CONV-05 reports refused links. Other skips are reported at their source.
  const exchange = await unlessSkipped(session.follow(wanted.href));
  if (!exchange) return undefined;
  const operation = operationAt(wanted.href);
  const response = operation && validatedResponse(operation, exchange, session.capabilities);
  return { ...wanted, exchange, ...(response && { response }) };
}

/**
 * Filters out differences between deliveries and the API that a later delivery explains: a change
 * made during the comparison may be announced a moment later. Each check calls it once.
 *
 * @param isExplained Whether a later delivery explains a difference.
 */
export async function unexplained<T>(
  session: Session,
  differences: readonly T[],
  isExplained: (difference: T, later: readonly TypedDelivery[]) => boolean,
): Promise<T[]> {
  if (differences.length === 0) return [];
  const { deliveries } = await historyOf(session);
  const later = (all: readonly Delivery[]) =>
    readDeliveries(all.slice(deliveries.length), session.capabilities).typed;
  const all = await session.deliveries((now) =>
    differences.every((one) => isExplained(one, later(now))),
  );
  return differences.filter((one) => !isExplained(one, later(all)));
}

/** A difference between two values. */
interface Difference {
  /** A JSON pointer, relative to the compared values. */
  readonly path: string;
  readonly expected: string;
  readonly actual: string;
}

/** Maximum differences reported per body. */
const MAX_DIFFERENCES = 5;

/** Compares two values. The order of object members is ignored. */
export function differencesOf(expected: unknown, actual: unknown): Difference[] {
  const found: Difference[] = [];
  compare(expected, actual, "", found);
  return found;
}

function compare(one: unknown, other: unknown, path: string, found: Difference[]): void {
  if (one === other || found.length === MAX_DIFFERENCES) return;
  if (!isContainer(one) || !isContainer(other) || Array.isArray(one) !== Array.isArray(other)) {
    found.push({ path, expected: describeValue(one, path), actual: describeValue(other, path) });
    return;
  }
  for (const name of new Set([...Object.keys(one), ...Object.keys(other)])) {
    compare(one[name], other[name], `${path}/${name}`, found);
  }
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/** The fields of a subscription whose changes are announced. */
export const SUBSCRIPTION_FIELDS = [
  ...["id", "subaccountId", "cardId", "enrollmentType", "state", "networkBulkFeedId"],
  ...["bankAccountId", "customerReferenceId", "createdAt"],
];

/** The named members that an object has. */
export function pick(value: unknown, names: readonly string[]): Record<string, unknown> {
  if (!isContainer(value)) return {};
  const own = names.filter((name) => Object.hasOwn(value, name));
  return Object.fromEntries(own.map((name) => [name, value[name]]));
}

/** A difference between an event and a REST resource. */
export interface Contradiction extends Difference {
  /** Set unless `id` differs: the other fields of the REST resource are not shown. */
  readonly isWarning?: true;
}

function contradictionsOf(announced: Fields, served: Fields): Contradiction[] {
  return fieldDifferences(announced, served).map(({ path, one: expected, other: actual }) => ({
    ...{ path, expected, actual },
    ...(path !== "/id" && { isWarning: true as const }),
  }));
}

/** The fields of a bank transaction that don't change unless it is pending. */
const LASTING = ["bankAccountId", "date", "amount", "currency", "description", "transactionType"];

/**
 * Compares a bank transaction's event with a REST resource, in the fields that both have in the
 * same form, and in `amount` without its sign.
 */
export function bankTransactionDifferences(
  body: EventPayloads["banktransaction.created"],
  served: unknown,
): Contradiction[] {
  const names = ["id", ...(body.pending ? ["bankAccountId"] : LASTING)].filter((name) =>
    haveSameForm(memberOf(body, name), memberOf(served, name)),
  );
  const fields = (value: unknown) =>
    new Map(
      [...fieldsOf(value, names)].map(([path, one]) => [
        path,
        path === "/amount" && typeof one === "number" ? Math.abs(one) : one,
      ]),
    );
  return contradictionsOf(fields(body), fields(served));
}

function haveSameForm(one: unknown, other: unknown): boolean {
  return typeof one === typeof other && isDate(one) === isDate(other);
}

function isDate(value: unknown): boolean {
  return typeof value === "string" && /^\d{4}-\d{2}-\d{2}$/.test(value);
}

/** Compares a match's event with a REST resource, in the fields that both have. */
export function matchDifferences(
  body: EventPayloads["transaction.match.created"],
  served: unknown,
): Contradiction[] {
  const fields = (match: unknown, id: unknown) => {
    const purchase = memberOf(match, "cardTransaction");
    return new Map([
      ...fieldsOf(match, ["confidence", "score"]),
      // EP-12: a resource without an id contradicts its event, too.
      [
        "/cardTransaction/id",
        purchase === undefined ? undefined : (memberOf(purchase, "id") ?? null),
      ],
      ["/id", id ?? null],
    ]);
  };
  return contradictionsOf(fields(body, body.matchId), fields(served, memberOf(served, "id")));
}
