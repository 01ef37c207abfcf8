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
  settlement,
  updated,
} from "./money.ts";
import { completed, synced } from "./resources.ts";
import { daysAfter, duplicatedTwice, purchase, settledByBank, thenCleared } from "./scenarios.ts";

const { auth, bank, settled, cleared, at, pending } = purchase();
const off = { projected: false };

/** The settlement by a bank posting, with changes to its message. */
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
    title: "the bank's message has another transactionReference",
    deliveries: () => settledWith({ transactionReference: "ref-other" }),
    expect: "invalid",
  },
  {
    requirement: "TXN-12",
    title: "the bank's message has another approvalCode, projection off",
    deliveries: () => settledWith({ approvalCode: "000001" }, off),
    expect: "invalid",
  },
  {
    requirement: "TXN-12",
    title: "the bank's message lacks the authorization's approvalCode",
    deliveries: () => settledWith({ approvalCode: null }),
    expect: "invalid",
  },
  {
    requirement: "TXN-12",
    title: "the bank's full message has no approvalCode",
    deliveries: () => {
      const without = (message: { approvalCode?: string | null } | undefined) =>
        delete message?.approvalCode;
      const story = settledByBank();
      const posted = altered(story.posted, without);
      const last = altered(story.settled, (body) => {
        without(body._embedded?.messages?.at(-1));
      });
      return history({ ...story, posted, settled: last });
    },
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
    incomplete: "downgraded",
  },
  {
    requirement: "TXN-12",
    title: "a purchase stays PENDING when the bank's message settles all of it",
    deliveries: () => {
      const still = at(10, [auth, settled], { over: { status: "PENDING" } });
      return history({ ...settledByBank(), settled: updated(still) }, ...daysAfter());
    },
    expect: "invalid",
    incomplete: "downgraded",
    lines: [5],
  },
  {
    requirement: "TXN-12",
    title: "a purchase is settled by its HIGH match and no message is added",
    deliveries: () => {
      const over = { status: "SETTLED", transactionSettledAmount: 42.5 };
      const bare = at(10, [auth], { over: { ...over, cardholderBillingSettledAmount: 42.5 } });
      return history({ ...without(settledByBank(), "posted"), settled: updated(bare) });
    },
    expect: "invalid",
    incomplete: "downgraded",
  },
  {
    requirement: "TXN-12",
    title: "the bank's message settles a part, the purchase stays PENDING",
    deliveries: () => {
      const options = { auth: { transactionAmount: 100 }, bank: { amount: 60 } };
      const part = purchase(options);
      const still = part.at(10, [part.auth, part.settled], { over: { status: "PENDING" } });
      return history({ ...settledByBank(options), settled: updated(still) });
    },
    expect: "valid",
  },
  {
    requirement: "TXN-12",
    title: "a purchase has an unknown status after its HIGH match",
    deliveries: () =>
      history(
        without(settledByBank(), "posted", "settled"),
        updated(at(10, [auth], { over: { status: "CLEARED" } })),
        ...daysAfter(),
      ),
    expect: "notice",
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
    title: "the bank's message inherits from the later authorization",
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
    title: "the bank's message is abridged, projection off",
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
  {
    requirement: "TXN-12",
    title: "on NETWORK_C the transactionReference may differ",
    deliveries: () =>
      settledWith(
        { transactionReference: "ref-other" },
        { auth: { network: "NETWORK_C", approvalCode: null, traceId: "000734" } },
      ),
    expect: "notice",
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
    title: "the bank's message still counts after the clearing",
    deliveries: () =>
      history({ ...thenCleared(), revised: updated(at(58, [auth, settled, cleared])) }),
    expect: "invalid",
    lines: [9],
  },
  {
    requirement: "TXN-13",
    title: "the bank's message is superseded one update late, projection off",
    deliveries: () =>
      history(
        { ...thenCleared(off), revised: updated(at(57, [auth, settled, cleared], off)) },
        updated(at(58, [auth, settled, cleared], { superseded: [settled], ...off })),
      ),
    expect: "invalid",
  },
  {
    requirement: "TXN-13",
    title: "a clearing with another amount does not supersede the bank's",
    deliveries: () => {
      const more = clearing(auth, 45);
      const revised = updated(at(58, [auth, settled, more]));
      return history({ ...thenCleared(), cleared: announced(more), revised });
    },
    expect: "invalid",
  },
  ...[true, false].map(
    (projected): HistoryCase => ({
      requirement: "TXN-13",
      title: `the clearing is superseded, not the bank's, projection ${projected}`,
      deliveries: () => {
        const wrong = at(58, [auth, settled, cleared], { superseded: [cleared], projected });
        return history({ ...thenCleared({ projected }), revised: updated(wrong) });
      },
      expect: "invalid",
      incomplete: "downgraded",
      lines: [9],
    }),
  ),
  {
    requirement: "TXN-13",
    title: "the update with the clearing supersedes the bank's message",
    deliveries: () => history(thenCleared()),
    expect: "valid",
  },
  ...["NETWORK_B", "NETWORK_C"].map(
    (network): HistoryCase => ({
      requirement: "TXN-13",
      title: `a purchase on ${network} is settled by the bank, then cleared`,
      deliveries: () => {
        const traced = { approvalCode: null, traceId: "0000734" };
        return history(thenCleared({ auth: { network, ...(network === "NETWORK_C" && traced) } }));
      },
      expect: "valid",
    }),
  ),
  {
    requirement: "TXN-13",
    title: "a bank message after the clearing is superseded at once",
    deliveries: () => history(duplicatedTwice()),
    expect: "valid",
  },
  {
    requirement: "TXN-13",
    title: "the network clears the part that the bank has not posted",
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

/** Requirements marked `driven` that a complete history shows. */
export const settlementCases: readonly HistoryCase[] = [...settlements, ...clearings];
