import type { ConformanceScript } from "./verbs/script-checks.ts";

/** Bulk feeds, each with an expected card count and without one. */
const FEEDS: readonly ConformanceScript[] = [
  {
    title: "an accepted bulk feed is announced as active, and so are its cards",
    decides: [
      ...(["NBF-01.network", "NBF-02.absent", "NBF-03.present", "NBF-03.absent"] as const),
      ...(["NBF-04.accepted", "NBF-04.no-other-move"] as const),
      ...(["SUB-02.own-feed", "SUB-04.bulk-starts", "SUB-04.bulk-created"] as const),
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
const TWO_LINKS = [
  {
    verb: "startLink",
    as: "link 1",
    accounts: [
      { as: "account 1", type: "depository" },
      { as: "account 2", type: "depository" },
    ],
  },
  { verb: "completeLink", link: "link 1", by: "notification" },
  { verb: "startLink", as: "link 2", accounts: [{ as: "account 3", type: "depository" }] },
  { verb: "completeLink", link: "link 2", by: "notification" },
] as const;

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
    steps: [
      ...TWO_LINKS,
      { verb: "expireConsent", account: "account 1" },
      { verb: "disconnect", account: "account 1" },
      { verb: "recover", account: "account 1" },
      { verb: "disconnect", account: "account 1" },
      { verb: "recover", account: "account 1" },
      { verb: "expireConsent", account: "account 1" },
      { verb: "recover", account: "account 1" },
      { verb: "recover", account: "account 1" },
      { verb: "expireConsent", account: "account 1" },
      { verb: "recover", account: "account 1" },
      { verb: "expireConsent", account: "account 1" },
      { verb: "expireConsent", account: "account 1" },
      { verb: "disconnect", account: "account 1" },
      { verb: "disconnect", account: "account 1" },
      { verb: "expireConsent", account: "account 1" },
      { verb: "recover", account: "account 1" },
      // The states of two accounts of one link mix.
      { verb: "expireConsent", account: "account 2" },
      { verb: "disconnect", account: "account 1" },
      { verb: "disconnect", account: "account 2" },
      { verb: "recover", account: "account 1" },
      { verb: "recover", account: "account 2" },
    ],
  },
];

/** The scripts of a conformance run, in the order in which it plays them. */
export const scripts: readonly ConformanceScript[] = [...FEEDS, ...CONNECTIONS];
