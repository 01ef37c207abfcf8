import { OPEN_BANKING } from "../../src/contract/rules/vocabulary.ts";
import type { Delivery } from "./delivery.ts";
import { allOf, isOf, messageIdsOf, type Told } from "./told.ts";

/** Something that comes before something else where nothing goes wrong. */
interface Rule {
  readonly first: Told;
  readonly then: Told;
  /** What kind of order it is. */
  readonly kind: string;
}

/**
 * Puts deliveries in the order in which they were sent, as far as there is any telling. The
 * interface leaves open in which order deliveries arrive: so each comes as it came, but after what
 * has to come before it.
 *
 * @param keepsOrder Whether the order of arrival tells something. Then one that most deliveries of a
 * kind are in is how the target sends them; a single one was overtaken.
 */
export function inBestOrder(told: readonly Told[], keepsOrder: boolean): Told[] {
  const rules = rulesOf(told);
  const broken = keepsOrder ? brokenKinds(rules) : new Set<string>();
  const before = new Map<Told, Told[]>();
  for (const { first, then, kind } of rules) {
    if (broken.has(kind) && isBefore(then.delivery, first.delivery)) continue;
    const others = before.get(then);
    if (others) others.push(first);
    else before.set(then, [first]);
  }
  const ordered: Told[] = [];
  const been = new Set<Told>();
  const put = (one: Told) => {
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

/** The kinds of order that most deliveries are in against. */
function brokenKinds(rules: readonly Rule[]): Set<string> {
  const kinds = [...Map.groupBy(rules, ({ kind }) => kind)];
  return new Set(
    kinds
      .filter(([, ofKind]) => ofKind.filter(isBroken).length * 2 > ofKind.length)
      .map(([kind]) => kind),
  );
}

function isBroken({ first, then }: Rule): boolean {
  return isBefore(then.delivery, first.delivery);
}

/**
 * Whether deliveries of one kind arrive now in one order and now in the other: then arrival tells
 * nothing of sending.
 */
export function isShuffled(told: readonly Told[]): boolean {
  return [...Map.groupBy(usualRules(told), ({ kind }) => kind).values()].some((ofKind) => {
    const against = ofKind.filter(isBroken).length;
    const along = ofKind.filter((rule) => isBefore(rule.first.delivery, rule.then.delivery)).length;
    return Math.min(against, along) * 10 > against + along;
  });
}

/** What nothing is held to, and a target that has an order does in the same one each time. */
function usualRules(told: readonly Told[]): Rule[] {
  const transactions = new Map<string, Told>();
  const named = new Map<string, Told>();
  for (const one of told) {
    if (isOf(one, "transaction.created", "transaction.updated")) {
      if (one.body.network === OPEN_BANKING) continue;
      for (const id of messageIdsOf(one.body)) if (!transactions.has(id)) transactions.set(id, one);
    } else if (isOf(one, "transaction.match.created")) {
      for (const { id } of one.body.matches) if (!named.has(id)) named.set(id, one);
    }
  }
  return told.flatMap((one) => {
    const isMessage = isOf(one, "transactionmessage.created");
    if (!isMessage && !isOf(one, "banktransaction.created")) return [];
    const then = (isMessage ? transactions : named).get(one.body.id);
    return then ? [{ first: one, then, kind: one.name }] : [];
  });
}

function rulesOf(told: readonly Told[]): Rule[] {
  const rules: Rule[] = [];
  const chain = (kind: string, sorted: readonly Told[]) => {
    sorted.forEach((then, at) => {
      const first = sorted[at - 1];
      if (first) rules.push({ first, then, kind: `${kind}: ${first.name}, ${then.name}` });
    });
  };
  const add = (kind: string, firsts: readonly Told[] = [], thens: readonly Told[] = []) => {
    for (const first of firsts) for (const then of thens) rules.push({ first, then, kind });
  };
  const by = <T extends Told>(list: readonly T[], idOf: (one: T) => string) =>
    Map.groupBy(list, idOf);
  const all = <Name extends Told["name"]>(...names: Name[]) => allOf(told, ...names);

  // WHK-05, TXN-18
  for (const [, ofOne] of by(all("transaction.created", "transaction.updated"), idOf)) {
    chain("transaction", ofOne.toSorted(bySnapshot));
  }
  // SUB-09
  for (const [, ofOne] of by(all("cardsubscription.created", "cardsubscription.updated"), idOf)) {
    chain("subscription", ofOne.toSorted(bySubscription));
  }
  for (const [, ofOne] of by(all("networkbulkfeed.statechanged"), idOf)) {
    chain("feed", ofOne.toSorted(byMove));
  }
  // TXN-15: a bank-only movement's message comes first.
  const messages = by(all("transactionmessage.created"), idOf);
  for (const then of all("transaction.created")) {
    if (then.body.network !== OPEN_BANKING) continue;
    for (const id of messageIdsOf(then.body)) add("bank-only", messages.get(id), [then]);
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

function idOf({ body }: { readonly body: { readonly id: string } }): string {
  return body.id;
}

type Snapshot = Told<"transaction.created" | "transaction.updated">;

/** Of one moment, what has more messages is the later one. */
function bySnapshot(one: Snapshot, other: Snapshot): number {
  return first(
    rank(other.name === "transaction.created") - rank(one.name === "transaction.created"),
    order(one.body.updatedAt, other.body.updatedAt),
    one.body._links.messages.length - other.body._links.messages.length,
    one.body.supersededMessageIds.length - other.body.supersededMessageIds.length,
    rank(one.body.status === "SETTLED") - rank(other.body.status === "SETTLED"),
  );
}

type Subscription = Told<"cardsubscription.created" | "cardsubscription.updated">;

const STATES = ["reqSCA", "active", "deactivated"];

/** Of one moment, what is further on in its life is the later one. */
function bySubscription(one: Subscription, other: Subscription): number {
  return first(
    rank(other.name === "cardsubscription.created") - rank(one.name === "cardsubscription.created"),
    order(one.body.updatedAt, other.body.updatedAt),
    rank(other.body.enrollmentType === "bank-feed") - rank(one.body.enrollmentType === "bank-feed"),
    STATES.indexOf(one.body.state) - STATES.indexOf(other.body.state),
    rank(one.body.bankAccountId !== undefined) - rank(other.body.bankAccountId !== undefined),
  );
}

type Move = Told<"networkbulkfeed.statechanged">;

/** A feed leaves submitted first. */
function byMove(one: Move, other: Move): number {
  return first(
    rank(other.body.oldState === "submitted") - rank(one.body.oldState === "submitted"),
    order(one.body.updatedAt, other.body.updatedAt),
  );
}

function rank(isSo: boolean): number {
  return isSo ? 1 : 0;
}

function order(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

/** The first difference that is one. */
function first(...differences: readonly number[]): number {
  return differences.find((difference) => difference !== 0) ?? 0;
}
