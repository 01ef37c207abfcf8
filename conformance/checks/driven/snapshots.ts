import { memberOf } from "../../../src/contract/pointer.ts";
import type { Check } from "../../check.ts";
import type { Delivery } from "../../deliveries/delivery.ts";
import { allDeliveries, has, tellEach } from "../../driven/act.ts";
import { bodyOf, breachAt, Look } from "../../driven/look.ts";
import { parted } from "../../driven/parts.ts";
import {
  authorized,
  clearedByNetwork,
  type PurchaseStep,
  settled,
} from "../../driven/purchases.ts";
import { explained, standalone } from "../../driven/standalones.ts";
import { isBefore, listAt, messageIdsOf, ofEvent } from "../../driven/told.ts";
import type { Session } from "../../session.ts";
import type { Exchange } from "../../transport/exchange.ts";
import { POSTED } from "./needs.ts";

const NOTHING = "the API shows no driven transaction twice";

/** What is true of a transaction from one time that the API shows it to the next. */
export const snapshotChecks: readonly Check[] = [
  {
    requirement: "TXN-11",
    title: "an update has the whole set of superseded messages",
    requires: POSTED,
    alternative: true,
    run: async (session) => {
      const look = new Look();
      const cleared = [
        async () => [await clearedByNetwork(session)],
        async () => (await parted(session)).postings,
      ];
      const { told: steps } = await tellEach<readonly PurchaseStep[]>(
        async () => [await settled(session)],
        ...(has(session, "clear") ? cleared : []),
      );
      for (const { shown, told, transactionId } of steps.flat()) {
        if (bodyOf(shown) === undefined) continue;
        const all = setOf(bodyOf(shown));
        const updates = ofEvent(told, "transaction.updated", { "/id": transactionId });
        const [update] = updates.toReversed();
        if (!update) continue;
        const isWhole = updates.some(({ json }) => setOf(json) === all);
        const expected = `the set that the API has: ${all || "none"}`;
        look.that(isWhole, breachAt(update, "/supersededMessageIds", expected, shown));
      }
      return look.found("no update of a driven transaction was announced");
    },
  },
  {
    requirement: "TXN-18",
    title: "a driven transaction's createdAt stays, updatedAt goes forward",
    requires: POSTED,
    alternative: true,
    run: async (session) => {
      const look = new Look();
      for (const [before, after] of await pairs(session)) {
        const [was, is] = [bodyOf(before), bodyOf(after)];
        const createdAt = memberOf(was, "createdAt");
        look.has(after, { "/createdAt": createdAt }, before);
        const updatedAt = String(memberOf(was, "updatedAt"));
        const isForward = String(memberOf(is, "updatedAt")) >= updatedAt;
        look.that(isForward, breachAt(after, "/updatedAt", `${updatedAt} or later`, before));
      }
      return look.found(NOTHING);
    },
  },
  {
    requirement: "TXN-20",
    title: "a driven transaction that is SETTLED is not PENDING again",
    requires: POSTED,
    alternative: true,
    run: async (session) => {
      const look = new Look();
      for (const [before, after] of await pairs(session)) {
        if (memberOf(bodyOf(before), "status") !== "SETTLED") continue;
        const isPending = memberOf(bodyOf(after), "status") === "PENDING";
        look.that(!isPending, breachAt(after, "/status", "SETTLED, as before", before));
      }
      const { transactionId } = await settled(session);
      const all = await allDeliveries(session);
      const updates = ofEvent(all, "transaction.updated", { "/id": transactionId });
      for (const after of updates) {
        const settling = updates.find((before) => before !== after && isLater(after, before));
        if (!settling || memberOf(settling.json, "status") !== "SETTLED") continue;
        const isPending = memberOf(after.json, "status") === "PENDING";
        look.that(!isPending, breachAt(after, "/status", "SETTLED, as before", settling));
      }
      return look.found("no driven transaction is shown again once it is SETTLED");
    },
  },
];

/** Each two answers about a transaction of which one came after the other. */
async function pairs(session: Session): Promise<(readonly [Exchange, Exchange])[]> {
  const { told: purchase } = await tellEach<{ shown: Exchange }>(
    () => authorized(session),
    () => settled(session),
    ...(has(session, "clear") ? [() => clearedByNetwork(session)] : []),
  );
  const { told: alone } = await tellEach<{ shown: Exchange }>(
    () => standalone(session),
    ...(has(session, "tellLate") ? [() => explained(session)] : []),
  );
  return [purchase, alone].flatMap((steps) =>
    steps.slice(1).flatMap(({ shown: after }, at) => {
      const before = (steps[at] as { shown: Exchange }).shown;
      const isTwice =
        bodyOf(after) !== undefined &&
        memberOf(bodyOf(before), "id") === memberOf(bodyOf(after), "id");
      return isTwice ? [[before, after] as const] : [];
    }),
  );
}

/** Whether an update was sent after another one, and tells of a state that is no earlier one. */
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
