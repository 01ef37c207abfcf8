import { memberOf } from "../../../src/contract/pointer.ts";
import { Assertions, bodyOf, breachAt } from "../../assert.ts";
import type { Check } from "../../check.ts";
import { isBefore } from "../../observe/deliveries/order.ts";
import type { Session } from "../../run/session.ts";
import { allDeliveries, hasVerb, runScenarios } from "../../scenarios/act.ts";
import { findEvents, listAt, messageIdsOf } from "../../scenarios/find-deliveries.ts";
import { purchaseInParts } from "../../scenarios/parts.ts";
import {
  authorized,
  clearedByNetwork,
  type PurchaseStep,
  settled,
} from "../../scenarios/purchases.ts";
import { lateMatch, standalone } from "../../scenarios/standalones.ts";
import type { Delivery, Exchange } from "../../wire/exchange.ts";
import { POSTED } from "../shared/scenario-capabilities.ts";

const NOTHING = "the API shows no driven transaction twice";

/** Compares successive responses for the same transaction. */
export const snapshotChecks: readonly Check[] = [
  // TXN-11: supersededMessageIds is a full snapshot: mirroring it is an idempotent replace; it is
  // empty for transactions last updated before the field existed.
  {
    claims: ["TXN-11.full-set"],
    title: "an update has the complete supersededMessageIds",
    requires: POSTED,
    run: async (session) => {
      const assertions = new Assertions();
      const cleared = [
        async () => [await clearedByNetwork(session)],
        async () => (await purchaseInParts(session)).postings,
      ];
      const { completed: steps } = await runScenarios<readonly PurchaseStep[]>(
        async () => [await settled(session)],
        ...(hasVerb(session, "clear") ? cleared : []),
      );
      for (const { resource, deliveries, transactionId } of steps.flat()) {
        if (bodyOf(resource) === undefined) continue;
        const all = setOf(bodyOf(resource));
        const updates = findEvents(deliveries, "transaction.updated", { "/id": transactionId });
        const [update] = updates.toReversed();
        if (!update) continue;
        const isWhole = updates.some(({ json }) => setOf(json) === all);
        const expected = `the set that the API has: ${all || "none"}`;
        assertions.check(isWhole, breachAt(update, "/supersededMessageIds", expected, resource));
      }
      return assertions.result("no update of a driven transaction was announced");
    },
  },
  // TXN-18: createdAt never changes and updatedAt never goes back from one snapshot of a
  // transaction to the next.
  {
    claims: ["TXN-18.created-at", "TXN-18.updated-at"],
    title: "createdAt of a driven transaction stays, updatedAt never goes back",
    requires: POSTED,
    run: async (session) => {
      const assertions = new Assertions();
      for (const [before, after] of await pairs(session)) {
        const [was, is] = [bodyOf(before), bodyOf(after)];
        const createdAt = memberOf(was, "createdAt");
        assertions.hasValues(after, { "/createdAt": createdAt }, before);
        const updatedAt = String(memberOf(was, "updatedAt"));
        const isForward = String(memberOf(is, "updatedAt")) >= updatedAt;
        assertions.check(isForward, breachAt(after, "/updatedAt", `${updatedAt} or later`, before));
      }
      return assertions.result(NOTHING);
    },
  },
  // TXN-20: A SETTLED transaction does not become PENDING again.
  {
    claims: ["TXN-20.no-return"],
    title: "a SETTLED driven transaction does not become PENDING again",
    requires: POSTED,
    run: async (session) => {
      const assertions = new Assertions();
      for (const [before, after] of await pairs(session)) {
        if (memberOf(bodyOf(before), "status") !== "SETTLED") continue;
        const isPending = memberOf(bodyOf(after), "status") === "PENDING";
        assertions.check(!isPending, breachAt(after, "/status", "SETTLED, as before", before));
      }
      const { transactionId } = await settled(session);
      const all = await allDeliveries(session);
      const updates = findEvents(all, "transaction.updated", { "/id": transactionId });
      for (const after of updates) {
        const settling = updates.find((before) => before !== after && isLater(after, before));
        if (!settling || memberOf(settling.json, "status") !== "SETTLED") continue;
        const isPending = memberOf(after.json, "status") === "PENDING";
        assertions.check(!isPending, breachAt(after, "/status", "SETTLED, as before", settling));
      }
      return assertions.result("no driven transaction is shown again once it is SETTLED");
    },
  },
];

/** Each pair of successive responses for a transaction. */
async function pairs(session: Session): Promise<(readonly [Exchange, Exchange])[]> {
  const { completed: purchase } = await runScenarios<{ resource: Exchange }>(
    () => authorized(session),
    () => settled(session),
    ...(hasVerb(session, "clear") ? [() => clearedByNetwork(session)] : []),
  );
  const { completed: bankOnly } = await runScenarios<{ resource: Exchange }>(
    () => standalone(session),
    ...(hasVerb(session, "tellLate") ? [() => lateMatch(session)] : []),
  );
  return [purchase, bankOnly].flatMap((steps) =>
    steps.slice(1).flatMap(({ resource: after }, at) => {
      const before = (steps[at] as { resource: Exchange }).resource;
      const isTwice =
        bodyOf(after) !== undefined &&
        memberOf(bodyOf(before), "id") === memberOf(bodyOf(after), "id");
      return isTwice ? [[before, after] as const] : [];
    }),
  );
}

/** Whether an update was sent after another one and does not show an older state. */
function isLater(after: Delivery, before: Delivery): boolean {
  const ids = messageIdsOf(after.json);
  const updatedAt = (one: Delivery) => String(memberOf(one.json, "updatedAt"));
  return (
    isBefore(before, after) &&
    updatedAt(after) >= updatedAt(before) &&
    messageIdsOf(before.json).every((id) => ids.includes(id))
  );
}

function setOf(transaction: unknown): string {
  return listAt(transaction, "supersededMessageIds").map(String).sort().join(", ");
}
