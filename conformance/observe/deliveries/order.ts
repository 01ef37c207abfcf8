import { OPEN_BANKING } from "../../../src/contract/rules/vocabulary.ts";
import type { Breach } from "../../check.ts";
import type { Delivery } from "../../wire/exchange.ts";
import { messageIdsOf } from "../feed.ts";
import { allNamed, isNamed, postingIdsOf, type TypedDelivery } from "./reading.ts";

/** A rule that one delivery is normally sent before another. */
interface OrderRule {
  readonly first: TypedDelivery;
  readonly then: TypedDelivery;
  /** The kind of rule. */
  readonly kind: string;
  /** Whether both deliveries are about the same resource. */
  readonly isOfOne?: boolean;
}

/**
 * How far the order of arrival shows the order of sending.
 *
 * - `nothing`: events may happen and be sent concurrently.
 * - `most`: the target sends in the order in which most deliveries of a kind arrive. A single
 *   exception was overtaken.
 * - `all`: as `most`, and deliveries of one resource do not overtake each other, because each event
 *   is triggered after the earlier deliveries have arrived.
 */
export type ArrivalOrder = "nothing" | "most" | "all";

/**
 * Sorts deliveries into the order in which they were sent, if it can be inferred. The
 * interface specifies no order of arrival. Deliveries keep their order of arrival, except that each
 * follows the deliveries that must precede it.
 */
export function inBestOrder(
  typed: readonly TypedDelivery[],
  arrival: ArrivalOrder,
): TypedDelivery[] {
  const rules = rulesOf(typed, arrival !== "nothing");
  const broken = brokenKinds(rules, arrival);
  const kept = rules.filter(
    ({ first, then, kind }) => !broken.has(kind) || !isBefore(then.delivery, first.delivery),
  );
  const before = Map.groupBy(kept, ({ then }) => then);
  const ordered: TypedDelivery[] = [];
  const seen = new Set<TypedDelivery>();
  const put = (one: TypedDelivery) => {
    // In a cycle of contradicting rules, deliveries keep their order of arrival.
    if (seen.has(one)) return;
    seen.add(one);
    for (const { first } of before.get(one) ?? []) put(first);
    ordered.push(one);
  };
  for (const one of typed) put(one);
  return ordered;
}

/** Whether a delivery got its response before another arrived. Concurrent ones have no order. */
export function isBefore(one: Delivery, other: Delivery): boolean {
  return Date.parse(one.answeredAt) <= Date.parse(other.receivedAt) && one.nr < other.nr;
}

/** The kinds of rules that the target does not follow. */
function brokenKinds(rules: readonly OrderRule[], arrival: ArrivalOrder): Set<string> {
  if (arrival === "nothing") return new Set();
  const kinds = ofEachKind(rules).filter(({ broken, all }) => {
    const isSure = arrival === "all" && broken.some(({ isOfOne }) => isOfOne);
    return isSure || broken.length * 2 > all.length;
  });
  return new Set(kinds.map(({ kind }) => kind));
}

/** The rules of each kind: all, those that arrival follows, and those that it breaks. */
function ofEachKind(rules: readonly OrderRule[]) {
  return [...Map.groupBy(rules, ({ kind }) => kind)].map(([kind, all]) => ({
    kind,
    all,
    kept: all.filter(({ first, then }) => isBefore(first.delivery, then.delivery)),
    broken: all.filter(({ first, then }) => isBefore(then.delivery, first.delivery)),
  }));
}

/**
 * Whether deliveries of one kind arrive in varying order. Arrival then does not show the order of
 * sending.
 */
export function isShuffled(typed: readonly TypedDelivery[]): boolean {
  return ofEachKind(usualRules(typed)).some(
    ({ kept, broken }) => Math.min(broken.length, kept.length) * 10 > broken.length + kept.length,
  );
}

/** The minimum number of pairs that show whether a target sends in order. */
const MIN_PAIRS = 5;

/** Whether deliveries of each kind arrive in one order, and are enough to tell. */
export function isOrdered(typed: readonly TypedDelivery[]): boolean {
  return usualRules(typed).length >= MIN_PAIRS && !isShuffled(typed);
}

/** Pairs with no required order. A target that sends in order sends each pair in the same order. */
function usualRules(typed: readonly TypedDelivery[]): OrderRule[] {
  const transactions = new Map<string, TypedDelivery>();
  const named = new Map<string, TypedDelivery>();
  for (const one of typed) {
    if (isNamed(one, "transaction.created", "transaction.updated")) {
      if (one.body.network === OPEN_BANKING) continue;
      for (const id of messageIdsOf(one.body)) if (!transactions.has(id)) transactions.set(id, one);
    } else if (isNamed(one, "transaction.match.created")) {
      for (const { id } of one.body.matches) if (!named.has(id)) named.set(id, one);
    }
  }
  return typed.flatMap((one) => {
    const isMessage = isNamed(one, "transactionmessage.created");
    if (!isMessage && !isNamed(one, "banktransaction.created")) return [];
    const then = (isMessage ? transactions : named).get(one.body.id);
    return then ? [{ first: one, then, kind: one.name }] : [];
  });
}

/** A delivery of a resource with an id. */
type Identified = Extract<TypedDelivery, { readonly body: { readonly id: string } }>;

function rulesOf(typed: readonly TypedDelivery[], keepsOrder: boolean): OrderRule[] {
  const rules: OrderRule[] = [];
  const all = <Name extends TypedDelivery["name"]>(...names: Name[]) => allNamed(typed, ...names);
  const byId = <T extends Identified>(list: readonly T[]) =>
    Map.groupBy(list, ({ body }) => body.id);
  /** Orders the deliveries of each resource by time, its creation first. */
  const chain = <T extends Identified & { readonly body: { readonly updatedAt: string } }>(
    kind: string,
    list: readonly T[],
    progressOf: Progress<T>,
  ) => {
    // For equal timestamps, use the order of arrival if it is meaningful.
    const keyOf = (one: T) => [
      ...[Number(!one.name.endsWith(".created")), one.body.updatedAt],
      ...(keepsOrder ? [] : progressOf(one)),
    ];
    for (const ofOne of byId(list).values()) {
      const sorted = ofOne.toSorted((one, other) => byFirstDifference(keyOf(one), keyOf(other)));
      for (const [at, then] of sorted.slice(1).entries()) {
        const first = sorted[at] as T;
        rules.push({ first, then, kind: `${kind}: ${first.name}, ${then.name}`, isOfOne: true });
      }
    }
  };
  const add = (
    kind: string,
    firsts: readonly TypedDelivery[] = [],
    thens: readonly TypedDelivery[] = [],
  ) => {
    for (const first of firsts) for (const then of thens) rules.push({ first, then, kind });
  };

  // WHK-05, TXN-18
  chain("transaction", all("transaction.created", "transaction.updated"), ofTransaction);
  // SUB-09
  chain(
    "subscription",
    all("cardsubscription.created", "cardsubscription.updated"),
    ofSubscription,
  );
  chain("feed", all("networkbulkfeed.statechanged"), ofFeed);
  // TXN-15: a bank-only movement's message comes first.
  const messages = byId(all("transactionmessage.created"));
  for (const then of all("transaction.created")) {
    if (then.body.network !== OPEN_BANKING) continue;
    for (const id of messageIdsOf(then.body)) add("bank-only", messages.get(id), [then]);
  }
  // TXN-14: a purchase created after a bank-only transaction was matched to it later.
  const created = byId(all("transaction.created"));
  const bankOnly = bankOnlyTransactionsOf(typed);
  for (const then of all("transaction.match.created")) {
    const [purchase] = created.get(then.body.cardTransaction.id) ?? [];
    for (const first of then.body.matches.flatMap(({ id }) => bankOnly.get(id) ?? [])) {
      const isLate = purchase && first.body.createdAt < purchase.body.createdAt;
      if (isLate) add("late match", [first], [then]);
    }
  }
  // BTX-04
  const postings = byId(all("banktransaction.created"));
  const removals = byId(all("banktransaction.deleted"));
  for (const [id, thens] of removals) add("removal", postings.get(id), thens);
  const matches = Map.groupBy(all("transaction.match.created"), ({ body }) => body.matchId);
  for (const one of all("transaction.match.deleted")) {
    // A match precedes its retraction.
    add("retraction", matches.get(one.body.matchId), [one]);
    // BTX-05: a retraction caused by a removal follows it. Any other retraction precedes it.
    const ofPosting = removals.get(one.body.bankTransactionId);
    if (one.body.reason === "bank_transaction_retired") add("retirement", ofPosting, [one]);
    else add("re-match", [one], ofPosting);
  }
  for (const match of all("transaction.match.created")) {
    for (const { id } of match.body.matches) add("match", [match], removals.get(id));
  }
  return rules;
}

/** The bank-only transactions, by the id of their bank transaction. */
function bankOnlyTransactionsOf(
  typed: readonly TypedDelivery[],
): Map<string, TypedDelivery<"transaction.created">> {
  const messages = allNamed(typed, "transactionmessage.created");
  const postings = new Map(messages.map((one) => [one.body.id, postingIdsOf(one)]));
  const bankOnly = allNamed(typed, "transaction.created").filter(
    ({ body }) => body.network === OPEN_BANKING,
  );
  const named = bankOnly.flatMap((one) => {
    const announced = messageIdsOf(one.body).flatMap((id) => postings.get(id) ?? []);
    return [...postingIdsOf(one), ...announced].map((id) => [id, one] as const);
  });
  return new Map(named);
}

/** How far a resource is in its life cycle. The first number that differs is higher later. */
type Progress<T> = (delivery: T) => readonly number[];

/** Snapshots with more messages are later. */
const ofTransaction: Progress<TypedDelivery<"transaction.created" | "transaction.updated">> = ({
  body: { _links, supersededMessageIds, status },
}) => [_links.messages.length, supersededMessageIds.length, Number(status === "SETTLED")];

const STATES = ["reqSCA", "active", "deactivated"];

const ofSubscription: Progress<
  TypedDelivery<"cardsubscription.created" | "cardsubscription.updated">
> = ({ body: { enrollmentType, state, bankAccountId } }) => [
  Number(enrollmentType !== "bank-feed"),
  STATES.indexOf(state),
  Number(bankAccountId !== undefined),
];

/** A feed leaves `submitted` first. */
const ofFeed: Progress<TypedDelivery<"networkbulkfeed.statechanged">> = ({ body }) => [
  Number(body.oldState !== "submitted"),
];

/** Compares two lists by their first difference. */
function byFirstDifference(
  one: readonly (number | string)[],
  other: readonly (number | string)[],
): number {
  const at = one.findIndex((value, i) => value !== other[i]);
  return at < 0 ? 0 : (one[at] ?? "") < (other[at] ?? "") ? -1 : 1;
}

type StateChange = TypedDelivery<"bankaccount.state_changed">;

/**
 * BAC-03: whether the state changes of each account form a chain. They have no timestamp and no id,
 * so two with the same content are either duplicates or the same change made again.
 *
 * @param arrival How far arrival shows the order of sending. Unless it is `nothing`, the changes
 * are checked in that order. They are always checked for being possible in some order.
 */
export function checkStateChanges(turns: readonly StateChange[], arrival: ArrivalOrder): Breach[] {
  const ofAccount = Map.groupBy(turns, ({ body }) => body.bankAccountId);
  return [...ofAccount.values()].flatMap((all) => {
    const later = arrival === "nothing" ? [] : outOfStep(all, arrival);
    if (later.length > 0) return later;
    if (hasPath(all)) return [];
    const last = all.at(-1) as StateChange;
    return [
      breachOf(last, all.at(-2) as StateChange, "the state after another event of the account"),
    ];
  });
}

function contentOf({ body }: StateChange): string {
  const { previousState, state, reason, expiresAt } = body;
  return JSON.stringify([previousState, state, reason, expiresAt]);
}

/** The changes whose previous state differs from the state before. */
function outOfStep(turns: readonly StateChange[], arrival: ArrivalOrder): Breach[] {
  const pairs = turns.slice(1).map((turn, at) => [turns[at] as StateChange, turn] as const);
  // Ignore duplicates.
  const fresh = pairs.filter(([before, turn]) => contentOf(before) !== contentOf(turn));
  const ordered = fresh.filter(([before, turn]) => isBefore(before.delivery, turn.delivery));
  const broken = ordered.filter(([before, turn]) => before.body.state !== turn.body.previousState);
  if (arrival === "most" && broken.length * 2 <= ordered.length) return [];
  return broken.map(([before, turn]) => breachOf(turn, before, before.body.state));
}

function breachOf(turn: StateChange, before: StateChange, expected: string): Breach {
  return {
    path: "/previousState",
    expected,
    actual: turn.body.previousState,
    evidence: [turn.delivery, before.delivery],
  };
}

/** Maximum extra repeats tried per transition; more cannot help. */
const MAX_REPEATS = 4;

/**
 * Whether a path through the states takes each distinct change at least once, and no more often
 * than it was delivered.
 */
function hasPath(turns: readonly StateChange[]): boolean {
  const moves = Map.groupBy(turns, ({ body }) => `${body.previousState} ${body.state}`);
  const transitions = [...moves.values()].map((same): Transition => {
    const { previousState: from, state: to } = (same[0] as StateChange).body;
    return { from, to, least: new Set(same.map(contentOf)).size, most: same.length };
  });
  return canBalance(transitions, new Map());
}

interface Transition {
  readonly from: string;
  readonly to: string;
  readonly least: number;
  readonly most: number;
}

/** Searches for transition counts with which every state is left as often as it is entered. */
function canBalance(
  [move, ...others]: readonly Transition[],
  balance: Map<string, number>,
): boolean {
  if (!move) {
    // The first and the last state are exempt. With three states, such transitions are connected.
    return [...balance.values()].reduce((sum, one) => sum + Math.abs(one), 0) <= 2;
  }
  const { from, to, least, most } = move;
  for (let times = least; times <= Math.min(most, least + MAX_REPEATS); times += 1) {
    const next = new Map(balance);
    next.set(from, (next.get(from) ?? 0) - times);
    next.set(to, (next.get(to) ?? 0) + times);
    if (canBalance(others, next)) return true;
  }
  return false;
}
