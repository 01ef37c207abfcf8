import { memberOf } from "../../../src/contract/pointer.ts";
import { OPEN_BANKING } from "../../../src/contract/rules/vocabulary.ts";
import { inDeliveries } from "../../body-checks.ts";
import type { Check } from "../../check.ts";
import { bankOnlyTransactionsOf } from "../../deliveries/order.ts";
import { allNamed } from "../../deliveries/typed-delivery.ts";
import { countSteps, snapshotsIn } from "../shared/delivery-cases.ts";
import { hasSuperseded, TRANSACTIONS, withEvent, withMessage } from "../shared/events.ts";
import { inHistory } from "../shared/in-history.ts";

const isBankOnly = (body: unknown) => memberOf(body, "network") === OPEN_BANKING;

/** What one delivery shows. */
const shapes: readonly Check[] = [
  inDeliveries("TXN-01", "a delivered transaction carries every field of the aggregate"),
  inDeliveries(
    "TXN-02",
    "cardId of a delivered transaction is a card's id or null",
    withEvent(TRANSACTIONS),
    "no transaction was delivered",
  ),
  inDeliveries(
    "TXN-03",
    "_links.card of a delivery is left out exactly where cardId is null",
    withEvent(TRANSACTIONS),
    "no transaction was delivered",
  ),
  inDeliveries("TXN-04", "status of a delivered transaction is a string of an open set"),
  inDeliveries("TXN-05", "acceptor of a delivery carries city, country, mcc and state"),
  inDeliveries("TXN-06", "supersededMessageIds of a delivery are among its messages, each once"),
  inDeliveries("TXN-07", "_links.messages of a delivery are what its projection shows"),
  inDeliveries(
    "TXN-08",
    "superseded in a delivery's projection is as supersededMessageIds says",
    withEvent(TRANSACTIONS, hasSuperseded),
    "no delivered projection has a superseded message",
  ),
  inDeliveries(
    "TXN-09",
    "the settled amounts of a delivery leave superseded messages out",
    withEvent(TRANSACTIONS, hasSuperseded),
    "no delivered projection has a superseded message",
  ),
  inDeliveries("TXN-10", "_embedded.messages of a delivery is an array where it is there"),
  inDeliveries(
    "TXN-16",
    "a delivered bank-only transaction or message has the marks of one",
    (body, judged) =>
      isBankOnly(body) && (withEvent(TRANSACTIONS)(body, judged) || withMessage()(body, judged)),
    "nothing bank-only was delivered",
  ),
];

const isSettled = ({ body }: { readonly body: { readonly status: string } }) =>
  body.status === "SETTLED";

/** What deliveries show together. */
const sequences: readonly Check[] = [
  inHistory("TXN-11", "supersededMessageIds of an update has all that it had before", {
    cases: (history) =>
      countSteps(snapshotsIn(history), (before) => before.body.supersededMessageIds.length > 0),
    unseen: "no transaction changed after a message of it was superseded",
  }),
  inHistory("TXN-12", "a match of high confidence settles by a message that inherits", {
    cases: (history) => {
      const known = new Set(snapshotsIn(history).map(([first]) => first?.body.id));
      return allNamed(history.complete, "transaction.match.created").filter(
        ({ body }) => body.confidence === "HIGH" && known.has(body.cardTransaction.id),
      ).length;
    },
    unseen: "no match of high confidence with a purchase whose beginning the run has heard",
  }),
  inHistory("TXN-13", "the update that tells of a duplicate marks it superseded", {
    cases: (history) =>
      countSteps(
        snapshotsIn(history),
        (before, now) =>
          isSettled(before) &&
          now.body.network !== OPEN_BANKING &&
          now.body._links.messages.length > before.body._links.messages.length,
      ),
    unseen: "no settled purchase got another message",
  }),
  inHistory("TXN-14", "a bank-only transaction that is matched later is revised to 0", {
    cases: (history) => {
      const alone = bankOnlyTransactionsOf(history.complete);
      const matches = allNamed(history.complete, "transaction.match.created");
      return matches.filter(({ body }) => body.matches.some(({ id }) => alone.has(id))).length;
    },
    unseen: "no bank-only transaction was matched",
  }),
  inHistory("TXN-15", "a bank-only movement sends its message and a SETTLED transaction", {
    cases: (history) => snapshotsIn(history).filter(([first]) => isBankOnly(first?.body)).length,
    unseen: "no bank-only transaction whose beginning the run has heard",
  }),
  inHistory("TXN-18", "createdAt stays and updatedAt never goes back in deliveries", {
    cases: (history) => countSteps(snapshotsIn(history), () => true),
    unseen: "no transaction was delivered twice",
  }),
  inHistory("TXN-20", "a transaction that was delivered SETTLED is not PENDING again", {
    cases: (history) => countSteps(snapshotsIn(history), isSettled),
    unseen: "no transaction changed after it was settled",
  }),
];

export const transactions: readonly Check[] = [...shapes, ...sequences];
