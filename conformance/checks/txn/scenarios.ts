import { memberOf } from "../../../src/contract/pointer.ts";
import { SETTLEMENT } from "../../../src/contract/rules/vocabulary.ts";
import { Assertions, bodyOf, breachAt, ClaimAssertions, differences } from "../../assert.ts";
import { type Check, type Session, Skip } from "../../check.ts";
import { POSTED } from "../../scenarios/act.ts";
import {
  findEvents,
  findMatches,
  listAt,
  messageIdsOf,
  textAt,
} from "../../scenarios/find-deliveries.ts";
import { clearedAtOnce, interleaved, partsIn } from "../../scenarios/interleaved.ts";
import { checkInheritance } from "../../scenarios/lifecycles.ts";
import {
  authorized,
  bankMessageOf,
  clearedByNetwork,
  hidesBankMessage,
  type PostedPurchase,
  settled,
} from "../../scenarios/purchases.ts";

const HIDDEN = "no view of the bank's message shows its bankData";

/** Checks purchases that the bank posts and the network clears. */
export const purchaseChecks: readonly Check[] = [
  // TXN-12: A bank posting matched with high confidence settles a PENDING transaction: a
  // bank-sourced FINL_ADVC message is added that inherits transactionReference, approvalCode and
  // network of the authorization, and transaction.updated is sent.
  {
    claims: ["TXN-12.settles", "TXN-12.message-added", "TXN-12.updated"],
    title: "a posting matched with high confidence settles its purchase",
    requires: POSTED,
    run: async (session) => {
      const before = await authorized(session);
      const step = await matchedWithHigh(session);
      const { transactionId, bankTransactionId, resource } = step;
      const assertions = new ClaimAssertions();
      // The interface shows no way to settle a purchase before it is posted or cleared.
      assertions
        .of("TXN-12.settles")
        .check(
          textAt(bodyOf(before.resource), "/status") !== "SETTLED",
          breachAt(before.resource, "/status", "not SETTLED before a posting or a clearing"),
        );
      const message = bankMessageOf(step, bankTransactionId);
      if (!message && hidesBankMessage(step)) return new Skip(HIDDEN);
      const id = textAt(message && bodyOf(message), "/id");
      const known = messageIdsOf(bodyOf(before.resource));
      const addsMessage = (ids: readonly string[]) =>
        id === undefined ? ids.some((one) => !known.includes(one)) : ids.includes(id);
      assertions
        .of("TXN-12.updated")
        .wasDelivered(
          findEvents(step.deliveries, "transaction.updated", { "/id": transactionId }),
          `transaction.updated of ${transactionId} that settles it`,
          resource,
          (update) => [
            ...differences(update, { "/status": "SETTLED" }, [resource]),
            ...(addsMessage(messageIdsOf(update.json))
              ? []
              : [
                  breachAt(
                    update,
                    "/_links/messages",
                    `a link to ${id ?? "the bank's message"}`,
                    resource,
                  ),
                ]),
          ],
        );
      assertions.of("TXN-12.settles").hasValues(resource, { "/status": "SETTLED" });
      const added = assertions.of("TXN-12.message-added");
      if (bodyOf(resource) !== undefined) {
        const expected = `a message with bankData of bank transaction ${bankTransactionId}`;
        added.check(message !== undefined, breachAt(resource, "/_links/messages", expected));
      }
      if (message) added.hasValues(message, { "/messageType": SETTLEMENT }, resource);
      return assertions.result("the API does not show the transaction");
    },
  },
  {
    claims: [
      "TXN-12.inherits-reference",
      "TXN-12.inherits-approval-code",
      "TXN-12.inherits-network",
    ],
    title: "the bank's message inherits the fields of the authorization",
    requires: POSTED,
    run: async (session) => {
      const [first, posting] = [await authorized(session), await matchedWithHigh(session)];
      const assertions = new ClaimAssertions();
      checkInheritance(assertions, { first, posting }, session.capabilities.networks);
      return assertions.result("no response or delivery shows the fields to inherit");
    },
  },
  // TXN-13: When the network's own clearing arrives on a SETTLED transaction it stays SETTLED, the
  // settled amounts may be revised, and the provisional bank message becomes superseded; the
  // transaction.updated that announces the duplicate also marks it.
  {
    claims: [
      "TXN-13.stays-settled",
      "TXN-13.supersedes",
      "TXN-13.updated",
      "TXN-13.marks-in-same-event",
    ],
    title: "the update with the network's clearing supersedes the bank's message",
    requires: [...POSTED, "verb:clear"],
    run: async (session) => {
      const { before, resource, deliveries, transactionId, result, provisional } =
        await clearedByNetwork(session);
      const provisionalId = textAt(provisional && bodyOf(provisional), "/id");
      if (provisionalId === undefined || textAt(bodyOf(before.resource), "/status") !== "SETTLED") {
        return new Skip("the bank's posting settled no purchase: see TXN-12");
      }
      const { messageId } = result;
      const assertions = new ClaimAssertions();
      const announcing = findEvents(deliveries, "transaction.updated", {
        "/id": transactionId,
      }).filter(({ json }) => messageIdsOf(json).includes(messageId));
      const expected = `transaction.updated of ${transactionId} with the clearing ${messageId}`;
      assertions.of("TXN-13.updated").wasDelivered(announcing, expected, resource);
      for (const view of [...announcing, resource]) {
        if (bodyOf(view) === undefined) continue;
        const superseded = listAt(bodyOf(view), "supersededMessageIds");
        const stays = assertions.of("TXN-13.stays-settled");
        stays.hasValues(view, { "/status": "SETTLED" }, before.resource);
        const supersedes = assertions.of(
          view === resource ? "TXN-13.supersedes" : "TXN-13.marks-in-same-event",
        );
        supersedes.check(
          superseded.includes(provisionalId),
          breachAt(
            view,
            "/supersededMessageIds",
            `the bank's message ${provisionalId}`,
            before.resource,
          ),
        );
        supersedes.check(
          !superseded.includes(messageId),
          breachAt(view, "/supersededMessageIds", `not the clearing ${messageId}`),
        );
      }
      return assertions.result("the API does not show the transaction");
    },
  },
  {
    claims: ["TXN-13.supersedes", "TXN-13.marks-in-same-event"],
    title: "the clearing of a part supersedes only the posting of that part",
    // Without "verb:settle", a match may arrive after the next step and change its result.
    requires: [...POSTED, "verb:clear", "verb:settle"],
    run: async (session) => {
      const { completed: purchases, missing } = await interleaved(session);
      const assertions = new ClaimAssertions();
      for (const { event, views, messages, posted, step } of purchases.flat()) {
        for (const view of views) {
          const linked = messageIdsOf(bodyOf(view));
          // TXN-07 reports a message that is not linked.
          if ([...messages.keys()].some((id) => !linked.includes(id))) continue;
          const ids = listAt(bodyOf(view), "supersededMessageIds");
          for (const [part, own] of partsIn(view, messages)) {
            const inForce = own.filter(({ id }) => !ids.includes(id));
            const isCleared = own.some(({ by }) => by === "clear");
            const isOneInForce =
              inForce.length === 1 && !(isCleared && inForce.some((one) => one.isProvisional));
            const expected = `one message of part ${part} in force: the network's, if it exists`;
            const actual = `${inForce.length} in force after ${event}`;
            const isBoth = isCleared && own.some(({ by }) => by === "post");
            const claim = view === step.resource ? "supersedes" : "marks-in-same-event";
            assertions
              .of(`TXN-13.${claim}`, ...(isBoth ? [posted[part]] : []))
              .check(isOneInForce, {
                ...breachAt(view, "/supersededMessageIds", expected),
                actual,
              });
          }
        }
      }
      return assertions.result("no part of a purchase was posted and cleared", missing);
    },
  },
  {
    claims: ["TXN-13.supersedes"],
    title: "the clearing of all parts supersedes the posting of each part",
    // Without "verb:settle", the API may not show the clearing yet.
    requires: [...POSTED, "verb:clear", "verb:settle"],
    run: async (session) => {
      const { posted, cleared, provisionalIds } = await clearedAtOnce(session);
      const { resource, result } = cleared;
      // A bank may correct its first posting by the second one.
      if (provisionalIds.length < 2) return new Skip("the postings of two parts added one message");
      if (textAt(bodyOf(posted.resource), "/status") !== "SETTLED") {
        return new Skip("the postings of two parts settled no purchase: see TXN-12");
      }
      const assertions = new Assertions();
      const superseded = listAt(bodyOf(resource), "supersededMessageIds");
      // TXN-07 reports a clearing that is not linked.
      const isLinked = messageIdsOf(bodyOf(resource)).includes(result.messageId);
      for (const id of isLinked ? provisionalIds : []) {
        const expected = `the bank's message ${id}, because all of the purchase is cleared`;
        const breach = breachAt(resource, "/supersededMessageIds", expected);
        const claim = assertions.of("TXN-13.supersedes", "posted-in-parts");
        claim.check(superseded.includes(id), breach);
      }
      return assertions.result("the API does not show the transaction");
    },
  },
  {
    claims: ["TXN-13.stays-settled", "TXN-13.updated"],
    title: "the clearing of each part of a posted purchase is announced",
    requires: [...POSTED, "verb:clear", "verb:settle"],
    run: async (session) => {
      const { completed: purchases, missing } = await interleaved(session);
      const assertions = new ClaimAssertions();
      for (const steps of purchases) {
        const clearings = steps.filter(({ step }) => step.verb === "clear");
        for (const { before, step, transactionId } of clearings) {
          const { messageId = "", resource, deliveries } = step;
          if (textAt(bodyOf(before), "/status") !== "SETTLED") continue;
          const isFirst = step === clearings[0]?.step;
          const updates = findEvents(deliveries, "transaction.updated", { "/id": transactionId });
          // TXN-07 reports a clearing that is not linked.
          const isLinked = messageIdsOf(bodyOf(resource)).includes(messageId);
          const own = updates.filter(({ json }) => {
            return !isLinked || messageIdsOf(json).includes(messageId);
          });
          const what = `transaction.updated of ${transactionId} with the clearing ${messageId}`;
          assertions
            .of("TXN-13.updated", isFirst ? "first-clearing" : "second-clearing")
            .wasDelivered(own, what, resource);
          for (const view of [...own, resource]) {
            const stays = assertions.of("TXN-13.stays-settled");
            stays.hasValues(view, { "/status": "SETTLED" }, before);
          }
        }
      }
      return assertions.result("no part of a settled purchase was cleared", missing);
    },
  },
];

/**
 * Returns a purchase that the bank posted and that was matched with high confidence.
 *
 * @throws {Skip} if the match has a lower confidence: its effects are then unspecified
 */
async function matchedWithHigh(session: Session): Promise<PostedPurchase> {
  const step = await settled(session);
  const levels = findMatches(step.deliveries, step.bankTransactionId).map(({ json }) =>
    memberOf(json, "confidence"),
  );
  if (levels.length === 0 || levels.includes("HIGH")) return step;
  throw new Skip(`the posting of a purchase was matched with confidence ${levels.join(", ")}`);
}
