import type { Situation } from "../../../generated/requirements.ts";
import { resourceFields } from "../../../generated/resources.ts";
import { memberOf } from "../../../src/contract/pointer.ts";
import { amountsDiffer, differsByRounding } from "../../../src/contract/rules/sum.ts";
import { AUTHORIZATION, SETTLEMENT } from "../../../src/contract/rules/vocabulary.ts";
import { type Assertions, bodyOf, breachAt, ClaimAssertions, type Message } from "../../assert.ts";
import type { Breach, Check, Session, SeveralClaims } from "../../check.ts";
import { isBefore } from "../../observe/deliveries/order.ts";
import {
  type Fields,
  fieldDifferences,
  fieldsOf,
  linkedMessages,
} from "../../observe/differences.ts";
import { projectedMessages } from "../../observe/feed.ts";
import { situationsOf } from "../../observe/situations.ts";
import { hasVerbs, POSTED } from "../../scenarios/act.ts";
import { changes, type TransactionChange } from "../../scenarios/changes.ts";
import { findEvents, listAt, messageIdsOf } from "../../scenarios/find-deliveries.ts";
import type { Delivery } from "../../wire/exchange.ts";

const NOTHING = "the API shows no driven transaction";
const ORDER = ["first", "second", "third"] as const;

/** Checks each driven transaction after each of its steps. */
export const snapshotChecks: readonly Check[] = [
  // TXN-07: _links.messages has one link per correlated message, superseded ones included; if
  // _embedded.messages is present, it has exactly those.
  ofEachChange(
    ["TXN-07.links-all"],
    "a driven transaction links once to each of its messages",
    (change, assertions) => {
      const { before, step, added, kinds } = change;
      const { resource } = step;
      if (bodyOf(resource) === undefined || added.length === 0) return;
      const owed = [...messageIdsOf(before && bodyOf(before)), ...added];
      const claim = assertions.of("TXN-07.links-all", ...kinds);
      const linked = messageIdsOf(bodyOf(resource));
      for (const id of owed) {
        const isOnce = linked.filter((one) => one === id).length === 1;
        claim.check(isOnce, breachAt(resource, "/_links/messages", `one link to ${id}`));
      }
    },
  ),
  // TXN-09: The settled amounts exclude superseded messages.
  ofEachChange(
    ["TXN-09.sums", "TXN-09.excludes-superseded", "TXN-09.billing"],
    "a driven purchase's settled amounts are the sum of its messages",
    checkSums,
  ),
  // TXN-10: _embedded.messages is included by default and may be switched off for an account. It
  // may be switched during a run, so an event is compared with the response after its step.
  ofEachChange(
    ["TXN-10.consistent"],
    "events of a driven transaction have the projection if the API does",
    ({ transactionId, step }, assertions) => {
      const { deliveries, resource } = step;
      if (projectedMessages(bodyOf(resource)) === undefined) return;
      const claim = assertions.of("TXN-10.consistent", "delivered");
      for (const name of ["transaction.created", "transaction.updated"] as const) {
        for (const event of findEvents(deliveries, name, { "/id": transactionId })) {
          const expected = "messages, as in the API's response";
          const isThere = projectedMessages(event.json) !== undefined;
          claim.check(isThere, breachAt(event, "/_embedded/messages", expected, resource));
        }
      }
    },
  ),
  // TXN-11: supersededMessageIds is a full snapshot: mirroring it is an idempotent replace; it is
  // empty for transactions last updated before the field existed.
  ofEachChange(
    ["TXN-11.full-set", "TXN-11.same-as-get"],
    "an update has the complete supersededMessageIds",
    (change, assertions, { capabilities }) => {
      const { resource } = change.step;
      const [update] = updatesOf(change).toReversed();
      if (bodyOf(resource) === undefined || !update) return;
      const all = setOf(bodyOf(resource));
      const isWhole = updatesOf(change).some(({ json }) => setOf(json) === all);
      const expected = `the set that the API has: ${all || "none"}`;
      const breach = breachAt(update, "/supersededMessageIds", expected, resource);
      const where = situationsOf(bodyOf(resource), capabilities.networks);
      assertions.of("TXN-11.full-set", ...where).check(isWhole, breach);
      assertions.of("TXN-11.same-as-get").check(isWhole, breach);
    },
  ),
  // TXN-18: createdAt never changes and updatedAt never goes back from one snapshot of a
  // transaction to the next.
  ofEachChange(
    ["TXN-18.created-at", "TXN-18.updated-at"],
    "createdAt of a driven transaction stays, updatedAt never goes back",
    ({ before, step, at }, assertions) => {
      const [was, is] = [before && bodyOf(before), bodyOf(step.resource)];
      if (!before || was === undefined || is === undefined) return;
      const where = ORDER.slice(at - 1, at);
      const createdAt = memberOf(was, "createdAt");
      const stays = assertions.of("TXN-18.created-at", ...where);
      stays.hasValues(step.resource, { "/createdAt": createdAt }, before);
      const updatedAt = String(memberOf(was, "updatedAt"));
      const isForward = String(memberOf(is, "updatedAt")) >= updatedAt;
      const breach = breachAt(step.resource, "/updatedAt", `${updatedAt} or later`, before);
      assertions.of("TXN-18.updated-at", ...where).check(isForward, breach);
    },
  ),
  // TXN-20: A SETTLED transaction does not become PENDING again.
  ofEachChange(
    ["TXN-20.no-return"],
    "a SETTLED driven transaction does not become PENDING again",
    (change, assertions) => {
      const { before, step, kinds } = change;
      const claim = assertions.of("TXN-20.no-return", ...kinds);
      const stays = (view: Message, earlier: Message) => {
        if (bodyOf(view) === undefined || !isSettled(earlier)) return;
        const isPending = memberOf(bodyOf(view), "status") === "PENDING";
        claim.check(!isPending, breachAt(view, "/status", "SETTLED, as before", earlier));
      };
      const updates = updatesOf(change);
      for (const update of updates) {
        if (before && timeOf(update) > timeOf(before)) stays(update, before);
        const earlier = updates.find((one) => isSettled(one) && isLater(update, one));
        if (earlier) stays(update, earlier);
      }
      if (before) stays(step.resource, before);
    },
  ),
  // WHK-05: transaction.created comes once per transaction and before its first transaction.updated
  // as the state describes it; both carry the same shape.
  ofEachChange(
    ["WHK-05.owed", "WHK-05.message-owed"],
    "a driven transaction and its messages are announced",
    ({ transactionId, before, step, kinds, added }, assertions, { capabilities }) => {
      const { resource, messages, deliveries } = step;
      if (!before) {
        const where = situationsOf(bodyOf(resource), capabilities.networks);
        const created = findEvents(deliveries, "transaction.created", { "/id": transactionId });
        const owed = assertions.of("WHK-05.owed", ...where, ...kinds);
        owed.wasDelivered(created, `transaction.created of ${transactionId}`, resource);
      }
      for (const message of messages) {
        const id = `${memberOf(bodyOf(message), "id")}`;
        if (!added.includes(id)) continue;
        const sent = findEvents(deliveries, "transactionmessage.created", { "/id": id });
        const owed = assertions.of("WHK-05.message-owed", ...kinds);
        owed.wasDelivered(sent, `transactionmessage.created of ${id}`, message, () => []);
      }
    },
  ),
  ofEachChange(
    ["WHK-05.every-change"],
    "each change of a driven transaction is announced as it is",
    (change, assertions, session) => {
      const { transactionId, before, step, at, kinds } = change;
      const [was, is] = [before && bodyOf(before), bodyOf(step.resource)];
      if (was === undefined || is === undefined) return;
      const changed = fieldDifferences(stateOf(was), stateOf(is));
      if (changed.length === 0) return;
      const names = changed.map(({ path }) => path.slice(1)).join(", ");
      const what = `transaction.updated of ${transactionId} with its new ${names}`;
      const claim = assertions.of("WHK-05.every-change", ...ORDER.slice(at - 1, at), ...kinds);
      claim.wasDelivered(updatesOf(change), what, step.resource, (update) =>
        // Without "verb:settle", another update may still follow.
        hasVerbs(session, "settle") ? unlike(update, change) : [],
      );
    },
  ),
];

function ofEachChange(
  claims: Check["claims"],
  title: string,
  find: (change: TransactionChange, assertions: Pick<Assertions, "of">, session: Session) => void,
): Check {
  return {
    claims: claims as SeveralClaims,
    title,
    requires: POSTED,
    run: async (session) => {
      const assertions = new ClaimAssertions();
      for (const change of await changes(session)) find(change, assertions, session);
      return assertions.result(NOTHING);
    },
  };
}

const AMOUNTS = [
  ["transactionSettledAmount", "transactionAmount", "transactionCurrency"],
  ["cardholderBillingSettledAmount", "cardholderBillingAmount", "cardholderBillingCurrency"],
] as const;

/** Checks the sums by the single messages, so it does not need the projection. */
function checkSums({ step, kinds }: TransactionChange, assertions: Pick<Assertions, "of">): void {
  const { resource, messages } = step;
  const transaction = bodyOf(resource);
  const superseded = listAt(transaction, "supersededMessageIds");
  const bodies = messages.map(bodyOf);
  const types = bodies.map((body) => memberOf(body, "messageType"));
  // With other results or types, or a missing response, the sum is undefined. A standalone
  // transaction that is netted may keep its message in force.
  const isPlain =
    messageIdsOf(transaction).length === bodies.length &&
    bodies.every((body) => memberOf(body, "result") === "APPROVED") &&
    types.every((type) => type === AUTHORIZATION || type === SETTLEMENT) &&
    types.includes(SETTLEMENT) &&
    !(step.verb === "tellLate" && kinds.includes("bank-only"));
  if (!isPlain) return;
  const where: Situation[] = [
    ...(superseded.length > 0 ? ["superseded-one" as const] : []),
    ...(superseded.length > 1 ? ["superseded-two" as const] : []),
  ];
  const inForce = bodies.filter(
    (body) =>
      memberOf(body, "messageType") === SETTLEMENT && !superseded.includes(memberOf(body, "id")),
  );
  for (const [total, part, currency] of AMOUNTS) {
    const settledAmount = memberOf(transaction, total);
    const parts = inForce.map((body) => memberOf(body, part));
    const isInOne = inForce.every(
      (body) => memberOf(body, currency) === memberOf(transaction, currency),
    );
    const isComparable = [settledAmount, ...parts].every((amount) => typeof amount === "number");
    if (!isInOne || !isComparable) continue;
    const expected = (parts as number[]).reduce((all, amount) => all + amount, 0);
    const isConverted =
      memberOf(transaction, currency) !== memberOf(transaction, "transactionCurrency");
    const isRight =
      !amountsDiffer(settledAmount as number, expected) ||
      (isConverted && differsByRounding(settledAmount as number, expected, parts as number[]));
    const words = `${Number(expected.toFixed(4))}, the sum of the messages in force`;
    const breach = breachAt(resource, `/${total}`, words, ...messages);
    const isBilling = part === "cardholderBillingAmount";
    const claim = isBilling ? "TXN-09.billing" : "TXN-09.sums";
    assertions.of(claim, ...kinds).check(isRight, breach);
    if (superseded.length === 0) continue;
    assertions.of("TXN-09.excludes-superseded", ...where).check(isRight, breach);
  }
}

const isSettled = (view: Message) => memberOf(bodyOf(view), "status") === "SETTLED";

const timeOf = (view: Message) => String(memberOf(bodyOf(view), "updatedAt"));

/** Whether an update was sent after another one and does not show an older state. */
function isLater(after: Delivery, before: Delivery): boolean {
  const ids = messageIdsOf(after.json);
  return (
    isBefore(before, after) &&
    timeOf(after) >= timeOf(before) &&
    messageIdsOf(before.json).every((id) => ids.includes(id))
  );
}

function updatesOf({ transactionId, step }: TransactionChange): Delivery[] {
  return findEvents(step.deliveries, "transaction.updated", { "/id": transactionId });
}

/** The fields of a transaction that its steps change. */
function stateOf(transaction: unknown): Fields {
  const fields = new Map(fieldsOf(transaction, resourceFields.transactions.all));
  for (const path of ["/createdAt", "/updatedAt"]) fields.delete(path);
  return fields.set("/_links/messages", linkedMessages(transaction));
}

/** Compares an update with the API's response after its step. */
function unlike(update: Delivery, { step }: TransactionChange): Breach[] {
  const { resource } = step;
  const all = fieldDifferences(stateOf(update.json), stateOf(bodyOf(resource)));
  // TXN-11 compares the sets.
  const others = all.filter(({ path }) => path !== "/supersededMessageIds");
  return others.map((one) => {
    const evidence = [update, resource] as const;
    return {
      path: one.path,
      expected: `${one.other}, as the API has it`,
      actual: one.one,
      evidence,
    };
  });
}

function setOf(transaction: unknown): string {
  return listAt(transaction, "supersededMessageIds").map(String).sort().join(", ");
}
