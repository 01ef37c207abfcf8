import type { HistoryCase } from "./case.ts";
import { altered, type Delivery, history } from "./delivery.ts";
import { type transaction, updated } from "./money.ts";
import { completed, id } from "./resources.ts";
import { authorized, movement, purchase, settledByBank, thenCleared } from "./scenarios.ts";

const { auth, settled, at } = purchase();

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
  incomplete: "reported",
  lines: [2],
});

/** MSG-12: the projection agrees with the standalone message. */
const projections: HistoryCase[] = [
  contradiction("the projected approvalCode differs", (message) => {
    message.approvalCode = "000003";
  }),
  contradiction("the projected approvalCode is null, but not the message's", (message) => {
    message.approvalCode = null;
  }),
  {
    requirement: "MSG-12",
    title: "the projected inherited approvalCode of a bank's message differs",
    deliveries: () => {
      const story = settledByBank();
      const wrong = projecting(story.settled, (message) => {
        message.approvalCode = "000003";
      });
      return history({ ...story, settled: wrong });
    },
    expect: "derived",
    incomplete: "reported",
    lines: [7],
  },
  contradiction("the projected amount differs", (message) => {
    message.transactionAmount = 42.51;
  }),
  contradiction("the projected transactionReference differs", (message) => {
    message.transactionReference = "ref-other";
  }),
  contradiction("the projected dateTime differs", (message) => {
    message.dateTime = "2025-03-03T08:00:01";
  }),
  contradiction("the projected result differs", (message) => {
    message.result = "DECLINED";
  }),
  contradiction("the projected cardId differs", (message) => {
    message.cardId = id("another card");
  }),
  {
    requirement: "MSG-12",
    title: "the projection differs inside bankData, in the second snapshot only",
    deliveries: () => {
      const story = settledByBank();
      const wrong = projecting(updated(at(11, [auth, settled])), ({ bankData }) => {
        if (bankData) bankData.personalFinanceCategory.primary = "TRAVEL";
      });
      return history(story, wrong);
    },
    expect: "derived",
    incomplete: "reported",
    lines: [8],
  },
  {
    requirement: "MSG-12",
    title: "the message follows a projection that contradicts it",
    deliveries: () => {
      const { authorized: message, pending } = authorized();
      const wrong = projecting(pending, (projected) => {
        projected.cardholderBillingAmount = 50;
      });
      return history(wrong, message);
    },
    expect: "derived",
    incomplete: "reported",
  },
  {
    requirement: "MSG-12",
    title: "the message is abridged, but not its projection",
    deliveries: () => {
      const story = settledByBank();
      const abridged = altered(story.posted, (body) => {
        delete body.transactionReference;
        delete body.cardholderBillingAmount;
        delete body.cardholderBillingCurrency;
        delete body.dateTime;
        delete body.bankData;
        delete body.approvalCode;
        delete body.cardId;
      });
      return history({ ...story, posted: abridged });
    },
    expect: "valid",
  },
  {
    requirement: "MSG-12",
    title: "null fields of the message are absent in the projection",
    deliveries: () => {
      const story = movement();
      const sparse = projecting(story.standalone, (message) => {
        delete message.approvalCode;
      });
      return history(completed(), { ...story, standalone: sparse });
    },
    expect: "valid",
  },
  {
    requirement: "MSG-12",
    title: "unknown members differ",
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
    title: "superseded becomes true, which a message does not have",
    deliveries: () => history(thenCleared()),
    expect: "valid",
  },
];

/** A transaction's projection of its messages. */
export const projectionCases: readonly HistoryCase[] = projections;
