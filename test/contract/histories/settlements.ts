import type { HistoryCase } from "./case.ts";
import { altered, history, without } from "./delivery.ts";
import {
  announced,
  authorization,
  clearing,
  created,
  type Message,
  match,
  matched,
  retracted,
  settlement,
  synthetic,
  transaction,
  updated,
} from "./money.ts";
import {
  authorized,
  daysAfter,
  duplicatedTwice,
  lateMatch,
  movement,
  purchase,
  settledByBank,
  thenCleared,
} from "./stories.ts";
import { completed, posting, removed, synced } from "./world.ts";

const { auth, bank, settled, cleared, at, pending } = purchase();
const off = { projected: false };

/** The settlement by a bank posting, whose message has something of its own. */
function settledWith(over: Partial<Message>, options: Parameters<typeof purchase>[0] = {}) {
  const parts = purchase(options);
  const message = settlement(parts.auth, parts.bank, over);
  return history({
    ...settledByBank(options),
    posted: announced(message),
    settled: updated(parts.at(10, [parts.auth, message])),
  });
}

/** TXN-12: a bank posting matched with high confidence settles the purchase. */
const settlements: HistoryCase[] = [
  {
    requirement: "TXN-12",
    title: "the bank's message has a transactionReference of its own",
    deliveries: () => settledWith({ transactionReference: "ref-other" }),
    expect: "invalid",
  },
  {
    requirement: "TXN-12",
    title: "the bank's message has an approvalCode of its own, projection switched off",
    deliveries: () => settledWith({ approvalCode: "000001" }, off),
    expect: "invalid",
  },
  {
    requirement: "TXN-12",
    title: "the bank's message has no approvalCode, the authorization has",
    deliveries: () => settledWith({ approvalCode: null }),
    expect: "invalid",
  },
  {
    requirement: "TXN-12",
    title: "the bank's message is of another network",
    deliveries: () => settledWith({ network: "NETWORK_B" }),
    expect: "invalid",
  },
  {
    requirement: "TXN-12",
    title: "a HIGH match never settles the PENDING purchase",
    deliveries: () => history(without(settledByBank(), "posted", "settled"), ...daysAfter()),
    expect: "invalid",
    incomplete: "excused",
  },
  {
    requirement: "TXN-12",
    title: "an authorization of NETWORK_C has no approvalCode to inherit",
    deliveries: () =>
      settledWith({}, { auth: { network: "NETWORK_C", approvalCode: null, traceId: "000734" } }),
    expect: "valid",
  },
  {
    requirement: "TXN-12",
    title: "the bank's message inherits from the later of two authorizations",
    deliveries: () => {
      const second = authorization("second", { approvalCode: "777777" });
      const message = settlement(second, bank);
      return history(
        ...[completed(), announced(auth), created(pending), announced(second)],
        updated(at(1, [auth, second])),
        ...[synced(bank), matched(match("cafe", pending, [bank])), announced(message)],
        updated(at(10, [auth, second, message])),
      );
    },
    expect: "valid",
  },
  {
    requirement: "TXN-12",
    title: "the bank's message is abridged and the projection switched off",
    deliveries: () => {
      const story = settledByBank(off);
      const abridged = altered(story.posted, (body) => {
        delete body.transactionReference;
        delete body.approvalCode;
      });
      return history({ ...story, posted: abridged });
    },
    expect: "valid",
  },
  {
    requirement: "TXN-12",
    title: "the network's own clearing has another approvalCode",
    deliveries: () => {
      const message = { ...cleared, approvalCode: "000002" };
      const revised = updated(at(58, [auth, settled, message], { superseded: [settled] }));
      return history({ ...thenCleared(), cleared: announced(message), revised });
    },
    expect: "valid",
  },
  ...[0.6, 0.3].map(
    (score): HistoryCase => ({
      requirement: "TXN-12",
      title: `a match of score ${score} settles nothing`,
      deliveries: () =>
        history(
          {
            ...without(settledByBank(), "posted", "settled"),
            matched: matched(match("cafe", pending, [bank], { score })),
          },
          ...daysAfter(),
        ),
      expect: "valid",
    }),
  ),
];

/** TXN-13: the network's clearing makes the bank's message superseded, in the same update. */
const clearings: HistoryCase[] = [
  {
    requirement: "TXN-13",
    title: "the clearing arrives and the bank's message counts on",
    deliveries: () =>
      history({ ...thenCleared(), revised: updated(at(58, [auth, settled, cleared])) }),
    expect: "invalid",
    lines: [9],
  },
  {
    requirement: "TXN-13",
    title: "the bank's message is marked one update after the clearing, projection off",
    deliveries: () =>
      history(
        { ...thenCleared(off), revised: updated(at(57, [auth, settled, cleared], off)) },
        updated(at(58, [auth, settled, cleared], { superseded: [settled], ...off })),
      ),
    expect: "invalid",
  },
  {
    requirement: "TXN-13",
    title: "a clearing of a revised amount leaves the bank's message unmarked",
    deliveries: () => {
      const more = clearing(auth, 45);
      const revised = updated(at(58, [auth, settled, more]));
      return history({ ...thenCleared(), cleared: announced(more), revised });
    },
    expect: "invalid",
  },
  {
    requirement: "TXN-13",
    title: "the update that announces the clearing marks the bank's message",
    deliveries: () => history(thenCleared()),
    expect: "valid",
  },
  {
    requirement: "TXN-13",
    title: "a bank message that comes after the clearing is superseded from the start",
    deliveries: () => history(duplicatedTwice()),
    expect: "valid",
  },
  {
    requirement: "TXN-13",
    title: "the network clears the part that the bank hasn't posted",
    deliveries: () => {
      const options = { auth: { transactionAmount: 100 }, bank: { amount: 60 } };
      const part = purchase(options);
      const rest = clearing(part.auth, 40);
      const revised = updated(part.at(58, [part.auth, part.settled, rest]));
      return history(settledByBank(options), announced(rest), revised);
    },
    expect: "valid",
  },
];

const message = synthetic(bank);
const standalone = (hour: number, over = {}, projected = true) =>
  updated(transaction("standalone", hour, [message], { projected, over }));

/** TXN-14: a standalone whose movement matches a card is netted to 0, whatever the confidence. */
const nettings: HistoryCase[] = [
  ...[0.93, 0.6, 0.3].map(
    (score): HistoryCase => ({
      requirement: "TXN-14",
      title: `the standalone is never netted after a match of score ${score}`,
      deliveries: () => history(without(lateMatch(score), "netted"), ...daysAfter()),
      expect: "invalid",
      incomplete: "excused",
    }),
  ),
  {
    requirement: "TXN-14",
    title: "the standalone is never netted, projection switched off",
    deliveries: () => history(without(lateMatch(0.6, off), "netted"), ...daysAfter()),
    expect: "invalid",
    incomplete: "excused",
  },
  {
    requirement: "TXN-14",
    title: "the standalone is revised, not to 0",
    deliveries: () => {
      const over = { transactionSettledAmount: 10, cardholderBillingSettledAmount: 10 };
      return history({ ...lateMatch(0.6, off), netted: standalone(30, over, false) });
    },
    expect: "invalid",
    incomplete: "excused",
  },
  {
    requirement: "TXN-14",
    title: "of the standalone's settled amounts the cardholder's stays",
    deliveries: () => {
      const over = { transactionSettledAmount: 0 };
      return history({ ...lateMatch(0.93, off), netted: standalone(30, over, false) });
    },
    expect: "invalid",
    incomplete: "excused",
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
    title: "another update of the standalone comes before the one that nets it",
    deliveries: () => {
      const { netted, ...story } = lateMatch(0.6);
      return history(story, standalone(29), netted);
    },
    expect: "valid",
  },
  {
    requirement: "TXN-14",
    title: "the match is taken back before the standalone is netted",
    deliveries: () => {
      const late = match("late", pending, [bank], { score: 0.6 });
      const story = without(lateMatch(0.6), "netted");
      return history(story, retracted(late, "rematch_superseded"), ...daysAfter());
    },
    expect: "valid",
  },
  {
    requirement: "TXN-14",
    title: "the twin of a matched movement stands alone, and keeps its amount when retired",
    deliveries: () => {
      const twin = posting("twin");
      const {
        synced: seen,
        announced: told,
        standalone: alone,
      } = movement("twin", {
        bank: { amount: 42.5 },
      });
      const { link, ...story } = settledByBank();
      return history(
        link,
        seen,
        story,
        told,
        alone,
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
    incomplete: "excused",
  },
  {
    requirement: "TXN-15",
    title: "the message of a bank-only movement never comes, projection switched off",
    deliveries: () =>
      history(completed(), without(movement("rent", off), "announced"), movement("gas")),
    expect: "invalid",
    incomplete: "excused",
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
    title: "two bank-only movements are announced, each before its transaction",
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
    title: "the bank transaction is announced last",
    deliveries: () => {
      const { synced: seen, ...story } = movement();
      return history(completed(), story, seen);
    },
    expect: "valid",
  },
  {
    requirement: "TXN-15",
    title: "the message of a purchase comes after its transaction, which no rule orders",
    deliveries: () => {
      const story = authorized();
      return history(story.pending, story.authorized);
    },
    expect: "valid",
  },
];

/** MSG-03: a superseded message stays listed. */
const listings: HistoryCase[] = [
  ...[true, false].map(
    (projected): HistoryCase => ({
      requirement: "MSG-03",
      title: `a superseded message is listed no more, projection ${projected ? "on" : "off"}`,
      deliveries: () =>
        history(thenCleared({ projected }), updated(at(70, [auth, cleared], { projected }))),
      expect: "invalid",
      alsoAcceptable: ["TXN-11"], // its id has to leave supersededMessageIds too (TXN-06)
      incomplete: "excused",
    }),
  ),
  {
    requirement: "MSG-03",
    title: "one of two superseded messages is listed no more",
    deliveries: () => {
      const again = settlement(auth, posting("cafe again"));
      const left = updated(at(90, [auth, cleared, again], { superseded: [again] }));
      return history(duplicatedTwice(), left);
    },
    expect: "invalid",
    alsoAcceptable: ["TXN-11"],
    incomplete: "excused",
  },
  {
    requirement: "MSG-03",
    title: "a superseded message stays listed in what follows",
    deliveries: () => {
      const refund = clearing(auth, -10, "refund");
      const all = updated(at(90, [settled, auth, cleared, refund], { superseded: [settled] }));
      return history(thenCleared(), announced(refund), all);
    },
    expect: "valid",
  },
];

/** What is `driven`, and a complete history shows plainly all the same. */
export const settlementCases: readonly HistoryCase[] = [
  ...settlements,
  ...clearings,
  ...nettings,
  ...movements,
  ...listings,
];
