import { memberOf } from "../../../src/contract/pointer.ts";
import { SETTLEMENT } from "../../../src/contract/rules/vocabulary.ts";
import { type Check, Skip } from "../../check.ts";
import { inheritance } from "../../driven/inheritance.ts";
import { interleaved, partsIn } from "../../driven/interleaved.ts";
import { bodyOf, breachAt, differences, Look } from "../../driven/look.ts";
import {
  authorized,
  bankMessageOf,
  clearedByNetwork,
  type PostedPurchase,
  settled,
} from "../../driven/purchases.ts";
import { settledSums } from "../../driven/sums.ts";
import { listAt, matchesOf, messageIdsOf, ofEvent, textAt } from "../../driven/told.ts";
import type { Session } from "../../session.ts";
import { POSTED } from "./needs.ts";

/** Purchases: the bank posts them, and the network clears them. */
export const purchaseChecks: readonly Check[] = [
  {
    requirement: "TXN-09",
    title: "a driven purchase's settled amounts are the sum of its messages",
    requires: POSTED,
    alternative: true,
    run: settledSums,
  },
  {
    requirement: "TXN-12",
    title: "a posting matched with high confidence settles its purchase",
    requires: POSTED,
    run: async (session) => {
      const before = await authorized(session);
      const step = await matchedWithHigh(session);
      const { transactionId, bankTransactionId, shown } = step;
      const look = new Look();
      // Nothing that is shown settles a purchase before it is posted or cleared.
      look.that(
        textAt(bodyOf(before.shown), "/status") !== "SETTLED",
        breachAt(before.shown, "/status", "not SETTLED before the bank or the network says so"),
      );
      const message = bankMessageOf(step, bankTransactionId);
      const id = textAt(message && bodyOf(message), "/id");
      const known = messageIdsOf(bodyOf(before.shown));
      const addsIt = (ids: readonly string[]) =>
        id === undefined ? ids.some((one) => !known.includes(one)) : ids.includes(id);
      look.came(
        ofEvent(step.told, "transaction.updated", { "/id": transactionId }),
        `transaction.updated of ${transactionId} that settles it`,
        shown,
        (update) => [
          ...differences(update, { "/status": "SETTLED" }, [shown]),
          ...(addsIt(messageIdsOf(update.json))
            ? []
            : [
                breachAt(
                  update,
                  "/_links/messages",
                  `a link to ${id ?? "the bank's message"}`,
                  shown,
                ),
              ]),
        ],
      );
      look.has(shown, { "/status": "SETTLED" });
      if (bodyOf(shown) !== undefined) {
        const expected = `one with a bankData of bank transaction ${bankTransactionId}`;
        look.that(message !== undefined, breachAt(shown, "/_links/messages", expected));
      }
      if (message) look.has(message, { "/messageType": SETTLEMENT }, shown);
      return look.found("the API shows no such transaction");
    },
  },
  {
    requirement: "TXN-12",
    title: "the bank's message inherits from the authorization",
    requires: POSTED,
    run: async (session) => inheritance(session, await matchedWithHigh(session)),
  },
  {
    requirement: "TXN-13",
    title: "the update with the network's clearing supersedes the bank's",
    requires: [...POSTED, "verb:clear"],
    run: async (session) => {
      const { before, shown, told, transactionId, result, provisional } =
        await clearedByNetwork(session);
      const provisionalId = textAt(provisional && bodyOf(provisional), "/id");
      if (provisionalId === undefined || textAt(bodyOf(before.shown), "/status") !== "SETTLED") {
        return new Skip("the bank's posting settled no purchase: see TXN-12");
      }
      const { messageId } = result;
      const look = new Look();
      const announcing = ofEvent(told, "transaction.updated", { "/id": transactionId }).filter(
        ({ json }) => messageIdsOf(json).includes(messageId),
      );
      const what = `transaction.updated of ${transactionId} that lists the clearing ${messageId}`;
      look.came(announcing, what, shown);
      for (const view of [...announcing, shown]) {
        if (bodyOf(view) === undefined) continue;
        const superseded = listAt(bodyOf(view), "supersededMessageIds");
        look.has(view, { "/status": "SETTLED" }, before.shown);
        look.that(
          superseded.includes(provisionalId),
          breachAt(
            view,
            "/supersededMessageIds",
            `the bank's ${provisionalId} in it`,
            before.shown,
          ),
        );
        look.that(
          !superseded.includes(messageId),
          breachAt(view, "/supersededMessageIds", `the clearing ${messageId} not in it`),
        );
      }
      return look.found("the API shows no such transaction");
    },
  },
  {
    requirement: "TXN-13",
    title: "the clearing of a part supersedes the posting of that part alone",
    // Without it, a match may come after the next step and change what that step shows.
    requires: [...POSTED, "verb:clear", "verb:settle"],
    run: async (session) => {
      const { told: purchases, missing } = await interleaved(session);
      const look = new Look();
      for (const { event, views, messages } of purchases.flat()) {
        for (const view of views) {
          const ids = listAt(bodyOf(view), "supersededMessageIds");
          for (const [part, own] of partsIn(view, messages)) {
            const inForce = own.filter(({ id }) => !ids.includes(id));
            const isCleared = own.some(({ by }) => by === "clear");
            const isRight =
              inForce.length === 1 && !(isCleared && inForce.some((one) => one.isProvisional));
            const expected = `one message of part ${part} in force, the network's if there is one`;
            const actual = `${inForce.length} in force after ${event}`;
            look.that(isRight, { ...breachAt(view, "/supersededMessageIds", expected), actual });
          }
        }
      }
      return look.found("no part of a purchase was posted and cleared", missing);
    },
  },
];

/**
 * A purchase that the bank posted. Rejects with Unseen where it was matched, and less surely than
 * with high confidence: what follows is open then.
 */
async function matchedWithHigh(session: Session): Promise<PostedPurchase> {
  const step = await settled(session);
  const levels = matchesOf(step.told, step.bankTransactionId).map(({ json }) =>
    memberOf(json, "confidence"),
  );
  if (levels.length === 0 || levels.includes("HIGH")) return step;
  throw new Skip(`the posting of a purchase was matched with confidence ${levels.join(", ")}`);
}
