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
  const before = new Map<TypedDelivery, TypedDelivery[]>();
  for (const { first, then, kind } of rules) {
    if (broken.has(kind) && isBefore(then.delivery, first.delivery)) continue;
    const others = before.get(then);
    if (others) others.push(first);
    else before.set(then, [first]);
  }
  const ordered: TypedDelivery[] = [];
  const seen = new Set<TypedDelivery>();
  const put = (one: TypedDelivery) => {
    // In a cycle of contradicting rules, deliveries keep their order of arrival.
    if (seen.has(one)) return;
    seen.add(one);
    for (const other of before.get(one) ?? []) put(other);
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
  const kinds = [...Map.groupBy(rules, ({ kind }) => kind)].filter(([, ofKind]) => {
    const broken = ofKind.filter(isBroken);
    const isSure = arrival === "all" && broken.some(({ isOfOne }) => isOfOne);
    return isSure || broken.length * 2 > ofKind.length;
  });
  return new Set(kinds.map(([kind]) => kind));
}

function isBroken({ first, then }: OrderRule): boolean {
  return isBefore(then.delivery, first.delivery);
}

/**
 * Whether deliveries of one kind arrive in varying order. Arrival then does not show the order of
 * sending.
 */
export function isShuffled(typed: readonly TypedDelivery[]): boolean {
  return [...Map.groupBy(usualRules(typed), ({ kind }) => kind).values()].some((ofKind) => {
    const against = ofKind.filter(isBroken).length;
    const along = ofKind.filter((rule) => isBefore(rule.first.delivery, rule.then.delivery)).length;
    return Math.min(against, along) * 10 > against + along;
  });
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

function rulesOf(typed: readonly TypedDelivery[], keepsOrder: boolean): OrderRule[] {
  const rules: OrderRule[] = [];
  const chain = <T extends TypedDelivery>(
    kind: string,
    list: readonly T[],
    { byTime, byLifecycle }: Orders<T>,
  ) => {
    // For equal timestamps, use the order of arrival if it is meaningful.
    const compare = (one: T, other: T) =>
      byTime(one, other) || (keepsOrder ? 0 : byLifecycle(one, other));
    const sorted = list.toSorted(compare);
    sorted.forEach((then, at) => {
      const first = sorted[at - 1];
      const of = `${kind}: ${first?.name}, ${then.name}`;
      if (first) rules.push({ first, then, kind: of, isOfOne: true });
    });
  };
  const add = (
    kind: string,
    firsts: readonly TypedDelivery[] = [],
    thens: readonly TypedDelivery[] = [],
  ) => {
    for (const first of firsts) for (const then of thens) rules.push({ first, then, kind });
  };
  const by = <T extends TypedDelivery>(list: readonly T[], idOf: (one: T) => string) =>
    Map.groupBy(list, idOf);
  const all = <Name extends TypedDelivery["name"]>(...names: Name[]) => allNamed(typed, ...names);

  // WHK-05, TXN-18
  for (const [, ofOne] of by(all("transaction.created", "transaction.updated"), idOf)) {
    chain("transaction", ofOne, SNAPSHOTS);
  }
  // SUB-09
  for (const [, ofOne] of by(all("cardsubscription.created", "cardsubscription.updated"), idOf)) {
    chain("subscription", ofOne, SUBSCRIPTIONS);
  }
  for (const [, ofOne] of by(all("networkbulkfeed.statechanged"), idOf)) {
    chain("feed", ofOne, FEED_STATES);
  }
  // TXN-15: a bank-only movement's message comes first.
  const messages = by(all("transactionmessage.created"), idOf);
  for (const then of all("transaction.created")) {
    if (then.body.network !== OPEN_BANKING) continue;
    for (const id of messageIdsOf(then.body)) add("bank-only", messages.get(id), [then]);
  }
  // TXN-14: a purchase created after a bank-only transaction was matched to it later.
  const bankOnly = bankOnlyTransactionsOf(typed);
  const created = by(all("transaction.created"), idOf);
  for (const then of all("transaction.match.created")) {
    const [purchase] = created.get(then.body.cardTransaction.id) ?? [];
    const firsts = then.body.matches.flatMap(({ id }) => bankOnly.get(id) ?? []);
    const isLater = ({ body }: TypedDelivery<"transaction.created">) =>
      purchase !== undefined && body.createdAt < purchase.body.createdAt;
    add("late match", firsts.filter(isLater), [then]);
  }
  // BTX-04
  const postings = by(all("banktransaction.created"), idOf);
  const removals = by(all("banktransaction.deleted"), idOf);
  for (const [id, thens] of removals) add("removal", postings.get(id), thens);
  // A match precedes its retraction.
  const matches = by(all("transaction.match.created"), ({ body }) => body.matchId);
  const retractions = all("transaction.match.deleted");
  for (const then of retractions) add("retraction", matches.get(then.body.matchId), [then]);
  // BTX-05: a retraction caused by a removal follows it. Any other retraction precedes it.
  for (const one of retractions) {
    const { reason, bankTransactionId } = one.body;
    const ofPosting = removals.get(bankTransactionId);
    if (reason === "bank_transaction_retired") add("retirement", ofPosting, [one]);
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

function idOf({ body }: { readonly body: { readonly id: string } }): string {
  return body.id;
}

type Compare<T> = (one: T, other: T) => number;

/** Compares by timestamps. For equal timestamps, compares by progress in the life cycle. */
interface Orders<T> {
  readonly byTime: Compare<T>;
  readonly byLifecycle: Compare<T>;
}

/** Snapshots with more messages are later. */
const SNAPSHOTS: Orders<TypedDelivery<"transaction.created" | "transaction.updated">> = {
  byTime: (one, other) =>
    trueFirst(one.name === "transaction.created", other.name === "transaction.created") ||
    order(one.body.updatedAt, other.body.updatedAt),
  byLifecycle: ({ body: one }, { body: other }) =>
    one._links.messages.length - other._links.messages.length ||
    one.supersededMessageIds.length - other.supersededMessageIds.length ||
    trueFirst(one.status !== "SETTLED", other.status !== "SETTLED"),
};

const STATES = ["reqSCA", "active", "deactivated"];

const SUBSCRIPTIONS: Orders<
  TypedDelivery<"cardsubscription.created" | "cardsubscription.updated">
> = {
  byTime: (one, other) =>
    trueFirst(one.name === "cardsubscription.created", other.name === "cardsubscription.created") ||
    order(one.body.updatedAt, other.body.updatedAt),
  byLifecycle: ({ body: one }, { body: other }) =>
    trueFirst(one.enrollmentType === "bank-feed", other.enrollmentType === "bank-feed") ||
    STATES.indexOf(one.state) - STATES.indexOf(other.state) ||
    trueFirst(one.bankAccountId === undefined, other.bankAccountId === undefined),
};

/** A feed leaves `submitted` first. */
const FEED_STATES: Orders<TypedDelivery<"networkbulkfeed.statechanged">> = {
  byTime: (one, other) => order(one.body.updatedAt, other.body.updatedAt),
  byLifecycle: ({ body: one }, { body: other }) =>
    trueFirst(one.oldState === "submitted", other.oldState === "submitted"),
};

function trueFirst(one: boolean, other: boolean): number {
  return Number(other) - Number(one);
}

function order(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
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
    const ofContent = Map.groupBy(all, contentOf);
    const later = arrival === "nothing" ? [] : outOfStep(all, arrival);
    if (later.length > 0) return later;
    if (hasPath([...ofContent.values()])) return [];
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
function hasPath(kinds: readonly (readonly StateChange[])[]): boolean {
  const moves = new Map<string, Transition>();
  for (const kind of kinds) {
    const { previousState: from, state: to } = (kind[0] as StateChange).body;
    const key = `${from} ${to}`;
    const move = moves.get(key) ?? { from, to, least: 0, most: 0 };
    const { least, most } = move;
    moves.set(key, { from, to, least: least + 1, most: most + kind.length });
  }
  return canBalance([...moves.values()], new Map());
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
