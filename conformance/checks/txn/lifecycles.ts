import { DEFAULT_NETWORKS } from "../../../src/contract/networks.ts";
import { memberOf } from "../../../src/contract/pointer.ts";
import { amountsDiffer } from "../../../src/contract/rules/sum.ts";
import { OPEN_BANKING, SETTLEMENT } from "../../../src/contract/rules/vocabulary.ts";
import {
  Assertions,
  bodyOf,
  breachAt,
  ClaimAssertions,
  differences,
  type Message,
} from "../../assert.ts";
import { type Breach, type Check, type ClaimBreach, type Found, Skip } from "../../check.ts";
import { situationsOf } from "../../observe/situations.ts";
import { POSTED, readTransaction, runScenarios, STANDALONE } from "../../scenarios/act.ts";
import {
  findEvents,
  findMatches,
  listAt,
  messageIdsOf,
  messagesNaming,
  textAt,
} from "../../scenarios/find-deliveries.ts";
import { checkInheritance, type Life, ofEachLife } from "../../scenarios/lifecycles.ts";
import {
  bankMessageOf,
  hidesBankMessage,
  type LifeStep,
  revisedByNetwork,
} from "../../scenarios/purchases.ts";
import { rematched } from "../../scenarios/rematches.ts";
import {
  type LateMatch,
  lateMatch,
  lateMatchOf,
  uncertainLateMatch,
} from "../../scenarios/standalones.ts";
import { Unmet } from "../../skip.ts";
import type { Delivery } from "../../wire/exchange.ts";

const NETTED = { "/transactionSettledAmount": 0, "/cardholderBillingSettledAmount": 0 };

/** Checks purchases on each network, after each of their steps. */
export const lifecycleChecks: readonly Check[] = [
  // TXN-12: A bank posting matched with high confidence settles a PENDING transaction: a
  // bank-sourced FINL_ADVC message is added that inherits transactionReference, approvalCode and
  // network of the authorization, and transaction.updated is sent.
  ofEachLife(
    ["TXN-12.settles", "TXN-12.message-added", "TXN-12.updated"],
    "a posting settles a purchase on each network",
    (life, assertions, where) => {
      const { authorized, posted } = stepsOf(life);
      const id = posted.bankTransactionId ?? "";
      requireHigh(posted, id);
      const enrollment = life.enrollment ? [life.enrollment] : [];
      const settles = assertions.of("TXN-12.settles", ...where, ...enrollment);
      settles.check(
        textAt(bodyOf(authorized.resource), "/status") !== "SETTLED",
        breachAt(authorized.resource, "/status", "not SETTLED before a posting or a clearing"),
      );
      settles.hasValues(posted.resource, { "/status": "SETTLED" });
      const what = `transaction.updated of ${life.transactionId} that settles it`;
      const updates = updatesOf(life, posted);
      const settling = updates.filter(({ json }) => memberOf(json, "status") === "SETTLED");
      assertions.of("TXN-12.updated", ...where).wasDelivered(settling, what, posted.resource);
      const added = bankMessageOf(posted, id);
      // A standalone message may be abridged.
      if (!added && hidesBankMessage(posted)) return;
      const expected = `a FINL_ADVC message with bankData of bank transaction ${id}`;
      const isAdded = textAt(added && bodyOf(added), "/messageType") === SETTLEMENT;
      const breach = breachAt(posted.resource, "/_links/messages", expected);
      assertions.of("TXN-12.message-added", ...where).check(isAdded, breach);
    },
  ),
  ofEachLife(
    ["TXN-12.inherits-reference", "TXN-12.inherits-approval-code", "TXN-12.inherits-network"],
    "the bank's message inherits its fields on each network",
    (life, assertions, where, session) => {
      requireHigh(stepsOf(life).posted, life.posting.bankTransactionId);
      checkInheritance(assertions, life, session.capabilities.networks, where);
    },
  ),
  // TXN-13: When the network's own clearing arrives on a SETTLED transaction it stays SETTLED, the
  // settled amounts may be revised, and the provisional bank message becomes superseded; the
  // transaction.updated that announces the duplicate also marks it.
  ofEachLife(
    [
      ...(["TXN-13.stays-settled", "TXN-13.supersedes"] as const),
      ...(["TXN-13.updated", "TXN-13.marks-in-same-event"] as const),
    ],
    "a clearing supersedes the bank's message on each network",
    (life, assertions, where) => {
      const { posted, cleared } = stepsOf(life);
      const id = posted.bankTransactionId ?? "";
      requireHigh(posted, id);
      const provisional = bankMessageOf(posted, id);
      const provisionalId = textAt(provisional && bodyOf(provisional), "/id");
      const { messageId = "" } = cleared;
      const announcing = updatesOf(life, cleared).filter(({ json }) =>
        messageIdsOf(json).includes(messageId),
      );
      const what = `transaction.updated of ${life.transactionId} with the clearing ${messageId}`;
      const updated = assertions.of("TXN-13.updated", "first-clearing");
      updated.wasDelivered(announcing, what, cleared.resource);
      for (const view of [...announcing, cleared.resource]) {
        if (bodyOf(view) === undefined) continue;
        assertions.of("TXN-13.stays-settled", ...where).hasValues(view, { "/status": "SETTLED" });
        if (provisionalId === undefined) continue;
        const ids = listAt(bodyOf(view), "supersededMessageIds");
        const expected = `the bank's message ${provisionalId}`;
        const breach = breachAt(view, "/supersededMessageIds", expected, posted.resource);
        const isEvent = view !== cleared.resource;
        const claim = isEvent ? "TXN-13.marks-in-same-event" : "TXN-13.supersedes";
        assertions.of(claim, ...where, "posted-first").check(ids.includes(provisionalId), breach);
      }
    },
  ),
  {
    claims: ["TXN-13.revises"],
    title: "the settled amounts follow a clearing of another amount",
    requires: [...POSTED, "verb:clear"],
    run: async (session) => {
      const { posted, cleared } = await revisedByNetwork(session);
      const { transactionId, result } = cleared;
      const provisional = bankMessageOf(posted, posted.bankTransactionId);
      const clearing = cleared.messages.find((one) => {
        return textAt(bodyOf(one), "/id") === result.messageId;
      });
      const isSettled = textAt(bodyOf(posted.resource), "/status") === "SETTLED";
      if (!provisional || !isSettled) return new Skip("the bank's posting settled no purchase");
      if (!clearing) return new Skip("the API does not show the clearing");
      const updates = findEvents(cleared.deliveries, "transaction.updated", {
        "/id": transactionId,
      }).filter(({ json }) => messageIdsOf(json).includes(result.messageId));
      const assertions = new Assertions();
      for (const [total, part] of REVISED) {
        const [now, before] = [clearing, provisional].map((one) => memberOf(bodyOf(one), part));
        if (typeof now !== "number" || typeof before !== "number" || !amountsDiffer(now, before)) {
          continue;
        }
        const settled = memberOf(bodyOf(posted.resource), total);
        // TXN-09 reports a settled amount that is wrong before the clearing.
        if (typeof settled !== "number" || amountsDiffer(settled, before)) continue;
        const expected = `${now}, as cleared by the network`;
        const unlike = (view: Message) => {
          const amount = memberOf(bodyOf(view), total);
          const isRevised = typeof amount === "number" && !amountsDiffer(amount, now);
          return isRevised ? [] : [breachAt(view, `/${total}`, expected, clearing, provisional)];
        };
        const what = `transaction.updated of ${transactionId} with ${total} ${expected}`;
        assertions.wasDelivered(updates, what, cleared.resource, unlike);
        if (bodyOf(cleared.resource) !== undefined) assertions.all(unlike(cleared.resource));
      }
      return assertions.result("the network cleared the amount that the bank posted");
    },
  },
];

/** Checks bank-only transactions whose movement is matched later. */
export const nettingChecks: readonly Check[] = [
  // TXN-14: A standalone bank-only transaction whose movement later matches a card, whatever the
  // confidence, stays SETTLED with its settled amounts revised to 0, and transaction.updated is
  // sent.
  {
    claims: ["TXN-14.netted", "TXN-14.stays-settled", "TXN-14.updated"],
    title: "a later card match revises a bank-only transaction to 0",
    requires: [...STANDALONE, "verb:tellLate"],
    run: async (session) => netting(await lateMatch(session)),
  },
  {
    claims: ["TXN-14.netted", "TXN-14.stays-settled", "TXN-14.updated"],
    title: "a later match of any confidence revises a bank-only transaction to 0",
    requires: [...STANDALONE, "verb:tellLate"],
    run: async (session) => {
      const { completed, missing } = await runScenarios<LateMatch>(
        () => uncertainLateMatch(session),
        () => lateMatchOf(session, "HIGH"),
        () => lateMatchOf(session, "MEDIUM"),
        () => lateMatchOf(session, "LOW"),
      );
      const found = netting(...completed);
      const isBroken = !(found instanceof Skip) && found.breaches.length > 0;
      return missing && !isBroken ? missing : found;
    },
  },
  {
    claims: ["TXN-14.netted"],
    title: "a movement that is matched again is not counted twice",
    // Without "verb:settle", the revision may follow later.
    requires: [...POSTED, "verb:rematch", "verb:settle"],
    run: async (session) => {
      const { completed, missing } = await rematched(session);
      const assertions = new Assertions();
      for (const { live, deliveries, purchase } of completed) {
        if (!live) continue;
        const breaches: Breach[] = [];
        for (const id of bankOnlyIn(deliveries, purchase.bankTransactionId)) {
          const view = await readTransaction(session, id);
          if (bodyOf(view) !== undefined) breaches.push(...differences(view, NETTED, [live]));
        }
        assertions.of("TXN-14.netted").all(breaches);
      }
      return assertions.result("no movement was matched again", missing);
    },
  },
];

const REVISED = [
  ["transactionSettledAmount", "transactionAmount"],
  ["cardholderBillingSettledAmount", "cardholderBillingAmount"],
] as const;

function stepsOf({ steps }: Life) {
  const [authorized, posted, cleared] = steps as readonly [LifeStep, LifeStep, LifeStep];
  return { authorized, posted, cleared };
}

function updatesOf({ transactionId }: Life, { deliveries }: LifeStep) {
  return findEvents(deliveries, "transaction.updated", { "/id": transactionId });
}

/** @throws {Unmet} if the posting was matched with less confidence than its verb promises */
function requireHigh({ deliveries }: LifeStep, bankTransactionId: string): void {
  const matches = findMatches(deliveries, bankTransactionId);
  const levels = matches.map(({ json }) => memberOf(json, "confidence"));
  if (levels.length === 0 || levels.includes("HIGH")) return;
  const seen = levels.join(", ");
  throw new Unmet(`postAtBank promises a match of confidence HIGH, but it was ${seen}`);
}

/** The ids of the bank-only transactions that were created for a movement. */
function bankOnlyIn(deliveries: readonly Delivery[], bankTransactionId: string): string[] {
  const ids = messagesNaming(deliveries.map(bodyOf), bankTransactionId);
  return findEvents(deliveries, "transaction.created", { "/network": OPEN_BANKING })
    .filter(({ json }) => messageIdsOf(json).some((id) => ids.includes(id)))
    .flatMap(({ json }) => textAt(json, "/id") ?? []);
}

function netting(...late: readonly LateMatch[]): Found<ClaimBreach> | Skip {
  const assertions = new ClaimAssertions();
  for (const { standalone, matches, deliveries, resource } of late) {
    const { transactionId } = standalone;
    const [match] = matches;
    if (transactionId === undefined || !match) continue;
    const where = situationsOf(match.json, DEFAULT_NETWORKS);
    const updates = findEvents(deliveries, "transaction.updated", { "/id": transactionId });
    const what = `transaction.updated of ${transactionId} with its settled amounts revised to 0`;
    assertions
      .of("TXN-14.updated", ...where)
      .wasDelivered(updates, what, match, (update) => differences(update, NETTED, [match]));
    assertions.of("TXN-14.netted", ...where).hasValues(resource, NETTED, match);
    const settled = assertions.of("TXN-14.stays-settled", ...where);
    for (const view of [...updates, resource])
      settled.hasValues(view, { "/status": "SETTLED" }, match);
  }
  return assertions.result("late card data was not matched: see MAT-09");
}
