import type { HistoryCase } from "./case.ts";
import { altered, history, respelled, without } from "./delivery.ts";
import { announced, clearing, enriched, settlement, updated } from "./money.ts";
import { changed, completed, feedMoved, id, posting, removed, subscribed } from "./resources.ts";
import {
  authorized,
  daysAfter,
  duplicatedTwice,
  lateMatch,
  movement,
  purchase,
  settledByBank,
  thenCleared,
} from "./scenarios.ts";

const { auth, settled, cleared, at } = purchase();
const off = { projected: false };

/** MSG-09: a message has one content. */
const repeats: HistoryCase[] = [
  {
    requirement: "MSG-09",
    title: "a message is announced again with another amount",
    deliveries: () => {
      const { authorized: first, ...story } = settledByBank(off);
      return history(first, announced({ ...auth, transactionAmount: 43 }), story);
    },
    expect: "invalid",
    incomplete: "reported",
    lines: [1, 2],
  },
  {
    requirement: "MSG-09",
    title: "a message is announced again much later with another approvalCode",
    deliveries: () =>
      history(settledByBank(off), ...daysAfter(), announced({ ...settled, approvalCode: "1" })),
    expect: "invalid",
    incomplete: "reported",
  },
  {
    requirement: "MSG-09",
    title: "a repeated message differs inside bankData",
    deliveries: () => {
      const story = movement("rent", off);
      const other = altered(story.announced, (body) => {
        if (body.bankData) body.bankData.personalFinanceCategory.detailed = "RENT";
      });
      return history(completed(), story, other);
    },
    expect: "invalid",
    incomplete: "reported",
  },
  {
    requirement: "MSG-09",
    title: "messages are repeated with other bytes, at once and much later",
    deliveries: () => {
      const story = settledByBank();
      const bytes = respelled(story.posted);
      return history(story, bytes, ...daysAfter(), respelled(story.authorized), bytes);
    },
    expect: "valid",
  },
  {
    requirement: "MSG-09",
    title: "a repeat has other metadata",
    deliveries: () => {
      const story = authorized();
      const again = altered(story.authorized, (body) => {
        body.metadata = { attempt: 2 };
      });
      return history(story, again);
    },
    expect: "valid",
  },
];

/** MSG-11: a message's bankTransactionId is announced by banktransaction.created. */
const bankIds: HistoryCase[] = [
  {
    requirement: "MSG-11",
    title: "a bank-only message names a bank transaction that is never announced",
    deliveries: () => history(completed(), without(movement(), "synced"), movement("gas")),
    expect: "invalid",
    incomplete: "downgraded",
  },
  {
    requirement: "MSG-11",
    title: "a settlement's message names an unannounced bank transaction",
    deliveries: () => {
      const other = settlement(auth, posting("ghost"));
      const last = updated(at(10, [auth, other], off));
      return history({ ...settledByBank(off), posted: announced(other), settled: last });
    },
    expect: "invalid",
    incomplete: "downgraded",
  },
  {
    requirement: "MSG-11",
    title: "only a projection names an unannounced bank transaction",
    deliveries: () => {
      const other = settlement(auth, posting("ghost"));
      const abridged = altered(announced(other), (body) => {
        delete body.bankData;
      });
      const last = updated(at(10, [auth, other]));
      return history({ ...settledByBank(), posted: abridged, settled: last });
    },
    expect: "invalid",
    incomplete: "downgraded",
  },
  {
    requirement: "MSG-11",
    title: "two messages name one bank transaction",
    deliveries: () => history(lateMatch()),
    expect: "valid",
  },
  {
    requirement: "MSG-11",
    title: "the bank transaction is announced after the message that names it",
    deliveries: () => {
      const { synced: seen, ...story } = movement("rent", off);
      return history(completed(), story, ...daysAfter(), seen);
    },
    expect: "valid",
  },
  {
    requirement: "MSG-11",
    title: "the bank transaction is removed after the message that names it",
    deliveries: () => history(completed(), movement(), removed(posting("rent"))),
    expect: "valid",
  },
];

/** MSG-03: a superseded message stays listed. */
const listings: HistoryCase[] = [
  ...[true, false].map(
    (projected): HistoryCase => ({
      requirement: "MSG-03",
      title: `a superseded message is no longer listed, projection ${projected ? "on" : "off"}`,
      deliveries: () =>
        history(thenCleared({ projected }), updated(at(70, [auth, cleared], { projected }))),
      expect: "invalid",
      alsoAcceptable: ["TXN-11"], // its id has to leave supersededMessageIds too (TXN-06)
      incomplete: "downgraded",
    }),
  ),
  {
    requirement: "MSG-03",
    title: "one of two superseded messages is no longer listed",
    deliveries: () => {
      const again = settlement(auth, posting("cafe again"));
      const left = updated(at(90, [auth, cleared, again], { superseded: [again] }));
      return history(duplicatedTwice(), left);
    },
    expect: "invalid",
    alsoAcceptable: ["TXN-11"],
    incomplete: "downgraded",
  },
  {
    requirement: "MSG-03",
    title: "a superseded message stays listed in later updates",
    deliveries: () => {
      const refund = clearing(auth, -10, "refund");
      const all = updated(at(90, [settled, auth, cleared, refund], { superseded: [settled] }));
      return history(thenCleared(), announced(refund), all);
    },
    expect: "valid",
  },
];

/** CONV-09: an event announces each linked resource. */
const links: HistoryCase[] = [
  {
    requirement: "CONV-09",
    title: "a purchase lists a message that is never announced",
    deliveries: () => history(without(settledByBank(), "posted"), movement()),
    expect: "derived",
    incomplete: "downgraded",
    lines: [6],
  },
  {
    requirement: "CONV-09",
    title: "a purchase lists an unannounced message, projection off",
    deliveries: () => history(without(authorized(off), "authorized"), movement()),
    expect: "derived",
    incomplete: "downgraded",
  },
  {
    requirement: "CONV-09",
    title: "an enrichment names a message that is never announced",
    deliveries: () => history(authorized(), enriched(settled), movement()),
    expect: "derived",
    incomplete: "downgraded",
  },
  {
    requirement: "CONV-09",
    title: "a subscription names a bank account that no link completed",
    deliveries: () =>
      history(
        completed(),
        subscribed("one"),
        changed("one", { bankAccountId: id("another account") }),
      ),
    expect: "derived",
    incomplete: "downgraded",
  },
  {
    requirement: "CONV-09",
    title: "a message is announced after the purchase that lists it",
    deliveries: () => {
      const { authorized: message, pending } = authorized();
      return history(pending, ...daysAfter(), message);
    },
    expect: "valid",
  },
  {
    requirement: "CONV-09",
    title: "an enrichment comes before its message and is repeated after it",
    deliveries: () => history(enriched(auth), authorized(), enriched(auth)),
    expect: "valid",
  },
  {
    requirement: "CONV-09",
    title: "links lead to cards and subaccounts that no event announces",
    deliveries: () => history(authorized(), subscribed("one")),
    expect: "valid",
  },
  {
    requirement: "CONV-09",
    title: "a bulk feed is announced after the card that it enrolled",
    deliveries: () =>
      history(
        subscribed("bulk", { type: "network-bulk", state: "active" }),
        feedMoved("submitted", "active"),
      ),
    expect: "valid",
  },
];

export const messageCases: readonly HistoryCase[] = [...repeats, ...bankIds, ...listings, ...links];
