import type { HistoryCase } from "./case.ts";
import { history, respelled } from "./delivery.ts";
import { announced, clearing, created, match, matched, retracted, updated } from "./money.ts";
import { id } from "./resources.ts";
import { authorized, purchase, settledByBank, thenCleared } from "./scenarios.ts";

const { auth, bank, settled, cleared, at, pending } = purchase();
const off = { projected: false };

/** TXN-20: SETTLED does not become PENDING again. */
const statuses: HistoryCase[] = [
  {
    requirement: "TXN-20",
    title: "a settled purchase is PENDING in the next update",
    deliveries: () =>
      history(settledByBank(), updated(at(20, [auth, settled], { over: { status: "PENDING" } }))),
    expect: "derived",
    incomplete: "downgraded",
    lines: [8],
  },
  {
    requirement: "TXN-20",
    title: "a purchase created SETTLED becomes PENDING, projection switched off",
    deliveries: () =>
      history(
        announced(auth),
        announced(cleared),
        created(at(1, [auth, cleared], off)),
        updated(at(2, [auth, cleared], { ...off, over: { status: "PENDING" } })),
      ),
    expect: "derived",
    incomplete: "downgraded",
  },
  {
    requirement: "TXN-20",
    title: "a settled purchase is PENDING again after a status that isn't shown",
    deliveries: () =>
      history(
        settledByBank(),
        updated(at(20, [auth, settled], { over: { status: "DISPUTED" } })),
        updated(at(21, [auth, settled], { over: { status: "PENDING" } })),
      ),
    expect: "derived",
    incomplete: "downgraded",
  },
  {
    requirement: "TXN-20",
    title: "a settled purchase is PENDING and on hold again, its match standing",
    deliveries: () => {
      const again = at(20, [auth], { over: { updatedAt: "2025-03-04T08:00:00.000Z" } });
      return history(settledByBank(), updated(again));
    },
    expect: "derived",
    incomplete: "downgraded",
    lines: [8],
  },
  {
    requirement: "TXN-20",
    title: "the network's clearing alone settles a PENDING purchase",
    deliveries: () => history(authorized(), announced(cleared), updated(at(30, [auth, cleared]))),
    expect: "valid",
  },
  {
    requirement: "TXN-20",
    title: "the PENDING snapshot is repeated after the settlement",
    deliveries: () => {
      const story = settledByBank();
      return history(story, respelled(story.pending));
    },
    expect: "valid",
  },
  {
    requirement: "TXN-20",
    title: "one purchase waits while another is settled",
    deliveries: () => history(settledByBank(), authorized({ name: "kiosk" })),
    expect: "valid",
  },
  {
    requirement: "TXN-20",
    title: "a settled purchase moves to a status that isn't shown",
    deliveries: () =>
      history(settledByBank(), updated(at(20, [auth, settled], { over: { status: "DISPUTED" } }))),
    expect: "notice",
  },
  {
    requirement: "TXN-20",
    title: "a purchase is PENDING again after the match of its leg was retracted, which is open",
    deliveries: () => {
      const card = { cardTransactionId: id("clearing leg") };
      const ofLeg = match("leg", pending, [bank], card);
      return history(
        { ...settledByBank(), matched: matched(ofLeg) },
        retracted(ofLeg, "rematch_superseded"),
        updated(at(20, [auth, settled], { over: { status: "PENDING" } })),
      );
    },
    expect: "notice",
  },
];

/** Changes that the readings allow: amounts after a settlement. */
const amounts: HistoryCase[] = [
  {
    requirement: "TXN-09",
    title: "the clearing revises the settled amount",
    deliveries: () => {
      const more = clearing(auth, 45);
      return history({
        ...thenCleared(),
        cleared: announced(more),
        revised: updated(at(58, [auth, settled, more], { superseded: [settled] })),
      });
    },
    expect: "valid",
  },
  {
    requirement: "TXN-09",
    title: "the hold stays after the settlement",
    deliveries: () => {
      const over = { transactionHoldAmount: 42.5, cardholderBillingHoldAmount: 42.5 };
      return history({
        ...settledByBank(),
        settled: updated(at(10, [auth, settled], { over })),
      });
    },
    expect: "valid",
  },
  {
    requirement: "TXN-09",
    title: "a refund joins a settled purchase",
    deliveries: () => {
      const refund = clearing(auth, -10, "refund");
      const all = [auth, cleared, refund];
      return history(
        authorized(),
        announced(cleared),
        updated(at(30, [auth, cleared])),
        announced(refund),
        updated(at(40, all)),
      );
    },
    expect: "valid",
  },
];

/** The status of a transaction, and its amounts. */
export const statusCases: readonly HistoryCase[] = [...statuses, ...amounts];
