import type { components } from "../../generated/types.ts";
import type { FeedEvent } from "../contract/feed-event.ts";
import { UsageError } from "../errors.ts";
import { infoOf, textAt } from "./resource.ts";

type BankAccountState = components["schemas"]["BankAccountState"];
/** A body whose shape may differ from the contract's, such as one of a later version. */
type Body = { readonly [member: string]: unknown };

/**
 * Returns whether an event has a newer state of its resource than what you stored. It compares
 * `updatedAt`; if that is equal, `created` is before `updated`, message ids and superseded ids only
 * grow, `PENDING` is before `SETTLED`, and `submitted` before `active` and `failed`. Deliveries may
 * therefore arrive in any order and more than once.
 *
 * - `true`: store the event.
 * - `false`: the event is older, or has the same state. Ignore it.
 * - `"undecidable"`: fetch the resource. Two updates in the same millisecond can differ in amounts
 *   only; no fact tells which is later.
 *
 * `banktransaction.*`, `transaction.match.*`: only the deletion is newer, once. Keep it, because it
 * wins over what arrives later. `transactionmessage.created`, `banklink.completed` and
 * `enrichment.merchant.created` never change: `false`. `bankaccount.state_changed` and unknown
 * events: `"undecidable"`; see {@link finalState}.
 *
 * The response of a GET is compared like an event: as `transaction.updated`, for example. It may be
 * behind. If the event or what you stored is newer than the response, repeat the GET later.
 *
 * @param event The event.
 * @param stored The last event of the same resource that you stored: its name and its body. `null`
 * or `undefined` if there is none; the result is `true` then.
 * @throws {TxfeedError} `usage` if `stored` is not an event, or is about another resource.
 * @example
 * async function upsert(event: KnownEvent<"transaction.created" | "transaction.updated">) {
 *   const { id } = event.body;
 *   const stored = await load(id); // { name, body } or null
 *   const newer = isNewer(event, stored);
 *   if (newer === true || stored === null) return save(id, event);
 *   if (newer === false) return;
 *   const fetched = { name: "transaction.updated", body: await fetchTransaction(id) } as const;
 *   const isBehind = isNewer(event, fetched) === true || isNewer(stored, fetched) === true;
 *   if (isBehind) throw new Error(`GET of ${id} is behind`); // handled again later
 *   return save(id, fetched);
 * }
 */
export function isNewer(
  event: FeedEvent,
  stored: FeedEvent | null | undefined,
): boolean | "undecidable" {
  if (stored === null || stored === undefined) return true;
  assertSameResource(event, stored);
  switch (familyOf(event)) {
    case "transaction":
    case "cardsubscription":
    case "networkbulkfeed":
      return isNewerSnapshot(event, stored);
    case "banktransaction":
    case "transaction.match":
      return isDeletion(event) && !isDeletion(stored);
    case "transactionmessage":
    case "banklink":
    case "enrichment.merchant":
      return false;
    default:
      return "undecidable";
  }
}

/**
 * Returns the final state of a bank account from all its `bankaccount.state_changed`, in any order.
 * The event has neither an id nor a time, but each change begins in the state in which another one
 * ended. The final state is therefore the one that was entered once more than it was left.
 *
 * @param changes The bodies, each delivery once: remove duplicates by the delivery id.
 * @param start The state before the first of these changes. Default: `active`, as when the account
 * is linked.
 * @returns the state; `undefined` if the changes do not form one sequence from `start`, because one
 * is missing or there twice. About half of the cases in which one is missing are found.
 */
export function finalState(
  changes: Iterable<{ readonly state: BankAccountState; readonly previousState: BankAccountState }>,
  start: BankAccountState = "active",
): BankAccountState | undefined {
  // How much more often a state was entered than left. The start counts as an entry.
  const excess = new Map<BankAccountState, number>([[start, 1]]);
  let isStartLeft = false;
  for (const { state, previousState } of changes) {
    excess.set(state, (excess.get(state) ?? 0) + 1);
    excess.set(previousState, (excess.get(previousState) ?? 0) - 1);
    isStartLeft ||= previousState === start;
  }
  if (excess.size > 1 && !isStartLeft) return undefined;
  const [final, ...others] = [...excess].filter(([, times]) => times !== 0);
  return others.length === 0 ? final?.[0] : undefined;
}

function isNewerSnapshot(event: FeedEvent, stored: FeedEvent): boolean | "undecidable" {
  const [body, before] = [bodyOf(event), bodyOf(stored)];
  return (
    isLater(body["updatedAt"], before["updatedAt"]) ??
    (isCreation(event) !== isCreation(stored) ? isCreation(stored) : undefined) ??
    isGrown(growthOf(event), growthOf(stored)) ??
    (isSameContent(body, before) ? false : "undecidable")
  );
}

/** Whether a timestamp is later than another; undefined if they may be equal. */
function isLater(time: unknown, other: unknown): boolean | undefined {
  const [span, before] = [spanOf(time), spanOf(other)];
  if (span === undefined || before === undefined) return undefined;
  if (span.from >= before.to) return true;
  return before.from >= span.to ? false : undefined;
}

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.(\d{1,30}))?(?:Z|[+-]\d\d:\d\d)$/;

/**
 * The milliseconds that a timestamp can mean: a database may have cut its fraction. undefined if it
 * is missing, or has no time zone.
 */
function spanOf(time: unknown): { from: number; to: number } | undefined {
  const parts = typeof time === "string" ? TIMESTAMP.exec(time) : null;
  const from = parts ? Date.parse(parts[0]) : Number.NaN;
  if (Number.isNaN(from)) return undefined;
  const digits = Math.min(parts?.[1]?.length ?? 0, 3);
  return { from, to: from + 10 ** (3 - digits) };
}

/** The status before a status. The order of other ones is not known. */
const BEFORE: ReadonlyMap<unknown, string> = new Map([
  ["SETTLED", "PENDING"],
  ["active", "submitted"],
  ["failed", "submitted"],
]);

/** The parts of a snapshot that only grow; undefined if it has none, or not all of them. */
function growthOf(event: FeedEvent): ReadonlySet<string> | undefined {
  const { _links, supersededMessageIds: superseded, status, newState } = bodyOf(event);
  if (event.name === "networkbulkfeed.statechanged") return new Set(stagesOf(newState));
  if (familyOf(event) !== "transaction" || !Array.isArray(superseded)) return undefined;
  const { messages } = asBody(_links);
  if (!Array.isArray(messages)) return undefined;
  return new Set([
    ...messages.map((link) => `message ${String(asBody(link)["href"]).toLowerCase()}`),
    ...superseded.map((id) => `superseded ${String(id).toLowerCase()}`),
    ...stagesOf(status),
  ]);
}

/** A status, and the one before it. */
const stagesOf = (status: unknown) =>
  [status, BEFORE.get(status) ?? status].map((stage) => `status ${String(stage)}`);

/** Whether a set contains another one; undefined if both or neither contains the other. */
function isGrown(
  set: ReadonlySet<string> | undefined,
  before: ReadonlySet<string> | undefined,
): boolean | undefined {
  if (!set || !before) return undefined;
  const contains = [...before].every((item) => set.has(item));
  return contains === [...set].every((item) => before.has(item)) ? undefined : contains;
}

/**
 * Whether two values are the same JSON. The metadata of a delivery may differ (WHK-03). Values that
 * are nested more deeply than any of the contract count as different.
 */
function isSameContent(one: unknown, other: unknown, depth = 0): boolean {
  if (one === other) return true;
  if (!isObject(one) || !isObject(other) || depth === 64) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  if (depth === 0) names.delete("metadata");
  return [...names].every((name) => isSameContent(one[name], other[name], depth + 1));
}

const isCreation = ({ name }: FeedEvent) => name.endsWith(".created");
const isDeletion = ({ name }: FeedEvent) => name.endsWith(".deleted");
/** The name without its last part, such as `transaction.match`. */
const familyOf = ({ name }: FeedEvent) => name.replace(/\.[^.]*$/, "");
const isObject = (value: unknown): value is Body => typeof value === "object" && value !== null;
const asBody = (value: unknown): Body => (isObject(value) ? value : {});
const bodyOf = ({ body }: FeedEvent) => asBody(body);

/** An event's resource, such as `transaction ID`. Ids may have either case. */
function resourceNameOf(event: FeedEvent): string {
  const id = textAt(event.body, infoOf(event.name)?.id ?? "/id");
  return `${familyOf(event)} ${id?.toLowerCase()}`;
}

function assertSameResource(event: FeedEvent, stored: FeedEvent): void {
  if (typeof stored.name !== "string") {
    throw new UsageError("isNewer: stored must be an event, { name, body }, or null");
  }
  const [one, other] = [resourceNameOf(event), resourceNameOf(stored)];
  if (one !== other) throw new UsageError(`isNewer: event is about ${one}, stored about ${other}`);
}
