import type { HistoryCase } from "./case.ts";
import { altered, history, without } from "./delivery.ts";
import {
  announced,
  created,
  match,
  matched,
  NETTED,
  retracted,
  synthetic,
  transaction,
  updated,
} from "./money.ts";
import { CARD, completed, posting, removed, synced } from "./resources.ts";
import {
  authorized,
  daysAfter,
  lateMatch,
  movement,
  purchase,
  settledByBank,
} from "./scenarios.ts";

const { bank, pending } = purchase();
const off = { projected: false };

const message = synthetic(bank);
const standalone = (hour: number, over = {}, projected = true) =>
  updated(transaction("standalone", hour, [message], { projected, over }));

/** TXN-14: a standalone whose movement matches a card is netted to 0 at any confidence. */
const nettings: HistoryCase[] = [
  ...[0.93, 0.6, 0.3].map(
    (score): HistoryCase => ({
      requirement: "TXN-14",
      title: `the standalone is never netted after a match of score ${score}`,
      deliveries: () => history(without(lateMatch(score), "netted"), ...daysAfter()),
      expect: "invalid",
      incomplete: "downgraded",
    }),
  ),
  {
    requirement: "TXN-14",
    title: "the standalone is never netted, projection off",
    deliveries: () => history(without(lateMatch(0.6, off), "netted"), ...daysAfter()),
    expect: "invalid",
    incomplete: "downgraded",
  },
  {
    requirement: "TXN-14",
    title: "the standalone's amount is revised, but not to 0",
    deliveries: () => {
      const over = { transactionSettledAmount: 10, cardholderBillingSettledAmount: 10 };
      return history({ ...lateMatch(0.6, off), netted: standalone(30, over, false) });
    },
    expect: "invalid",
    incomplete: "downgraded",
  },
  {
    requirement: "TXN-14",
    title: "only one of the standalone's settled amounts becomes 0",
    deliveries: () => {
      const over = { transactionSettledAmount: 0 };
      return history({ ...lateMatch(0.93, off), netted: standalone(30, over, false) });
    },
    expect: "invalid",
    incomplete: "downgraded",
  },
  ...[0.93, 0.6, 0.3].map(
    (score): HistoryCase => ({
      requirement: "TXN-14",
      title: `the standalone is netted after a match of score ${score}`,
      deliveries: () => history(lateMatch(score), ...daysAfter()),
      expect: "valid",
    }),
  ),
  {
    requirement: "TXN-14",
    title: "the standalone is netted before the purchase is settled",
    deliveries: () => {
      const { posted, settled: last, netted, ...story } = lateMatch();
      return posted && last ? history(story, netted, posted, last) : [];
    },
    expect: "valid",
  },
  {
    requirement: "TXN-14",
    title: "the netted standalone marks its message superseded",
    deliveries: () => {
      const nets = transaction("standalone", 30, [message], { superseded: [message] });
      return history({ ...lateMatch(), netted: updated(nets) });
    },
    expect: "valid",
  },
  {
    requirement: "TXN-14",
    title: "the standalone has another update before its netting",
    deliveries: () => {
      const { netted, ...story } = lateMatch(0.6);
      return history(story, standalone(29), netted);
    },
    expect: "valid",
  },
  {
    requirement: "TXN-14",
    title: "the match is retracted before the standalone is netted",
    deliveries: () => {
      const late = match("late", pending, [bank], { score: 0.6 });
      const story = without(lateMatch(0.6), "netted");
      return history(story, retracted(late, "rematch_superseded"), ...daysAfter());
    },
    expect: "valid",
  },
  {
    requirement: "TXN-14",
    title: "a retired duplicate's standalone keeps its amount",
    deliveries: () => {
      const twin = posting("twin");
      const {
        synced: seen,
        announced: announcement,
        standalone: bankOnly,
      } = movement("twin", {
        bank: { amount: 42.5 },
      });
      const { link, ...story } = settledByBank();
      return history(
        link,
        seen,
        story,
        announcement,
        bankOnly,
        removed(twin, { reason: "duplicate_retired" }),
      );
    },
    expect: "valid",
  },
];

/** TXN-15: a bank-only movement yields its message, then a SETTLED transaction. */
const movements: HistoryCase[] = [
  {
    requirement: "TXN-15",
    title: "the message of a bank-only movement comes after its transaction",
    deliveries: () => {
      const story = movement();
      return history(completed(), story.synced, story.standalone, story.announced);
    },
    expect: "invalid",
    incomplete: "downgraded",
  },
  {
    requirement: "TXN-15",
    title: "a bank-only movement has no message, projection off",
    deliveries: () =>
      history(completed(), without(movement("rent", off), "announced"), movement("gas")),
    expect: "invalid",
    incomplete: "downgraded",
  },
  {
    requirement: "TXN-15",
    title: "a bank-only transaction is created PENDING",
    deliveries: () => {
      const { standalone: body, ...story } = movement();
      const wrong = altered(body, (transaction) => {
        transaction.status = "PENDING";
      });
      return history(completed(), story, wrong);
    },
    expect: "invalid",
  },
  {
    requirement: "TXN-15",
    title: "two bank-only messages each precede their transaction",
    deliveries: () => {
      const [rent, gas] = [movement(), movement("gas", off)];
      return history(
        completed(),
        ...[rent.synced, gas.synced, gas.announced, rent.announced],
        ...[gas.standalone, rent.standalone],
      );
    },
    expect: "valid",
  },
  {
    requirement: "TXN-15",
    title: "a standalone under a linked card is netted",
    deliveries: () => {
      const grouped = synthetic(bank, { cardId: CARD });
      const of = (hour: number, over = {}) => transaction("grouped", hour, [grouped], { over });
      return history(
        ...[completed(), synced(bank), announced(grouped), created(of(1))],
        authorized(),
        matched(match("late", pending, [bank], { score: 0.6 })),
        updated(of(30, NETTED)),
      );
    },
    expect: "valid",
  },
  {
    requirement: "TXN-15",
    title: "the bank transaction is announced last",
    deliveries: () => {
      const { synced: seen, ...story } = movement();
      return history(completed(), story, seen);
    },
    expect: "valid",
  },
  {
    requirement: "TXN-15",
    title: "a purchase's message follows its transaction (no order rule)",
    deliveries: () => {
      const story = authorized();
      return history(story.pending, story.authorized);
    },
    expect: "valid",
  },
];

/** Bank-only movements, and the effects of a later match. */
export const standaloneCases: readonly HistoryCase[] = [...nettings, ...movements];
