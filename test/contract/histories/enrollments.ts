import type { HistoryCase } from "./case.ts";
import { type Delivery, history, without } from "./delivery.ts";
import {
  ACCOUNT,
  account,
  changed,
  completed,
  creditAccount,
  feedMoved,
  id,
  type SubscriptionState,
  subscribed,
} from "./resources.ts";
import { upgraded } from "./scenarios.ts";

const VISA = id("visa");
const BULK = { type: "network-bulk", state: "active" } as const;

const real = { type: "cardholder-single", card: "minted", bankAccountId: VISA, hour: 5 } as const;

/** An upgrade with a wrong update. */
const wrongUpgrade = (title: string, state: SubscriptionState): HistoryCase => ({
  requirement: "SUB-06",
  title,
  deliveries: () =>
    history({ ...without(upgraded(), "cleared"), upgraded: changed("minted", state) }),
  expect: "invalid",
  incomplete: "downgraded",
  lines: [3],
});

const { bankAccountId: _, ...unlinked } = real;

/** SUB-06: the in-place upgrade of a bank-feed subscription. */
const upgrades: HistoryCase[] = [
  wrongUpgrade("the upgraded subscription stays active", { ...real, state: "active" }),
  wrongUpgrade("the upgraded subscription loses its bank account", {
    ...unlinked,
    state: "reqSCA",
  }),
  wrongUpgrade("the upgraded subscription has another bank account", {
    ...real,
    state: "reqSCA",
    bankAccountId: ACCOUNT,
  }),
  wrongUpgrade("the upgraded subscription stays bank-feed", {
    ...real,
    state: "reqSCA",
    type: "bank-feed",
  }),
  {
    requirement: "SUB-06",
    title: "the upgrade comes as a second created",
    deliveries: () => {
      const created = subscribed("minted", { ...real, state: "reqSCA" });
      return history({ ...without(upgraded(), "cleared"), upgraded: created });
    },
    expect: "invalid",
    alsoAcceptable: ["SUB-09"], // it is a second created all the same
    incomplete: "reported",
  },
  {
    requirement: "SUB-06",
    title: "the enrolled number gets another subscription than the bank-feed one",
    deliveries: () => {
      const created = subscribed("fresh", { ...real, state: "reqSCA" });
      return history({ ...without(upgraded(), "cleared"), upgraded: created });
    },
    expect: "invalid",
  },
  {
    requirement: "SUB-06",
    title: "a bank-feed subscription is upgraded in place and its SCA is cleared",
    deliveries: () => history(upgraded()),
    expect: "valid",
  },
  {
    requirement: "SUB-06",
    title: "an upgraded subscription is deactivated later",
    deliveries: () =>
      history(upgraded(), changed("minted", { ...real, state: "deactivated", hour: 9 })),
    expect: "valid",
  },
  {
    requirement: "SUB-06",
    title: "another card is enrolled in addition to the bank-feed one",
    deliveries: () =>
      history(without(upgraded(), "upgraded", "cleared"), subscribed("fresh", { hour: 5 })),
    expect: "valid",
  },
  {
    requirement: "SUB-06",
    title: "a card is enrolled again after its subscription is deactivated",
    deliveries: () =>
      history(
        without(upgraded(), "upgraded", "cleared"),
        changed("minted", { ...real, type: "bank-feed", state: "deactivated" }),
        subscribed("fresh", { card: "minted", hour: 6 }),
      ),
    expect: "valid",
  },
];

const linked = (title: string, expect: "valid" | "invalid", ...all: readonly Delivery[]) =>
  ({
    requirement: "SUB-07",
    title,
    deliveries: () => [completed(), feedMoved("submitted", "active"), ...all],
    expect,
    ...(expect === "invalid" && { incomplete: "downgraded" as const }),
  }) satisfies HistoryCase;

/** An enrollmentType change other than by upgrade or linking is unspecified. */
const layering: HistoryCase = {
  requirement: "SUB-07",
  title: "an unlinked subscription becomes network-bulk (not specified)",
  deliveries: () => [
    feedMoved("submitted", "active"),
    subscribed("one"),
    changed("one", { state: "active" }),
    changed("one", { ...BULK, hour: 2 }),
  ],
  expect: "notice",
};

const late = { bankAccountId: ACCOUNT, hour: 3 };

/** SUB-07: later linking to a bank account keeps state and enrollmentType. */
const linkings: HistoryCase[] = [
  linked(
    "late linking turns a network-bulk subscription into a bank-feed one",
    "invalid",
    subscribed("one", BULK),
    changed("one", { ...late, type: "bank-feed", state: "active" }),
  ),
  linked(
    "late linking turns a cardholder-single subscription into a bank-feed one",
    "invalid",
    subscribed("one"),
    changed("one", { state: "active" }),
    changed("one", { ...late, type: "bank-feed", state: "active" }),
  ),
  linked(
    "late linking clears the SCA",
    "invalid",
    subscribed("one"),
    changed("one", { ...late, state: "active" }),
  ),
  linked(
    "late linking deactivates a network-bulk subscription",
    "invalid",
    subscribed("one", BULK),
    changed("one", { ...BULK, ...late, state: "deactivated" }),
  ),
  linked(
    "the creation is repeated before a linking that changes the state",
    "invalid",
    subscribed("one"),
    changed("one", { hour: 2 }),
    subscribed("one"),
    changed("one", { ...late, state: "active" }),
  ),
  linked(
    "late linking of a subscription in reqSCA",
    "valid",
    subscribed("one"),
    changed("one", late),
  ),
  linked(
    "late linking of an active subscription, deactivated later",
    "valid",
    subscribed("one"),
    changed("one", { state: "active" }),
    changed("one", { ...late, state: "active" }),
    changed("one", { ...late, state: "deactivated", hour: 4 }),
  ),
  linked(
    "late linking of a network-bulk subscription",
    "valid",
    subscribed("one", BULK),
    changed("one", { ...BULK, ...late }),
  ),
  linked(
    "a subscription that is linked from the start clears its SCA",
    "valid",
    subscribed("one", { bankAccountId: ACCOUNT }),
    changed("one", { ...late, state: "active" }),
  ),
];

/** BLK-05: completion sends a created event for each card that it creates. */
const minted: HistoryCase[] = [
  {
    requirement: "BLK-05",
    title: "the minted card's subscription is never announced",
    deliveries: () => [completed("link", [creditAccount("visa", "minted")]), subscribed("other")],
    expect: "invalid",
    incomplete: "downgraded",
    lines: [1],
  },
  {
    requirement: "BLK-05",
    title: "one of two minted cards has no created",
    deliveries: () => [
      completed("link", [account(), creditAccount("visa", "minted", "partner")]),
      subscribed("minted", { type: "bank-feed", state: "active", bankAccountId: VISA }),
    ],
    expect: "invalid",
    incomplete: "downgraded",
  },
  {
    requirement: "BLK-05",
    title: "the card of the second of two accounts has no created",
    deliveries: () => [
      completed("link", [creditAccount("visa", "minted"), creditAccount("amex", "second")]),
      subscribed("minted", { type: "bank-feed", state: "active", bankAccountId: VISA }),
    ],
    expect: "invalid",
    incomplete: "downgraded",
  },
  {
    requirement: "BLK-05",
    title: "the created of the minted subscription is of another card",
    deliveries: () => [
      completed("link", [creditAccount("visa", "minted")]),
      subscribed("minted", {
        type: "bank-feed",
        state: "active",
        bankAccountId: VISA,
        card: "another card",
      }),
    ],
    expect: "invalid",
  },
  {
    requirement: "BLK-05",
    title: "the minted card's subscription is not created as bank-feed",
    deliveries: () => [
      completed("link", [creditAccount("visa", "minted")]),
      subscribed("minted", { bankAccountId: VISA }),
    ],
    expect: "invalid",
    incomplete: "downgraded",
    lines: [1, 2],
  },
  {
    requirement: "BLK-05",
    title: "the created comes before the completion and is repeated after it",
    deliveries: () => {
      const { link, minted: created } = upgraded();
      return [created, link, created];
    },
    expect: "valid",
  },
  {
    requirement: "BLK-05",
    title: "the created comes long after the completion",
    deliveries: () => {
      const { link, minted: created } = upgraded();
      return [link, subscribed("other"), changed("other", { state: "active" }), created];
    },
    expect: "valid",
  },
  {
    requirement: "BLK-05",
    title: "a completion links an enrolled card and mints none",
    deliveries: () => [
      subscribed("one"),
      completed("link", [account("everyday account", { cardIds: [id("one")] })]),
      changed("one", late),
    ],
    expect: "valid",
  },
];

/** Upgrades, late linking to bank accounts, and the cards that a completed link mints. */
export const enrollmentCases: readonly HistoryCase[] = [
  ...upgrades,
  ...linkings,
  layering,
  ...minted,
];
