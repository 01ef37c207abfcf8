import { OPEN_BANKING } from "../../../src/contract/rules/vocabulary.ts";
import { breachAt, each } from "../../assert.ts";
import { type Check, Skip } from "../../check.ts";
import { inDeliveries } from "../../observe/body-checks.ts";
import { historyOf } from "../../observe/deliveries/history.ts";
import { bankOnlyTransactionsOf } from "../../observe/deliveries/order.ts";
import { allNamed } from "../../observe/deliveries/reading.ts";
import {
  countSteps,
  hasSuperseded,
  snapshotsIn,
  TRANSACTIONS,
  withEvent,
  withMessage,
} from "../shared/delivery-cases.ts";
import { deliveredLinksLeadTo, inHistory } from "../shared/factories.ts";
import { hasTimes, isBankOnly, isInOrder } from "../shared/response-cases.ts";
import { LINKS } from "./http.ts";

/** Checks of single deliveries. */
const shapes: readonly Check[] = [
  // TXN-01: A transaction has every field of the aggregate table, with the type given there.
  inDeliveries(["TXN-01.fields"], "a delivered transaction has every field of the aggregate"),
  deliveredLinksLeadTo(
    ["TXN-01.links"],
    "links of a delivered transaction have the specified path",
    TRANSACTIONS,
    LINKS,
  ),
  // TXN-02: cardId is null for a bank-only movement on a card-less bank link, otherwise a card's
  // id.
  inDeliveries(
    ["TXN-02.card-id", "TXN-02.null-cardless"],
    "cardId of a delivered transaction is a card's id or null",
    withEvent(TRANSACTIONS),
    "no transaction was delivered",
  ),
  // TXN-03: _links.card is omitted exactly when cardId is null.
  inDeliveries(
    ["TXN-03.present", "TXN-03.omitted"],
    "_links.card of a delivery is omitted exactly if cardId is null",
    withEvent(TRANSACTIONS),
    "no transaction was delivered",
  ),
  // TXN-04: status is PENDING or SETTLED; others are not shown.
  inDeliveries(["TXN-04.status"], "status of a delivered transaction is a string"),
  // TXN-05: acceptor has city, country, mcc and state, all strings.
  inDeliveries(["TXN-05.acceptor"], "acceptor of a delivery has city, country, mcc and state"),
  // TXN-06: supersededMessageIds is always present, contains no id twice, and is a subset of the
  // ids in _links.messages.
  inDeliveries(
    ["TXN-06.present", "TXN-06.unique", "TXN-06.subset"],
    "supersededMessageIds of a delivery contains only its messages, once",
  ),
  // TXN-07: _links.messages has one link per correlated message, superseded ones included; if
  // _embedded.messages is present, it has exactly those.
  inDeliveries(
    ["TXN-07.links-all", "TXN-07.projects-same"],
    "links and projection of a delivery contain the same messages",
  ),
  // TXN-08: In the projection, superseded is true exactly for the ids in supersededMessageIds.
  inDeliveries(
    ["TXN-08.marked", "TXN-08.unmarked"],
    "superseded in deliveries is true exactly for supersededMessageIds",
    withEvent(TRANSACTIONS, hasSuperseded),
    "no delivered projection has a superseded message",
  ),
  // TXN-09: The settled amounts exclude superseded messages.
  inDeliveries(
    ["TXN-09.excludes-superseded", "TXN-09.billing"],
    "settled amounts of a delivery exclude superseded messages",
    withEvent(TRANSACTIONS, hasSuperseded),
    "no delivered projection has a superseded message",
  ),
  // TXN-10: _embedded.messages is included by default and may be switched off for an account.
  inDeliveries(["TXN-10.array"], "_embedded.messages of a delivery is an array if present"),
  // TXN-16: A bank-only transaction has network OPEN_BANKING and its message has no approvalCode
  // (absent or null), a transactionReference that starts with bank_, and a bankData block.
  inDeliveries(
    ["TXN-16.network", "TXN-16.no-approval-code", "TXN-16.reference", "TXN-16.bank-data"],
    "a delivered bank-only transaction or message has bank-only values",
    (body, checked) =>
      isBankOnly(body) && (withEvent(TRANSACTIONS)(body, checked) || withMessage()(body, checked)),
    "nothing bank-only was delivered",
  ),
];

const isSettled = ({ body }: { readonly body: { readonly status: string } }) =>
  body.status === "SETTLED";

/** Checks that compare several deliveries. */
const sequences: readonly Check[] = [
  // TXN-11: supersededMessageIds is a full snapshot: mirroring it is an idempotent replace; it is
  // empty for transactions last updated before the field existed.
  inHistory(["TXN-11.never-shrinks"], "an update keeps all earlier supersededMessageIds", {
    cases: (history) =>
      countSteps(snapshotsIn(history), (before) => before.body.supersededMessageIds.length > 0),
    skipReason: "no transaction changed after a message of it was superseded",
  }),
  // TXN-12: A bank posting matched with high confidence settles a PENDING transaction: a
  // bank-sourced FINL_ADVC message is added that inherits transactionReference, approvalCode and
  // network of the authorization, and transaction.updated is sent.
  inHistory(
    ["TXN-12.settles", "TXN-12.high-only"],
    "a high-confidence match settles a purchase with inherited fields",
    {
      cases: (history) => {
        const known = new Set(snapshotsIn(history).map(([first]) => first?.body.id));
        return allNamed(history.complete, "transaction.match.created").filter(
          ({ body }) => body.confidence === "HIGH" && known.has(body.cardTransaction.id),
        ).length;
      },
      skipReason: "no match of high confidence with a purchase created in this run",
    },
  ),
  // TXN-13: When the network's own clearing arrives on a SETTLED transaction it stays SETTLED, the
  // settled amounts may be revised, and the provisional bank message becomes superseded; the
  // transaction.updated that announces the duplicate also marks it.
  inHistory(
    ["TXN-13.marks-in-same-event"],
    "the update that announces a duplicate marks it superseded",
    {
      cases: (history) =>
        countSteps(
          snapshotsIn(history),
          (before, now) =>
            isSettled(before) &&
            now.body.network !== OPEN_BANKING &&
            now.body._links.messages.length > before.body._links.messages.length,
        ),
      skipReason: "no settled purchase got another message",
    },
  ),
  // TXN-14: A standalone bank-only transaction whose movement later matches a card, whatever the
  // confidence, stays SETTLED with its settled amounts revised to 0, and transaction.updated is
  // sent.
  inHistory(["TXN-14.netted"], "a bank-only transaction that is matched later is revised to 0", {
    cases: (history) => {
      const bankOnly = bankOnlyTransactionsOf(history.complete);
      const matches = allNamed(history.complete, "transaction.match.created");
      return matches.filter(({ body }) => body.matches.some(({ id }) => bankOnly.has(id))).length;
    },
    skipReason: "no bank-only transaction was matched",
  }),
  // TXN-15: A bank-only movement that is synced yields transactionmessage.created (a synthetic
  // FINL_ADVC), then transaction.created for a SETTLED transaction.
  inHistory(
    ["TXN-15.message-event", "TXN-15.transaction-event"],
    "a bank-only movement sends a message, then a SETTLED transaction",
    {
      cases: (history) => snapshotsIn(history).filter(([first]) => isBankOnly(first?.body)).length,
      skipReason: "no bank-only transaction that was created in this run",
    },
  ),
  // TXN-18: createdAt never changes and updatedAt never goes back from one snapshot of a
  // transaction to the next.
  inHistory(
    ["TXN-18.created-at", "TXN-18.updated-at"],
    "in deliveries, createdAt stays and updatedAt never goes back",
    {
      cases: (history) => countSteps(snapshotsIn(history), () => true),
      skipReason: "no transaction was delivered twice",
    },
  ),
  {
    claims: ["TXN-18.not-before-created"],
    title: "updatedAt of a delivered transaction is not before createdAt",
    requires: ["deliveries"],
    run: async (session) => {
      const { deliveries } = await historyOf(session);
      const names: readonly string[] = TRANSACTIONS;
      const cases = deliveries.filter(({ name, json }) => names.includes(name) && hasTimes(json));
      const skip = new Skip("no delivered transaction has createdAt and updatedAt");
      return each(
        cases,
        skip,
        (one) => (isInOrder(one.json) ? [] : [breachAt(one, "/updatedAt", "createdAt or later")]),
        () => ["delivered"],
      );
    },
  },
  // TXN-20: A SETTLED transaction does not become PENDING again.
  inHistory(["TXN-20.no-return"], "a transaction delivered as SETTLED is not PENDING again", {
    cases: (history) => countSteps(snapshotsIn(history), isSettled),
    skipReason: "no transaction changed after it was settled",
  }),
];

export const transactionDeliveryChecks: readonly Check[] = [...shapes, ...sequences];
