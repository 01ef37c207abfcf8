import type { HistoryCase } from "./case.ts";
import { type Delivery, respelled } from "./delivery.ts";
import {
  ACCOUNT,
  changed,
  completed,
  feedMoved,
  type SubscriptionState,
  subscribed,
} from "./resources.ts";

const BULK = { type: "network-bulk", state: "active" } as const;

/** A subscription with these states, in updates an hour apart. */
function through(first: SubscriptionState, ...states: SubscriptionState[]): readonly Delivery[] {
  return [
    completed(),
    feedMoved("submitted", "active"),
    subscribed("one", first),
    ...states.map((state, index) => changed("one", { ...first, ...state, hour: index + 1 })),
  ];
}

const moves = (
  title: string,
  expect: HistoryCase["expect"],
  ...[first, ...states]: [SubscriptionState, ...SubscriptionState[]]
): HistoryCase => ({
  requirement: "SUB-05",
  title,
  deliveries: () => through(first, ...states),
  expect,
  ...(expect === "derived" && { incomplete: "downgraded" as const }),
});

/** SUB-05: the state transitions. */
const states: HistoryCase[] = [
  moves("reqSCA moves to deactivated", "derived", {}, { state: "deactivated" }),
  moves(
    "deactivated moves to active",
    "derived",
    BULK,
    { state: "deactivated" },
    { state: "active" },
  ),
  moves(
    "deactivated moves to reqSCA",
    "derived",
    {},
    { state: "active" },
    { state: "deactivated" },
    { state: "reqSCA" },
  ),
  moves(
    "an active cardholder-single subscription moves to reqSCA",
    "derived",
    {},
    { state: "active" },
    { state: "reqSCA" },
  ),
  moves("an active network-bulk subscription moves to reqSCA", "derived", BULK, {
    state: "reqSCA",
  }),
  moves(
    "the state changes as specified",
    "valid",
    {},
    { state: "active" },
    { state: "deactivated" },
  ),
  moves("a bulk subscription is deactivated", "valid", BULK, { state: "deactivated" }),
  moves("an update keeps the state", "valid", {}, {}, { state: "active" }, { state: "active" }),
  moves(
    "an unknown state is entered and left",
    "notice",
    BULK,
    { state: "suspended" },
    { state: "active" },
  ),
  moves(
    "an unknown state is between reqSCA and deactivated",
    "notice",
    {},
    { state: "suspended" },
    { state: "deactivated" },
  ),
  {
    requirement: "SUB-05",
    title: "snapshots from before the deactivation are repeated after it",
    deliveries: () => {
      const all = through({}, { state: "active" }, { state: "deactivated" });
      return [...all, ...all.slice(2, 4).map(respelled)];
    },
    expect: "valid",
  },
  {
    requirement: "SUB-05",
    title: "the updates precede the creation, out of order",
    complete: false,
    deliveries: () => through({}, { state: "active" }, { state: "deactivated" }).toReversed(),
    expect: "notice",
  },
];

const late = { bankAccountId: ACCOUNT, hour: 3 };

/** SUB-09: one created, before any updated. */
const announcements: HistoryCase[] = [
  {
    requirement: "SUB-09",
    title: "a second created announces the next state",
    deliveries: () => [subscribed("one"), subscribed("one", { state: "active", hour: 1 })],
    expect: "invalid",
    alsoAcceptable: ["SUB-04"], // cardholder-single would start in active
    incomplete: "reported",
    lines: [1, 2],
  },
  {
    requirement: "SUB-09",
    title: "a second created has the bank account, after updates",
    deliveries: () => [
      completed(),
      subscribed("one"),
      changed("one", { hour: 2 }),
      subscribed("one", { ...late }),
    ],
    expect: "invalid",
    alsoAcceptable: ["SUB-07"], // the linking is to come as an update
    incomplete: "reported",
  },
  {
    requirement: "SUB-09",
    title: "a subscription is updated that was never created",
    deliveries: () => [subscribed("other"), changed("one", { state: "active" })],
    expect: "invalid",
    incomplete: "downgraded",
    lines: [2],
  },
  {
    requirement: "SUB-09",
    title: "the update comes before the creation",
    deliveries: () => [changed("one", { state: "active" }), subscribed("one")],
    expect: "invalid",
    incomplete: "downgraded",
  },
  {
    requirement: "SUB-09",
    title: "the creation is repeated after updates, also with other bytes",
    deliveries: () => [
      subscribed("one"),
      changed("one", { state: "active" }),
      subscribed("one"),
      respelled(subscribed("one")),
    ],
    expect: "valid",
  },
  {
    requirement: "SUB-09",
    title: "the updates of two subscriptions are interleaved",
    deliveries: () => [
      subscribed("one"),
      subscribed("two"),
      changed("two", { state: "active" }),
      changed("one", { state: "active" }),
    ],
    expect: "valid",
  },
];

const starts = (
  title: string,
  expect: HistoryCase["expect"],
  state: SubscriptionState,
): HistoryCase => ({
  requirement: "SUB-04",
  title,
  deliveries: () => [completed(), feedMoved("submitted", "active"), subscribed("one", state)],
  expect,
});

/** SUB-04: the states that enrollments start in. */
const initial: HistoryCase[] = [
  starts("cardholder-single starts in active", "invalid", { state: "active" }),
  starts("cardholder-single starts deactivated", "invalid", { state: "deactivated" }),
  starts("network-bulk starts in reqSCA", "invalid", { ...BULK, state: "reqSCA" }),
  starts("bank-feed starts in reqSCA", "invalid", { type: "bank-feed", state: "reqSCA" }),
  starts("cardholder-single starts in reqSCA", "valid", {}),
  starts("network-bulk starts in active", "valid", BULK),
  starts("bank-feed starts in active", "valid", { type: "bank-feed", state: "active" }),
  starts("a subscription starts in an unknown state", "notice", { state: "submitted" }),
];

export const subscriptionCases: readonly HistoryCase[] = [...states, ...announcements, ...initial];
