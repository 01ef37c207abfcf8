import { MOVEMENTS } from "../verbs/postings.ts";
import { PRICES } from "../verbs/purchases.ts";
import type { ConformanceScript } from "../verbs/script-checks.ts";
import { activeCard, completedLink, type Step, type StepOf } from "../verbs/step.ts";

/** A card with its bank, and an account without a card. */
const BANK: readonly Step[] = [
  ...activeCard("card 1"),
  ...completedLink("link 1", [
    { as: "account 1", type: "credit", card: "card 1" },
    { as: "account 2", type: "depository" },
  ]),
];

/** What other checks build on: a card with its bank. */
export const CARD_WITH_BANK: ConformanceScript = {
  title: "a card has its bank",
  decides: [],
  steps: BANK,
};

/** A card of each network with its bank. */
const CARDS_WITH_BANKS: ConformanceScript = {
  title: "a card of each network has its bank",
  decides: [],
  steps: [
    ...activeCard("card 1", "a"),
    ...activeCard("card 2", "b"),
    ...activeCard("card 3", "c"),
    ...completedLink("link 1", [
      { as: "account 1", type: "credit", card: "card 1" },
      { as: "account 2", type: "credit", card: "card 2" },
      { as: "account 3", type: "credit", card: "card 3" },
    ]),
  ],
};

/** A card for purchases and movements that all differ in amount and merchant. */
const CARD_IN_USE: ConformanceScript = {
  title: "a card has its bank, and is used",
  decides: [],
  steps: BANK,
};

/** What every new transaction decides. */
const CREATED = [
  ...(["TXN-07.links-all", "TXN-10.consistent"] as const),
  ...(["WHK-05.owed", "WHK-05.once", "WHK-05.message-owed"] as const),
] as const;

/** What every change of a purchase decides. */
const CHANGED = [
  ...CREATED,
  ...(["TXN-11.full-set", "TXN-11.same-as-get", "TXN-18.created-at", "TXN-18.updated-at"] as const),
  ...(["WHK-05.every-change", "MSG-08.null-card"] as const),
] as const;

const SETTLED = [
  ...(["TXN-12.settles", "TXN-12.message-added", "TXN-12.updated"] as const),
  ...(["BTX-01.owed", "MAT-01.owed"] as const),
] as const;

const SUPERSEDED = [
  ...(["TXN-09.sums", "TXN-09.excludes-superseded", "TXN-09.billing"] as const),
  ...(["TXN-13.stays-settled", "TXN-13.supersedes", "TXN-13.updated"] as const),
  ...(["TXN-13.marks-in-same-event", "MSG-03.linked", "MSG-03.fetchable"] as const),
] as const;

const GELATERIA = { amount: 92.4, merchant: "GELATERIA ZENOBIA" } as const;
const TEATRO = { amount: 149.27, merchant: "TEATRO ARRIAGA" } as const;

/** Posts a movement, or the purchase that `more` names. */
function post(
  at: number,
  account: number,
  price: Pick<StepOf<"postAtBank">, "amount" | "merchant">,
  more: Partial<StepOf<"postAtBank">> = {},
): Step {
  const names = { as: `posting ${at}`, account: `account ${account}` };
  return { verb: "postAtBank", ...names, ...price, ...more };
}

/** Sends the card data of an earlier posting. */
function tell(
  at: number,
  price: Pick<StepOf<"tellLate">, "amount" | "merchant" | "confidence">,
): Step {
  const names = { as: `purchase ${at}`, card: "card 1", posting: `posting ${at}` };
  return { verb: "tellLate", ...names, ...price };
}

/** Uses a card, and posts the whole purchase at the bank. */
function posted(at: number, price: (typeof PRICES)[number]): Step[] {
  const [as, card] = [`purchase ${at}`, `card ${at}`];
  return [{ verb: "authorize", as, card, ...price }, post(at, at, price, { purchase: as })];
}

const PURCHASES: readonly ConformanceScript[] = [
  {
    title: "a bank posting settles a purchase on each network",
    decides: ["TXN-02.card-id", ...SETTLED, ...CHANGED, "MSG-08.provider"],
    after: CARDS_WITH_BANKS,
    steps: [...posted(1, PRICES[0]), ...posted(2, PRICES[1]), ...posted(3, PRICES[2])],
  },
  {
    title: "the network's clearing supersedes the bank's message",
    decides: [...SUPERSEDED, ...CHANGED, "MSG-08.provider", "TXN-20.no-return"],
    after: CARDS_WITH_BANKS,
    steps: [
      ...posted(1, PRICES[1]),
      { verb: "clear", purchase: "purchase 1" },
      ...posted(2, PRICES[2]),
      { verb: "clear", purchase: "purchase 2" },
      ...posted(3, PRICES[3]),
      { verb: "clear", purchase: "purchase 3" },
    ],
  },
  {
    title: "a bank posting settles the purchase of a card of a bulk feed",
    decides: SETTLED,
    // Another card of the account changes what TXN-17 owes.
    opening: BANK,
    steps: [
      { verb: "submitFeed", as: "feed 1", expectedCardCount: 1 },
      { verb: "acceptFeed", feed: "feed 1" },
      { verb: "linkCard", card: "card of feed 1", account: "account 1" },
      { verb: "authorize", as: "purchase 1", card: "card of feed 1", ...PRICES[0] },
      post(1, 1, PRICES[0], { purchase: "purchase 1" }),
    ],
  },
  {
    title: "a clearing of another amount revises the settled amounts",
    decides: ["TXN-13.revises"],
    after: CARD_IN_USE,
    steps: [
      { verb: "authorize", as: "purchase 1", card: "card 1", ...GELATERIA },
      post(1, 1, { ...GELATERIA, amount: 91.85 }, { purchase: "purchase 1" }),
      { verb: "clear", purchase: "purchase 1" },
    ],
  },
  {
    title: "a purchase in another currency is cleared in parts",
    decides: [...CHANGED, "TXN-20.no-return"],
    after: CARD_IN_USE,
    steps: [
      {
        ...{ verb: "authorize", as: "purchase 1", card: "card 1", currency: "JPY" },
        ...{ amount: 4_219, merchant: "SENTO KAMOGAWA" },
      },
      { verb: "clear", purchase: "purchase 1", amount: 1_402 },
      { verb: "clear", purchase: "purchase 1" },
    ],
  },
  {
    title: "merchant data of an authorization is announced",
    decides: ["ENR-01.announced", "ENR-01.message-link"],
    after: CARD_IN_USE,
    steps: [
      { verb: "authorize", as: "purchase 1", card: "card 1", ...PRICES[1] },
      { verb: "enrich", purchase: "purchase 1", message: "authorization" },
    ],
  },
  {
    title: "merchant data of a clearing is announced",
    decides: ["ENR-01.announced", "ENR-01.message-link"],
    after: CARD_IN_USE,
    steps: [
      { verb: "authorize", as: "purchase 1", card: "card 1", ...PRICES[2] },
      { verb: "clear", purchase: "purchase 1" },
      { verb: "enrich", purchase: "purchase 1", message: "clearing" },
    ],
  },
];

/** A posting or a clearing of a part of a purchase: its amount. */
type PartStep = readonly [by: "post" | "clear", amount?: number];

/** A purchase whose parts are posted and cleared, and its steps. */
function inParts(at: number, merchant: string, amount: number, parts: readonly PartStep[]): Step[] {
  const purchase = `purchase ${at}`;
  return [
    { verb: "authorize", as: purchase, card: "card 1", amount, merchant },
    ...parts.map(([by, part], index): Step => {
      if (by === "clear") return { verb: "clear", purchase, ...(part && { amount: part }) };
      return post(at * 10 + index, 1, { amount: part ?? amount, merchant }, { purchase });
    }),
  ];
}

/** A purchase whose parts are all cleared before they are posted. */
const CLEARED_FIRST = inParts(1, "VELOWERK ZUERICH", 103.91, [
  ...([["clear", 34.19], ["clear"], ["post", 34.19], ["post", 69.72]] as const),
]);

/** A purchase that is posted in parts once it is cleared. */
export const CLEARED_PARTS: ConformanceScript = {
  title: "a purchase is cleared in parts, and then posted",
  decides: [...CHANGED, "TXN-20.no-return"],
  after: CARD_IN_USE,
  steps: [...CLEARED_FIRST],
};

/** Postings before, between and after clearings, with the smaller or the larger part first. */
export const PARTS_IN_TURN: ConformanceScript = {
  title: "parts of purchases are posted and cleared in any order",
  decides: [...CHANGED, "MSG-08.provider", "TXN-20.no-return"],
  // Without "verb:settle", a match may arrive after the next step and change its result.
  requires: ["verb:settle"],
  after: CARD_IN_USE,
  steps: [
    ...inParts(1, "BOTTEGA LUCCHESE", 100.18, [
      ...([["post", 70.11], ["post", 30.07], ["clear", 30.07], ["clear"]] as const),
    ]),
    ...inParts(2, "REISEBUERO HANSA", 203.52, [
      ...([["post", 61.17], ["post", 142.35], ["clear", 61.17], ["clear"]] as const),
    ]),
    ...inParts(3, "SPORTHUIS ZEELAND", 121.72, [
      ...([["post", 84.29], ["clear", 84.29], ["post", 37.43], ["clear"]] as const),
    ]),
    ...inParts(4, "LIBRAIRIE MOLLAT", 187.26, [
      ...([["post", 131.89], ["clear", 55.37], ["post", 55.37], ["clear"]] as const),
    ]),
    ...inParts(5, "MERCERIA ROSSIO", 155.88, [
      ...([["clear", 46.61], ["post", 109.27], ["clear"], ["post", 46.61]] as const),
    ]),
    ...inParts(6, "KAFFEEROESTEREI LORBEER", 143.79, [
      ...([
        ["post", 83.19],
        ["post", 39.53],
        ["post", 21.07],
      ] as const),
      ...([
        ["clear", 83.19],
        ["clear", 39.53],
      ] as const),
    ]),
    // A partial clearing that fits beside what the bank has posted is another part.
    ...inParts(8, "PAPETERIE OLLIVIER", 120.75, [
      ...([
        ["post", 60.1],
        ["clear", 25.3],
        ["clear", 35.35],
      ] as const),
    ]),
    ...inParts(7, "ORFEVRERIE DU QUAI", 141.81, [
      ...([["post", 48.19], ["post", 93.62], ["clear"]] as const),
    ]),
  ],
};

/** Movements, by the confidence that their late card data is meant to match with. */
const UNSURE = {
  HIGH: { amount: 87.11, merchant: "RADIO TROTTOIR" },
  MEDIUM: { amount: 263.9, merchant: "KERAMIK FOERST" },
  LOW: { amount: 512.67, merchant: "MUSEO DEL ALBA" },
} as const;

/** Posts a movement, and then sends its card data. */
function late(at: number, confidence: keyof typeof UNSURE): Step[] {
  const price = UNSURE[confidence];
  return [post(at, 1, price), tell(at, { ...price, confidence })];
}

/**
 * Scripts that together cause every event of purchases. They are played while other URLs are
 * subscribed, which changes the order of deliveries, so no other script is.
 */
export const PURCHASE_EVENTS: readonly ConformanceScript[] = [
  {
    title: "a purchase is posted, matched again and removed",
    decides: [],
    opening: BANK,
    steps: [
      ...posted(1, PRICES[0]),
      { verb: "rematch", purchase: "purchase 1" },
      { verb: "removeAtProvider", posting: "posting 1" },
    ],
  },
  {
    title: "a message gets merchant data",
    decides: [],
    opening: BANK,
    steps: [
      { verb: "authorize", as: "purchase 1", card: "card 1", ...PRICES[1] },
      { verb: "enrich", purchase: "purchase 1", message: "authorization" },
    ],
  },
];

const RETRACTED = [
  ...(["MAT-05.names-announced", "MAT-05.bank-transaction", "MAT-05.card-transaction"] as const),
] as const;

const DELETED = [
  ...(["BTX-04.owed", "BTX-04.account", "BTX-04.reason", "BTX-05.retracted"] as const),
  ...(["BTX-05.reason", ...RETRACTED] as const),
] as const;

/** Removed, retired and re-matched postings. */
const ENDS: readonly ConformanceScript[] = [
  {
    title: "the removal of a bank transaction ends its match",
    decides: [...DELETED, "MAT-05.only-matched"],
    opening: BANK,
    steps: [
      ...posted(1, PRICES[0]),
      { verb: "removeAtProvider", posting: "posting 1" },
      post(2, 1, MOVEMENTS[2]),
      { verb: "removeAtProvider", posting: "posting 2" },
    ],
  },
  {
    title: "a superseded message stays when its bank transaction is removed",
    decides: ["MSG-03.linked", "MSG-03.fetchable"],
    opening: BANK,
    steps: [
      ...posted(1, PRICES[2]),
      { verb: "clear", purchase: "purchase 1" },
      { verb: "removeAtProvider", posting: "posting 1" },
    ],
  },
  {
    title: "the retirement of a duplicate ends its match",
    decides: [...DELETED, "MAT-05.only-matched"],
    opening: BANK,
    steps: [
      ...posted(1, PRICES[0]),
      post(2, 1, PRICES[0]),
      { verb: "retireDuplicate", posting: "posting 1" },
      post(3, 1, MOVEMENTS[0]),
      post(4, 1, MOVEMENTS[0]),
      { verb: "retireDuplicate", posting: "posting 4" },
    ],
  },
  {
    title: "the end of a bank transaction ends an uncertain match, too",
    decides: DELETED,
    opening: BANK,
    steps: [
      ...late(1, "MEDIUM"),
      post(2, 1, UNSURE.MEDIUM),
      { verb: "retireDuplicate", posting: "posting 1" },
      ...late(3, "LOW"),
      { verb: "removeAtProvider", posting: "posting 3" },
    ],
  },
  {
    title: "a forced re-match replaces the match by one with a new id",
    decides: ["MAT-07.old-deleted", "MAT-07.reason", "MAT-07.new-ids", ...RETRACTED],
    opening: BANK,
    steps: [
      ...posted(1, PRICES[3]),
      { verb: "rematch", purchase: "purchase 1" },
      { verb: "rematch", purchase: "purchase 1" },
    ],
  },
  {
    title: "a movement that is matched again is not counted twice",
    decides: ["TXN-14.netted"],
    opening: BANK,
    steps: [
      ...posted(1, PRICES[2]),
      ...late(2, "HIGH"),
      { verb: "rematch", purchase: "purchase 1" },
      { verb: "rematch", purchase: "purchase 2" },
    ],
  },
  {
    title: "a forced re-match replaces the matches of parts",
    decides: ["MAT-07.old-deleted", "MAT-07.new-ids", ...RETRACTED],
    opening: BANK,
    steps: [...CLEARED_FIRST, { verb: "rematch", purchase: "purchase 1" }],
  },
  {
    title: "what happens while a connection is lost is announced later",
    decides: ["BTX-01.owed", "BTX-04.owed", "BTX-04.account", "TXN-17.oldest-card"],
    opening: BANK,
    steps: [
      ...activeCard("card 2"),
      { verb: "linkCard", card: "card 2", account: "account 2" },
      ...activeCard("card 3"),
      { verb: "linkCard", card: "card 3", account: "account 2" },
      post(1, 2, MOVEMENTS[0]),
      { verb: "disconnect", account: "account 2" },
      post(2, 2, MOVEMENTS[1], { isLater: true }),
      post(
        3,
        2,
        { amount: 12.69, merchant: "TRATTORIA PINETA" },
        { isLater: true, type: "credit" },
      ),
      { verb: "removeAtProvider", posting: "posting 1", isLater: true },
      { verb: "recover", account: "account 2" },
    ],
  },
];

const NETTED = ["TXN-14.netted", "TXN-14.stays-settled", "TXN-14.updated"] as const;

const STANDALONE = [
  ...(["TXN-15.message-event", "TXN-15.is-finl-advc", "TXN-15.transaction-event"] as const),
  ...([
    "TXN-16.network",
    "TXN-17.oldest-card",
    "TXN-17.keeps-network",
    ...(["TXN-17.null-cardless", "TXN-02.null-cardless"] as const),
  ] as const),
  ...(["TXN-16.no-approval-code", "TXN-16.reference", "TXN-16.bank-data"] as const),
  ...(["BTX-01.owed", "BTX-01.values", "MSG-08.provider", ...CREATED] as const),
] as const;

/** Movements without a purchase, and their late matches. */
const BANK_ONLY: readonly ConformanceScript[] = [
  {
    title: "a bank-only movement has a transaction of its own",
    decides: STANDALONE,
    after: CARD_IN_USE,
    steps: [
      // Its characters take more bytes than one (WHK-01).
      post(1, 1, { amount: 18.47, merchant: "CAFÉ MÜNSTERPLÄTZLI" }),
      // Large enough to expose single-precision amounts.
      post(2, 2, { amount: 234_123.45 }),
      post(3, 2, MOVEMENTS[0]),
      post(4, 2, MOVEMENTS[1]),
    ],
  },
  {
    title: "a bank-only movement has the oldest card of its account",
    decides: ["TXN-17.oldest-card", "TXN-17.keeps-network"],
    opening: BANK,
    steps: [
      ...activeCard("card 2"),
      { verb: "linkCard", card: "card 2", account: "account 1" },
      post(1, 1, MOVEMENTS[0]),
    ],
  },
  {
    title: "a bank-only movement has a card although the oldest one has ended",
    decides: ["TXN-17.oldest-card", "TXN-17.keeps-network"],
    opening: BANK,
    steps: [
      ...activeCard("card 2"),
      { verb: "linkCard", card: "card 2", account: "account 1" },
      { verb: "deactivate", card: "card 1" },
      post(1, 1, MOVEMENTS[1]),
    ],
  },
  {
    title: "credits and pending postings are announced as they are",
    decides: ["BTX-01.owed", "BTX-01.values"],
    after: CARD_IN_USE,
    steps: [
      post(1, 1, { amount: 38.29, merchant: "TUCHHAUS REIMERS" }, { type: "credit" }),
      post(2, 1, { amount: 92.57, merchant: "PRENSA LITORAL" }, { type: "credit" }),
      post(3, 2, { amount: 77.13, merchant: "BAZAR ELMADAG" }, { type: "credit" }),
      post(4, 2, { amount: 56.41, merchant: "PENSION ALMBLICK" }, { pending: true }),
    ],
  },
  {
    title: "late card data is matched, and nets the bank-only transaction",
    decides: ["MAT-09.rematched", ...NETTED, "WHK-05.owed"],
    opening: BANK,
    steps: [post(1, 1, MOVEMENTS[0]), tell(1, MOVEMENTS[0])],
  },
  {
    title: "a match of any confidence nets the bank-only transaction",
    decides: NETTED,
    opening: BANK,
    steps: [
      ...late(1, "HIGH"),
      ...late(2, "MEDIUM"),
      ...late(3, "LOW"),
      post(4, 1, TEATRO),
      // The confidence of such a match is open.
      tell(4, { ...TEATRO, amount: 124.4 }),
    ],
  },
];

/** Scripts of purchases, postings and matches. */
export const moneyScripts: readonly ConformanceScript[] = [
  ...PURCHASES,
  CLEARED_PARTS,
  PARTS_IN_TURN,
  ...BANK_ONLY,
  ...ENDS,
];
