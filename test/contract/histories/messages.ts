import type { HistoryCase } from "./case.ts";
import { altered, type Delivery, history, respelled, without } from "./delivery.ts";
import { announced, enriched, settlement, type transaction, updated } from "./money.ts";
import {
  authorized,
  daysAfter,
  lateMatch,
  movement,
  purchase,
  settledByBank,
  thenCleared,
} from "./stories.ts";
import { changed, completed, feedMoved, id, posting, removed, subscribed } from "./world.ts";

const { auth, settled, at } = purchase();
const off = { projected: false };

/** MSG-09: one message, one content. */
const repeats: HistoryCase[] = [
  {
    requirement: "MSG-09",
    title: "a message is announced again with another amount",
    deliveries: () => {
      const { authorized: first, ...story } = settledByBank(off);
      return history(first, announced({ ...auth, transactionAmount: 43 }), story);
    },
    expect: "invalid",
    incomplete: "judged",
    lines: [1, 2],
  },
  {
    requirement: "MSG-09",
    title: "a message is announced again much later with another approvalCode",
    deliveries: () =>
      history(settledByBank(off), ...daysAfter(), announced({ ...settled, approvalCode: "1" })),
    expect: "invalid",
    incomplete: "judged",
  },
  {
    requirement: "MSG-09",
    title: "the bankData of a message differs deep inside when it is announced again",
    deliveries: () => {
      const story = movement("rent", off);
      const other = altered(story.announced, (body) => {
        if (body.bankData) body.bankData.personalFinanceCategory.detailed = "RENT";
      });
      return history(completed(), story, other);
    },
    expect: "invalid",
    incomplete: "judged",
  },
  {
    requirement: "MSG-09",
    title: "messages are announced again in other bytes, at once and much later",
    deliveries: () => {
      const story = settledByBank();
      const bytes = respelled(story.posted);
      return history(story, bytes, ...daysAfter(), respelled(story.authorized), bytes);
    },
    expect: "valid",
  },
  {
    requirement: "MSG-09",
    title: "the envelope of a repeat differs",
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
    incomplete: "excused",
  },
  {
    requirement: "MSG-11",
    title: "a settlement's message names another bank transaction than any announced",
    deliveries: () => {
      const other = settlement(auth, posting("ghost"));
      const last = updated(at(10, [auth, other], off));
      return history({ ...settledByBank(off), posted: announced(other), settled: last });
    },
    expect: "invalid",
    incomplete: "excused",
  },
  {
    requirement: "MSG-11",
    title: "only the projection of an abridged message names the unknown bank transaction",
    deliveries: () => {
      const other = settlement(auth, posting("ghost"));
      const abridged = altered(announced(other), (body) => {
        delete body.bankData;
      });
      const last = updated(at(10, [auth, other]));
      return history({ ...settledByBank(), posted: abridged, settled: last });
    },
    expect: "invalid",
    incomplete: "excused",
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

type Projected = NonNullable<
  NonNullable<ReturnType<typeof transaction>["_embedded"]>["messages"]
>[number];

/** The transaction with the projection of its last message changed. */
function projecting<Name extends "transaction.created" | "transaction.updated">(
  delivery: Delivery<Name>,
  change: (message: Projected) => void,
): Delivery<Name> {
  return altered(delivery, (body) => {
    const last = (body as ReturnType<typeof transaction>)._embedded?.messages?.at(-1);
    if (last) change(last);
  });
}

/** A PENDING purchase whose projection disagrees with its message in one place. */
const contradiction = (title: string, change: (message: Projected) => void): HistoryCase => ({
  requirement: "MSG-12",
  title,
  deliveries: () => {
    const story = authorized();
    return history({ ...story, pending: projecting(story.pending, change) });
  },
  expect: "derived",
  incomplete: "judged",
  lines: [2],
});

/** MSG-12: the projection agrees with the standalone message. */
const projections: HistoryCase[] = [
  contradiction("the projected approvalCode is another", (message) => {
    message.approvalCode = "000003";
  }),
  contradiction("the projected approvalCode is null, the message's isn't", (message) => {
    message.approvalCode = null;
  }),
  contradiction("the projected amount is another", (message) => {
    message.transactionAmount = 42.51;
  }),
  contradiction("the projected transactionReference is another", (message) => {
    message.transactionReference = "ref-other";
  }),
  contradiction("the projected dateTime is another", (message) => {
    message.dateTime = "2025-03-03T08:00:01";
  }),
  contradiction("the projected result is another", (message) => {
    message.result = "DECLINED";
  }),
  contradiction("the projected cardId is another", (message) => {
    message.cardId = id("another card");
  }),
  {
    requirement: "MSG-12",
    title: "bankData is another deep inside, in the second snapshot only",
    deliveries: () => {
      const story = settledByBank();
      const wrong = projecting(updated(at(11, [auth, settled])), ({ bankData }) => {
        if (bankData) bankData.personalFinanceCategory.primary = "TRAVEL";
      });
      return history(story, wrong);
    },
    expect: "derived",
    incomplete: "judged",
    lines: [8],
  },
  {
    requirement: "MSG-12",
    title: "the message comes after the projection that contradicts it",
    deliveries: () => {
      const { authorized: message, pending } = authorized();
      const wrong = projecting(pending, (projected) => {
        projected.cardholderBillingAmount = 50;
      });
      return history(wrong, message);
    },
    expect: "derived",
    incomplete: "judged",
  },
  {
    requirement: "MSG-12",
    title: "the message is abridged, its projection full",
    deliveries: () => {
      const story = settledByBank();
      const abridged = altered(story.posted, (body) => {
        delete body.transactionReference;
        delete body.cardholderBillingAmount;
        delete body.cardholderBillingCurrency;
        delete body.dateTime;
        delete body.bankData;
        delete body.traceId;
        delete body.approvalCode;
        delete body.cardId;
      });
      return history({ ...story, posted: abridged });
    },
    expect: "valid",
  },
  {
    requirement: "MSG-12",
    title: "what is null in the message is absent in the projection",
    deliveries: () => {
      const story = movement();
      const sparse = projecting(story.standalone, (message) => {
        delete message.approvalCode;
        delete message.traceId;
      });
      return history(completed(), { ...story, standalone: sparse });
    },
    expect: "valid",
  },
  {
    requirement: "MSG-12",
    title: "members that the table doesn't have differ",
    deliveries: () => {
      const story = authorized();
      const message = altered(story.authorized, (body) => {
        Object.assign(body, { channel: "push" });
        Object.assign(body._links, { card: { href: `/cards/${body.cardId}` } });
      });
      const pending = projecting(story.pending, (body) => {
        Object.assign(body, { channel: "embedded" });
      });
      return history(message, pending);
    },
    expect: "valid",
  },
  {
    requirement: "MSG-12",
    title: "superseded becomes true, which the message doesn't have",
    deliveries: () => history(thenCleared()),
    expect: "valid",
  },
];

/** CONV-09: what a payload links to, some event announces. */
const links: HistoryCase[] = [
  {
    requirement: "CONV-09",
    title: "a purchase lists a message that is never announced",
    deliveries: () => history(without(settledByBank(), "posted"), movement()),
    expect: "derived",
    incomplete: "excused",
    lines: [6],
  },
  {
    requirement: "CONV-09",
    title: "a purchase lists a message that is never announced, projection switched off",
    deliveries: () => history(without(authorized(off), "authorized"), movement()),
    expect: "derived",
    incomplete: "excused",
  },
  {
    requirement: "CONV-09",
    title: "an enrichment is of a message that is never announced",
    deliveries: () => history(authorized(), enriched(settled), movement()),
    expect: "derived",
    incomplete: "excused",
  },
  {
    requirement: "CONV-09",
    title: "a subscription is linked to a bank account that no link brought",
    deliveries: () =>
      history(
        completed(),
        subscribed("one"),
        changed("one", { bankAccountId: id("another account") }),
      ),
    expect: "derived",
    incomplete: "excused",
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
    title: "cards and subaccounts are linked that no event announces",
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

export const messageCases: readonly HistoryCase[] = [
  ...repeats,
  ...bankIds,
  ...projections,
  ...links,
];
