import { OPEN_BANKING } from "../../src/contract/rules/vocabulary.ts";
import type { Delivery } from "./delivery.ts";
import {
  allNamed,
  isNamed,
  messageIdsOf,
  postingIdsOf,
  type TypedDelivery,
} from "./typed-delivery.ts";

/** Something that comes before something else where nothing goes wrong. */
interface OrderRule {
  readonly first: TypedDelivery;
  readonly then: TypedDelivery;
  /** What kind of order it is. */
  readonly kind: string;
  /** Whether both are of one resource. */
  readonly isOfOne?: boolean;
}

/**
 * What the order of arrival tells.
 *
 * - `nothing`: what happens may happen, and be sent, at once.
 * - `most`: an order that most deliveries of a kind are in is how the target sends them; a single
 *   one was overtaken.
 * - `all`: the same, and deliveries of one resource do not overtake each other, as each thing was
 *   made to happen when what had been sent before had come.
 */
export type ArrivalOrder = "nothing" | "most" | "all";

/**
 * Puts deliveries in the order in which they were sent, as far as there is any telling. The
 * interface leaves open in which order deliveries arrive: so each comes as it came, but after what
 * has to come before it.
 */
export function inBestOrder(
  told: readonly TypedDelivery[],
  arrival: ArrivalOrder,
): TypedDelivery[] {
  const rules = rulesOf(told, arrival !== "nothing");
  const broken = brokenKinds(rules, arrival);
  const before = new Map<TypedDelivery, TypedDelivery[]>();
  for (const { first, then, kind } of rules) {
    if (broken.has(kind) && isBefore(then.delivery, first.delivery)) continue;
    const others = before.get(then);
    if (others) others.push(first);
    else before.set(then, [first]);
  }
  const ordered: TypedDelivery[] = [];
  const been = new Set<TypedDelivery>();
  const put = (one: TypedDelivery) => {
    // What comes after itself, by rules that contradict each other, comes as it came.
    if (been.has(one)) return;
    been.add(one);
    for (const other of before.get(one) ?? []) put(other);
    ordered.push(one);
  };
  for (const one of told) put(one);
  return ordered;
}

/** Whether a delivery was answered before another one came: otherwise they have no order. */
export function isBefore(one: Delivery, other: Delivery): boolean {
  return Date.parse(one.answeredAt) <= Date.parse(other.receivedAt) && one.nr < other.nr;
}

/** The kinds of order that the target does not send in. */
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
 * Whether deliveries of one kind arrive now in one order and now in the other: then arrival tells
 * nothing of sending.
 */
export function isShuffled(told: readonly TypedDelivery[]): boolean {
  return [...Map.groupBy(usualRules(told), ({ kind }) => kind).values()].some((ofKind) => {
    const against = ofKind.filter(isBroken).length;
    const along = ofKind.filter((rule) => isBefore(rule.first.delivery, rule.then.delivery)).length;
    return Math.min(against, along) * 10 > against + along;
  });
}

/** What nothing is held to, and a target that has an order does in the same one each time. */
function usualRules(told: readonly TypedDelivery[]): OrderRule[] {
  const transactions = new Map<string, TypedDelivery>();
  const named = new Map<string, TypedDelivery>();
  for (const one of told) {
    if (isNamed(one, "transaction.created", "transaction.updated")) {
      if (one.body.network === OPEN_BANKING) continue;
      for (const id of messageIdsOf(one.body)) if (!transactions.has(id)) transactions.set(id, one);
    } else if (isNamed(one, "transaction.match.created")) {
      for (const { id } of one.body.matches) if (!named.has(id)) named.set(id, one);
    }
  }
  return told.flatMap((one) => {
    const isMessage = isNamed(one, "transactionmessage.created");
    if (!isMessage && !isNamed(one, "banktransaction.created")) return [];
    const then = (isMessage ? transactions : named).get(one.body.id);
    return then ? [{ first: one, then, kind: one.name }] : [];
  });
}

function rulesOf(told: readonly TypedDelivery[], keepsOrder: boolean): OrderRule[] {
  const rules: OrderRule[] = [];
  const chain = <T extends TypedDelivery>(
    kind: string,
    list: readonly T[],
    { byTime, byLife }: Orders<T>,
  ) => {
    // Of one moment, arrival tells where it tells something.
    const compare = (one: T, other: T) =>
      byTime(one, other) || (keepsOrder ? 0 : byLife(one, other));
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
  const all = <Name extends TypedDelivery["name"]>(...names: Name[]) => allNamed(told, ...names);

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
  // TXN-14: a purchase that is younger than what stood alone was matched to it later.
  const alone = bankOnlyTransactionsOf(told);
  const created = by(all("transaction.created"), idOf);
  for (const then of all("transaction.match.created")) {
    const [purchase] = created.get(then.body.cardTransaction.id) ?? [];
    const firsts = then.body.matches.flatMap(({ id }) => alone.get(id) ?? []);
    const isLater = ({ body }: TypedDelivery<"transaction.created">) =>
      purchase !== undefined && body.createdAt < purchase.body.createdAt;
    add("late match", firsts.filter(isLater), [then]);
  }
  // BTX-04
  const postings = by(all("banktransaction.created"), idOf);
  const removals = by(all("banktransaction.deleted"), idOf);
  for (const [id, thens] of removals) add("removal", postings.get(id), thens);
  // MAT-05
  const matches = by(all("transaction.match.created"), ({ body }) => body.matchId);
  const retractions = all("transaction.match.deleted");
  for (const then of retractions) add("retraction", matches.get(then.body.matchId), [then]);
  // BTX-05: what is retracted because of a removal follows it; all else was before.
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

/** The bank-only transactions, by the bank transaction that each is made of. */
export function bankOnlyTransactionsOf(
  told: readonly TypedDelivery[],
): Map<string, TypedDelivery<"transaction.created">> {
  const messages = allNamed(told, "transactionmessage.created");
  const postings = new Map(messages.map((one) => [one.body.id, postingIdsOf(one)]));
  const alone = allNamed(told, "transaction.created").filter(
    ({ body }) => body.network === OPEN_BANKING,
  );
  const named = alone.flatMap((one) => {
    const announced = messageIdsOf(one.body).flatMap((id) => postings.get(id) ?? []);
    return [...postingIdsOf(one), ...announced].map((id) => [id, one] as const);
  });
  return new Map(named);
}

function idOf({ body }: { readonly body: { readonly id: string } }): string {
  return body.id;
}

type Compare<T> = (one: T, other: T) => number;

/** By the moments that deliveries tell, and, of one moment, by what is further on in its life. */
interface Orders<T> {
  readonly byTime: Compare<T>;
  readonly byLife: Compare<T>;
}

/** What has more messages is the later one. */
const SNAPSHOTS: Orders<TypedDelivery<"transaction.created" | "transaction.updated">> = {
  byTime: (one, other) =>
    trueFirst(one.name === "transaction.created", other.name === "transaction.created") ||
    order(one.body.updatedAt, other.body.updatedAt),
  byLife: ({ body: one }, { body: other }) =>
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
  byLife: ({ body: one }, { body: other }) =>
    trueFirst(one.enrollmentType === "bank-feed", other.enrollmentType === "bank-feed") ||
    STATES.indexOf(one.state) - STATES.indexOf(other.state) ||
    trueFirst(one.bankAccountId === undefined, other.bankAccountId === undefined),
};

/** A feed leaves submitted first. */
const FEED_STATES: Orders<TypedDelivery<"networkbulkfeed.statechanged">> = {
  byTime: (one, other) => order(one.body.updatedAt, other.body.updatedAt),
  byLife: ({ body: one }, { body: other }) =>
    trueFirst(one.oldState === "submitted", other.oldState === "submitted"),
};

function trueFirst(one: boolean, other: boolean): number {
  return Number(other) - Number(one);
}

function order(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
