import { MOVEMENTS } from "../verbs/postings.ts";
import { PRICES } from "../verbs/purchases.ts";
import type { ConformanceScript } from "../verbs/script-checks.ts";
import { activeCard, completedLink, type Step } from "../verbs/step.ts";

/** Bulk feeds, each with an expected card count and without one. */
const FEEDS: readonly ConformanceScript[] = [
  {
    title: "an accepted bulk feed is announced as active, and so are its cards",
    decides: [
      ...(["NBF-01.network", "NBF-02.absent", "NBF-03.present", "NBF-03.absent"] as const),
      ...(["NBF-04.accepted", "NBF-04.no-other-move"] as const),
      ...(["SUB-02.own-feed", "SUB-04.bulk-starts", "SUB-04.bulk-created"] as const),
      "SUB-09.one-created",
    ],
    steps: [
      { verb: "submitFeed", as: "feed 1", expectedCardCount: 3 },
      { verb: "acceptFeed", feed: "feed 1" },
      { verb: "submitFeed", as: "feed 2" },
      { verb: "acceptFeed", feed: "feed 2" },
      { verb: "acceptFeed", feed: "feed 1" },
    ],
  },
  {
    title: "a rejected bulk feed is announced as failed, with the reason",
    decides: [
      ...(["NBF-01.network", "NBF-02.present", "NBF-03.present", "NBF-03.absent"] as const),
      ...(["NBF-04.rejected", "NBF-04.no-other-move"] as const),
    ],
    steps: [
      { verb: "submitFeed", as: "feed 1", expectedCardCount: 3 },
      { verb: "rejectFeed", feed: "feed 1" },
      { verb: "submitFeed", as: "feed 2" },
      { verb: "rejectFeed", feed: "feed 2" },
      { verb: "rejectFeed", feed: "feed 1" },
    ],
  },
];

/** A link of two accounts, and another one. */
const TWO_LINKS: readonly Step[] = [
  ...completedLink("link 1", [
    { as: "account 1", type: "depository" },
    { as: "account 2", type: "depository" },
  ]),
  ...completedLink("link 2", [{ as: "account 3", type: "depository" }]),
];

/** A card with its bank, and a card that the completion of the link creates. */
const LINKED: readonly Step[] = [
  ...activeCard("card 1"),
  ...completedLink("link 1", [
    { as: "account 1", type: "credit", card: "card 1" },
    { as: "account 2", type: "credit", network: "a" },
  ]),
];

/** Connections: each move of an account happens twice, and each verb is repeated. */
const CONNECTIONS: readonly ConformanceScript[] = [
  {
    title: "each change of a connection is announced once, and nothing else",
    decides: [
      ...(["BAC-01.differ", "BAC-01.not-without-change", "BAC-02.reason-expiring"] as const),
      ...(["BAC-02.expires-at", "BAC-03.chain", "BAC-03.first-active"] as const),
      ...(["BAC-04.expiring", "BAC-04.lost-active", "BAC-04.lost-auth-required"] as const),
      ...(["BAC-04.recovered-auth-required", "BAC-04.recovered-disconnected"] as const),
      ...(["BAC-04.only-that-account", "BAC-05.auth-required", "BAC-05.active"] as const),
    ],
    opening: TWO_LINKS,
    steps: [
      { verb: "expireConsent", account: "account 1" },
      { verb: "disconnect", account: "account 1" },
      { verb: "recover", account: "account 1" },
      { verb: "disconnect", account: "account 1" },
      { verb: "recover", account: "account 1" },
      { verb: "expireConsent", account: "account 1" },
      { verb: "recover", account: "account 1" },
      { verb: "recover", account: "account 1" },
      { verb: "expireConsent", account: "account 1" },
      { verb: "expireConsent", account: "account 1" },
      { verb: "disconnect", account: "account 1" },
      { verb: "disconnect", account: "account 1" },
      { verb: "expireConsent", account: "account 1" },
      { verb: "recover", account: "account 1" },
      // Each move follows another one than before: if it is missing, the chain is broken (BAC-03).
      { verb: "expireConsent", account: "account 1" },
      { verb: "recover", account: "account 1" },
      // The states of two accounts mix. Accounts of one link may share their consent.
      { verb: "expireConsent", account: "account 3" },
      { verb: "disconnect", account: "account 1" },
      { verb: "disconnect", account: "account 3" },
      { verb: "recover", account: "account 1" },
      { verb: "recover", account: "account 3" },
      { verb: "expireConsent", account: "account 3" },
    ],
  },
  {
    title: "the connection of an account with cards is announced, too",
    decides: [
      ...(["BAC-04.expiring", "BAC-04.lost-active", "BAC-04.lost-auth-required"] as const),
      ...(["BAC-04.recovered-auth-required", "BAC-04.recovered-disconnected"] as const),
    ],
    opening: LINKED,
    steps: [
      { verb: "expireConsent", account: "account 1" },
      { verb: "recover", account: "account 1" },
      { verb: "disconnect", account: "account 1" },
      { verb: "recover", account: "account 1" },
      { verb: "expireConsent", account: "account 2" },
      { verb: "disconnect", account: "account 2" },
      { verb: "recover", account: "account 2" },
      { verb: "disconnect", account: "account 2" },
    ],
  },
];

/** What each change of a subscription decides: its events before and after (SUB-09). */
const CHANGES = [
  ...(["SUB-09.one-created", "SUB-09.created-first", "SUB-09.every-change"] as const),
  "SUB-09.timestamps",
] as const;
const REPEATED = ["SUB-05.no-other-move", "SUB-09.no-empty-update"] as const;
const GAINED = [
  ...(["SUB-03.own-account", "SUB-07.gains-account", "SUB-07.state-kept"] as const),
  ...(["SUB-07.type-kept", "SUB-07.updated", "SUB-05.no-other-move"] as const),
] as const;

/** A card with its bank, and cards of each network that the completion of the link creates. */
const CARDS_CREATED: ConformanceScript = {
  title: "a completed link creates active cards, and links an enrolled one",
  decides: [
    ...(["SUB-04.feed-starts", "SUB-04.feed-created", "SUB-10.only-signal"] as const),
    "SUB-09.one-created",
    ...GAINED,
  ],
  steps: [
    ...activeCard("card 1"),
    ...completedLink("link 1", [
      { as: "account 1", type: "credit", card: "card 1" },
      { as: "account 2", type: "credit", network: "a" },
      { as: "account 3", type: "credit", network: "b" },
      { as: "account 4", type: "credit", network: "c" },
      { as: "account 5", type: "credit" },
      { as: "account 6", type: "credit", network: "a" },
      { as: "account 7", type: "credit", network: "b" },
      { as: "account 8", type: "credit", network: "a" },
      { as: "account 9", type: "credit", network: "b" },
      { as: "account 10", type: "credit", network: "a" },
    ]),
  ],
};

/** Subscriptions of each type, in each state, before and after each change. */
const SUBSCRIPTIONS: readonly ConformanceScript[] = [
  {
    title: "an enrollment starts in reqSCA and is announced",
    decides: ["SUB-04.single-starts", "SUB-04.single-created", "SUB-09.one-created"],
    steps: [{ verb: "enroll", as: "card 1" }],
  },
  {
    title: "a subscription is active once its SCA is cleared",
    decides: ["SUB-05.cleared", ...CHANGES, ...REPEATED],
    steps: [
      { verb: "enroll", as: "card 1" },
      { verb: "clearSca", card: "card 1" },
      { verb: "clearSca", card: "card 1" },
    ],
  },
  {
    title: "a card of each network is enrolled and cleared in the same way",
    decides: ["SUB-04.single-starts", "SUB-04.single-created", "SUB-05.cleared"],
    steps: [
      ...activeCard("card 1", "a"),
      { verb: "authorize", as: "purchase 1", card: "card 1", ...PRICES[0] },
      ...activeCard("card 2", "b"),
      { verb: "authorize", as: "purchase 2", card: "card 2", ...PRICES[1] },
      ...activeCard("card 3", "c"),
      { verb: "authorize", as: "purchase 3", card: "card 3", ...PRICES[2] },
    ],
  },
  {
    title: "the end of a subscription is announced as deactivated",
    decides: ["SUB-05.deactivated", ...CHANGES, ...REPEATED],
    steps: [
      ...activeCard("card 1"),
      { verb: "deactivate", card: "card 1" },
      { verb: "deactivate", card: "card 1" },
    ],
  },
  CARDS_CREATED,
  {
    title: "a card that is linked later gains only its bank account",
    decides: [...GAINED, ...CHANGES, "SUB-09.no-empty-update"],
    after: CARDS_CREATED,
    steps: [
      { verb: "enroll", as: "card 2" },
      { verb: "linkCard", card: "card 2", account: "account 1" },
      { verb: "linkCard", card: "card 2", account: "account 1" },
      ...activeCard("card 3"),
      { verb: "linkCard", card: "card 3", account: "account 1" },
      { verb: "deactivate", card: "card 3" },
    ],
  },
  {
    title: "a card can be linked after the end of its subscription, too",
    decides: [...GAINED, "SUB-05.deactivated", ...CHANGES],
    after: CARDS_CREATED,
    steps: [
      ...activeCard("card 2"),
      { verb: "deactivate", card: "card 2" },
      { verb: "linkCard", card: "card 2", account: "account 2" },
      { verb: "deactivate", card: "card of account 3" },
    ],
  },
  {
    title: "a card of a bulk feed is linked and ended like any other",
    decides: [...GAINED, "SUB-05.deactivated", ...CHANGES],
    after: CARDS_CREATED,
    steps: [
      { verb: "submitFeed", as: "feed 1", expectedCardCount: 1 },
      { verb: "acceptFeed", feed: "feed 1" },
      { verb: "linkCard", card: "card of feed 1", account: "account 5" },
      { verb: "deactivate", card: "card of feed 1" },
    ],
  },
  {
    title: "a real card number upgrades a bank-feed subscription in place",
    decides: [
      ...(["SUB-06.state", "SUB-06.type", "SUB-06.same-id", "SUB-06.same-account"] as const),
      ...(["SUB-06.updated", "SUB-06.no-created", "SUB-05.cleared"] as const),
      ...CHANGES,
    ],
    after: CARDS_CREATED,
    steps: [
      { verb: "upgrade", card: "card of account 6" },
      { verb: "clearSca", card: "card of account 6" },
      { verb: "upgrade", card: "card of account 7" },
    ],
  },
  {
    title: "an upgraded subscription ends like any other",
    decides: ["SUB-05.deactivated", ...CHANGES],
    after: CARDS_CREATED,
    steps: [
      { verb: "upgrade", card: "card of account 8" },
      { verb: "clearSca", card: "card of account 8" },
      { verb: "deactivate", card: "card of account 8" },
      { verb: "deactivate", card: "card of account 9" },
    ],
  },
  {
    title: "a subscription is upgraded while its account's consent has expired",
    decides: [
      ...(["SUB-06.state", "SUB-06.type", "SUB-06.same-id", "SUB-06.same-account"] as const),
      ...(["SUB-06.updated", "SUB-06.no-created"] as const),
    ],
    opening: completedLink("link 1", [{ as: "account 1", type: "credit", network: "c" }]),
    steps: [
      { verb: "expireConsent", account: "account 1" },
      { verb: "upgrade", card: "card of account 1" },
      { verb: "recover", account: "account 1" },
    ],
  },
  {
    title: "bank transactions sync and match while a card is in reqSCA",
    decides: ["SUB-08.syncs", "SUB-08.matches", "BTX-01.owed"],
    after: CARDS_CREATED,
    steps: [
      { verb: "upgrade", card: "card of account 10" },
      { verb: "postAtBank", as: "posting 1", account: "account 10", ...MOVEMENTS[0] },
      ...activeCard("card 2"),
      { verb: "linkCard", card: "card 2", account: "account 10" },
      { verb: "authorize", as: "purchase 1", card: "card 2", ...PRICES[3] },
      {
        ...{ verb: "postAtBank", as: "posting 2", account: "account 10", purchase: "purchase 1" },
        ...PRICES[3],
      },
      { verb: "enroll", as: "card 3" },
      { verb: "linkCard", card: "card 3", account: "account 1" },
      { verb: "postAtBank", as: "posting 3", account: "account 1", ...MOVEMENTS[1] },
    ],
  },
];

/** A card, another one, and a link whose first account shows the digits of the card. */
const STARTED: readonly Step[] = [
  ...activeCard("card 1"),
  ...activeCard("card 2"),
  {
    verb: "startLink",
    as: "link 1",
    accounts: [
      { as: "account 1", type: "credit", card: "card 1" },
      { as: "account 2", type: "credit" },
      { as: "account 3", type: "depository" },
    ],
  },
];

const COMPLETED = [
  ...(["BLK-01.fields", "BLK-01.mask", "BLK-01.every-account", "BLK-01.type"] as const),
  ...(["BLK-02.exactly-one", "BLK-03.created-cards", "BLK-03.fields"] as const),
  ...(["BLK-03.in-card-ids", "BLK-03.absent", "BLK-04.already-enrolled"] as const),
  ...(["BLK-04.created", "BLK-04.no-others", "BLK-05.created-sent"] as const),
  ...(["BLK-05.names-account", "BLK-05.not-for-existing"] as const),
] as const;

/** Two links, each of an account without a card. */
const TWO_STARTED: readonly Step[] = [
  { verb: "startLink", as: "link 1", accounts: [{ as: "account 1", type: "depository" }] },
  { verb: "startLink", as: "link 2", accounts: [{ as: "account 2", type: "depository" }] },
];

/** A link that is not completed. */
export const LINK_STARTED: ConformanceScript = {
  title: "a bank link is started",
  decides: [],
  steps: TWO_STARTED.slice(0, 1),
};

const TWO_WAYS = ["BLK-02.exactly-one", "BLK-02.two-ways"] as const;

/** Links, completed in each way, and in one way after another. */
const LINKS: readonly ConformanceScript[] = [
  {
    title: "a completion by notification lists its accounts and cards",
    decides: COMPLETED,
    opening: STARTED,
    steps: [
      { verb: "completeLink", link: "link 1", by: "notification" },
      ...completedLink("link 2", [{ as: "account 4", type: "credit" }]),
    ],
  },
  {
    title: "a completion by polling lists its accounts and cards",
    decides: COMPLETED,
    opening: STARTED,
    steps: [{ verb: "completeLink", link: "link 1", by: "polling" }],
  },
  {
    title: "a completion by PATCH lists its accounts and cards",
    decides: COMPLETED,
    requires: ["writes"],
    opening: STARTED,
    steps: [{ verb: "completeLink", link: "link 1", by: "patch" }],
  },
  {
    title: "a completion lists a card that matches again, in any state",
    decides: [
      "BLK-01.mask",
      "BLK-04.already-enrolled",
      "BLK-04.no-others",
      "BLK-05.not-for-existing",
    ],
    opening: STARTED,
    steps: [
      { verb: "completeLink", link: "link 1", by: "notification" },
      { verb: "deactivate", card: "card 2" },
      { verb: "enroll", as: "card 3" },
      ...completedLink("link 2", [
        { as: "account 4", type: "credit", card: "card 1", isOpen: true },
        { as: "account 5", type: "credit", card: "card 2", isOpen: true },
        { as: "account 6", type: "credit", card: "card 3", isOpen: true },
      ]),
    ],
  },
  {
    title: "two links that wait for polling are both completed",
    decides: ["BLK-02.exactly-one"],
    requires: ["verb:advance"],
    opening: TWO_STARTED,
    steps: [
      { verb: "completeLink", link: "link 2", by: "polling", isLater: true },
      { verb: "completeLink", link: "link 1", by: "polling" },
      { verb: "completeLink", link: "link 2", by: "polling" },
    ],
  },
  {
    title: "a link that was completed is not completed by polling again",
    decides: TWO_WAYS,
    opening: TWO_STARTED,
    steps: [
      { verb: "completeLink", link: "link 1", by: "notification" },
      { verb: "completeLink", link: "link 1", by: "polling" },
    ],
  },
  {
    title: "a link is completed once by PATCH and by the notification",
    decides: TWO_WAYS,
    requires: ["writes"],
    opening: TWO_STARTED,
    steps: [
      { verb: "completeLink", link: "link 1", by: "patch" },
      { verb: "completeLink", link: "link 1", by: "notification" },
      { verb: "completeLink", link: "link 2", by: "notification" },
      { verb: "completeLink", link: "link 2", by: "patch" },
      { verb: "completeLink", link: "link 2", by: "polling" },
    ],
  },
  {
    title: "a PATCH completes a link once that waits for polling",
    decides: TWO_WAYS,
    requires: ["writes"],
    opening: TWO_STARTED,
    steps: [
      { verb: "completeLink", link: "link 1", by: "polling", isLater: true },
      { verb: "completeLink", link: "link 1", by: "patch" },
      { verb: "advance", seconds: 60 },
      { verb: "completeLink", link: "link 2", by: "notification" },
    ],
  },
  {
    title: "two PATCH requests at once complete a link once",
    decides: TWO_WAYS,
    requires: ["writes"],
    opening: TWO_STARTED,
    steps: [{ verb: "completeLink", link: "link 1", by: "two patches" }],
  },
];

/** Scripts that together cause every event of cards, feeds and connections. */
export const ACCOUNT_EVENTS: readonly ConformanceScript[] = [
  {
    title: "a bulk feed is accepted",
    decides: [],
    steps: [
      { verb: "submitFeed", as: "feed 1" },
      { verb: "acceptFeed", feed: "feed 1" },
    ],
  },
  {
    title: "a card is linked later",
    decides: [],
    opening: LINKED,
    steps: [
      { verb: "enroll", as: "card 2" },
      { verb: "linkCard", card: "card 2", account: "account 1" },
    ],
  },
  {
    title: "a connection is lost and recovered",
    decides: [],
    opening: TWO_LINKS,
    steps: [
      { verb: "disconnect", account: "account 1" },
      { verb: "recover", account: "account 1" },
    ],
  },
];

/** Scripts of cards, feeds, bank links and connections. */
export const accountScripts: readonly ConformanceScript[] = [
  ...SUBSCRIPTIONS,
  ...FEEDS,
  ...CONNECTIONS,
  ...LINKS,
];
