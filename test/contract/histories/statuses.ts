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
    title: "a purchase created SETTLED becomes PENDING, projection off",
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
    title: "a settled purchase is PENDING again after an unknown status",
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
    title: "a settled purchase is PENDING with a hold, but still matched",
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
    title: "a clearing without a match settles a PENDING purchase",
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
    title: "one purchase is PENDING while another is settled",
    deliveries: () => history(settledByBank(), authorized({ name: "kiosk" })),
    expect: "valid",
  },
  {
    requirement: "TXN-20",
    title: "a settled purchase gets an unknown status",
    deliveries: () =>
      history(settledByBank(), updated(at(20, [auth, settled], { over: { status: "DISPUTED" } }))),
    expect: "notice",
  },
  {
    requirement: "TXN-20",
    title: "a purchase is PENDING after its leg's retraction (not specified)",
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
