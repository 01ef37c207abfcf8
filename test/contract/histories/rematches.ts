import type { HistoryCase } from "./case.ts";
import { history, without } from "./delivery.ts";
import {
  announced,
  authorization,
  created,
  match,
  matched,
  retracted,
  settlement,
  transaction,
  updated,
} from "./money.ts";
import { completed, id, posting, removed, synced } from "./resources.ts";
import {
  authorized,
  clearedInParts,
  daysAfter,
  lateMatch,
  leg,
  purchase,
  rematched,
  retired,
  settledByBank,
} from "./scenarios.ts";

const { bank, pending } = purchase();
const kiosk = purchase({ name: "kiosk" });
const second = posting("second debit");

/** MAT-07: a forced re-match has new ids and deletes the old match. */
const rematches: HistoryCase[] = [
  {
    requirement: "MAT-07",
    title: "a rematch does not retract the old match",
    deliveries: () => history(without(rematched(), "retracted"), ...daysAfter()),
    expect: "invalid",
    incomplete: "downgraded",
  },
  {
    requirement: "MAT-07",
    title: "a rematch with another purchase does not retract the old match",
    deliveries: () => {
      const fresh = matched(match("new", kiosk.pending, [bank], { score: 0.6 }));
      const story = without(rematched(), "retracted");
      return history(authorized({ name: "kiosk" }), { ...story, rematched: fresh }, ...daysAfter());
    },
    expect: "invalid",
    incomplete: "downgraded",
  },
  {
    requirement: "MAT-07",
    title: "a rematch keeps the match id",
    deliveries: () => {
      const same = matched(match("old", pending, [bank], { score: 0.65 }));
      return history({ ...without(rematched(), "retracted"), rematched: same });
    },
    expect: "invalid",
    incomplete: "reported",
  },
  {
    requirement: "MAT-07",
    title: "a rematch retracts the old match with the reason of a deletion",
    deliveries: () => {
      const old = match("old", pending, [bank], { score: 0.6 });
      const wrong = retracted(old, "bank_transaction_retired");
      return history({ ...rematched(), retracted: wrong }, ...daysAfter());
    },
    expect: "invalid",
    incomplete: "downgraded",
  },
  {
    requirement: "MAT-07",
    title: "the old match is retracted, then the new one announced",
    deliveries: () => history(rematched()),
    expect: "valid",
  },
  {
    requirement: "MAT-07",
    title: "the new match is announced, then the old one retracted",
    deliveries: () => {
      const { retracted: retraction, ...story } = rematched();
      return history(story, retraction);
    },
    expect: "valid",
  },
  {
    requirement: "MAT-07",
    title: "a match is retracted without a successor",
    deliveries: () => history(without(rematched(), "rematched"), ...daysAfter()),
    expect: "valid",
  },
  {
    requirement: "MAT-07",
    title: "a rematch moves the bank transaction to another purchase",
    deliveries: () => {
      const { retracted: retraction, ...story } = rematched();
      const fresh = matched(match("new", kiosk.pending, [bank], { score: 0.65 }));
      return history(authorized({ name: "kiosk" }), { ...story, rematched: fresh }, retraction);
    },
    expect: "valid",
  },
  {
    requirement: "MAT-07",
    title: "the old match is repeated after the rematch",
    deliveries: () => {
      const story = rematched();
      return history(story, story.matched, ...daysAfter(), story.matched, story.retracted);
    },
    expect: "valid",
  },
];

const whole = authorization("whole", { transactionAmount: 100 });
const [part60, part40] = [posting("part 60", { amount: 60 }), posting("part 40", { amount: 40 })];
const [of60, of40] = [settlement(whole, part60), settlement(whole, part40)];
const at = (hour: number, ...parts: (typeof whole)[]) =>
  transaction("whole", hour, [whole, ...parts]);

/** A purchase of 100 settled by two debits, which are matched to these clearing legs. */
const settledInParts = (...legs: [string, string]) =>
  history(
    ...[completed(), announced(whole), created(at(0)), synced(part60)],
    matched(match("60", at(0), [part60], { cardTransactionId: legs[0] })),
    ...[announced(of60), updated(at(5, of60)), synced(part40)],
    matched(match("40", at(0), [part40], { cardTransactionId: legs[1] })),
    ...[announced(of40), updated(at(9, of60, of40))],
  );

/** MAT-08: each debit of a split purchase is matched to its own leg. */
const parts: HistoryCase[] = [
  {
    requirement: "MAT-08",
    title: "two debits are matched to the first leg",
    deliveries: () =>
      history(clearedInParts({ cardTransactionId: leg(60).pending.id }), ...daysAfter()),
    expect: "invalid",
    incomplete: "downgraded",
    lines: [7, 11],
  },
  {
    requirement: "MAT-08",
    title: "two debits are matched to the transaction that they settle",
    deliveries: () => settledInParts(at(0).id, at(0).id),
    expect: "invalid",
    incomplete: "downgraded",
  },
  {
    requirement: "MAT-08",
    title: "two debits are matched to one clearing leg, with others in between",
    deliveries: () => {
      const all = settledInParts(id("clearing leg"), id("clearing leg"));
      return [...all.slice(0, 7), ...history(authorized({ name: "kiosk" })), ...all.slice(7)];
    },
    expect: "invalid",
    incomplete: "downgraded",
  },
  {
    requirement: "MAT-08",
    title: "each debit is matched to its own purchase",
    deliveries: () => history(clearedInParts(), ...daysAfter()),
    expect: "valid",
  },
  {
    requirement: "MAT-08",
    title: "each debit is matched to another clearing leg",
    deliveries: () => settledInParts(id("first leg"), id("second leg")),
    expect: "valid",
  },
  {
    requirement: "MAT-08",
    title: "a second debit is matched to the leg of a retracted match",
    deliveries: () => {
      const better = matched(match("better", pending, [second], { score: 0.6 }));
      return history({ ...rematched(), rematched: synced(second) }, better);
    },
    expect: "valid",
  },
  {
    requirement: "MAT-08",
    title: "a second debit is matched to a leg just before the first retraction",
    deliveries: () => {
      const { retracted: retraction, rematched: _, ...story } = rematched();
      const better = matched(match("better", pending, [second], { score: 0.6 }));
      return history(story, synced(second), better, retraction, ...daysAfter());
    },
    expect: "valid",
  },
  {
    requirement: "MAT-08",
    title: "the purchase of a retired debit is matched to its replacement",
    deliveries: () => {
      const again = matched(match("again", pending, [second], { score: 0.6 }));
      return history(retired(), synced(second), again);
    },
    expect: "valid",
  },
  {
    requirement: "MAT-08",
    title: "a credit is matched to a purchase settled by a debit",
    deliveries: () => {
      const credit = posting("refund", { amount: 10, transactionType: "credit" });
      const refund = matched(match("refund", pending, [credit], { score: 0.6 }));
      return history(settledByBank(), synced(credit), refund);
    },
    expect: "valid",
  },
  {
    requirement: "MAT-10",
    title: "a late match is retracted after settlement and netting",
    deliveries: () => {
      const late = match("late", pending, [bank]);
      return history(lateMatch(), removed(bank), retracted(late, "bank_transaction_retired"));
    },
    expect: "valid",
  },
];

/** Replaced matches, and matches of a split purchase. */
export const rematchCases: readonly HistoryCase[] = [...rematches, ...parts];
