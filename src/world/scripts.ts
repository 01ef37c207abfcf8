import { call, type NamedCall, of, type Script, step } from "./script.ts";

const CARD = { cardId: of("enroll", "cardId") };
const SUBSCRIPTION = { subscriptionId: of("enroll", "subscriptionId") };
const ACCOUNT = { bankAccountId: of("share", "bankAccountIds") };
const PURCHASE = { transactionId: of("buy", "transactionId") };
const POSTING = { bankTransactionId: of("post", "bankTransactionId") };

const CREATED = { event: "cardsubscription.created" };

/** The cardholder links bank accounts. */
const sharing = (...accounts: readonly object[]): NamedCall[] => [
  call("link-start", { accounts }, "start"),
  call("link-complete", { bankLinkId: of("start", "bankLinkId") }, "share"),
];

const SHARE_ACCOUNT = step(
  "The cardholder shares a bank account.",
  "Share the bank account",
  ...sharing({ name: "Everyday Account", type: "depository/checking" }),
);

const CREDIT = { name: "Travel Credit", type: "Credit Card" };

const SHARE_CREDIT_ACCOUNT = step(
  "The cardholder shares a credit account. The service creates a card for it.",
  "Share the credit account",
  ...sharing(CREDIT),
);

const ENROLL = call("enroll", {}, "enroll");
const PASS = call("sca-pass", SUBSCRIPTION);

const ENROLL_CARD = step(
  "The cardholder enrolls the card of this account, and the bank authenticates them.",
  "Enroll the card",
  ENROLL,
  PASS,
  call("link-card", { ...CARD, ...ACCOUNT }),
);

const ENROLL_ALONE = step(
  "The cardholder enrolls a card, and the bank authenticates them.",
  "Enroll the card",
  ENROLL,
  PASS,
);

const BUY = step(
  "The cardholder pays 42.50 EUR with the card. The network authorizes the purchase.",
  "Pay with the card",
  call("purchase", CARD, "buy"),
);

const POST = step(
  "The bank posts the purchase. The posting matches the purchase and settles it.",
  "Post the purchase",
  call("bank-post", PURCHASE, "post"),
);

const CLEAR = step(
  "The network clears the purchase. Its message supersedes that of the bank.",
  "Clear the purchase",
  call("clear", PURCHASE),
);

const ALL_SETTLED = [SHARE_ACCOUNT, ENROLL_CARD, BUY, POST];

const POST_LATE_MOVEMENT = step(
  "The bank posts 58.10 EUR. No card data is known, so it is a bank-only movement.",
  "Post the movement",
  call("bank-post", { ...ACCOUNT, amount: 58.1, description: "HAFEN ELEKTRO HAMBURG" }, "post"),
);

const BOOKS = "NORDLYS BOKHANDEL";

const RECOVER = step(
  "The cardholder signs in again. The connection is restored.",
  "Restore the connection",
  call("recover", ACCOUNT),
);

const DISCONNECT = step(
  "The connection to the bank is lost.",
  "Lose the connection",
  call("disconnect", ACCOUNT),
);

const acceptFeed = (params: { readonly expectedCardCount?: number } = {}) => [
  step(
    "A company submits its cards to the network.",
    "Submit the feed",
    call("feed-submit", params, "submit"),
  ),
  step(
    "The network accepts the feed. Its cards are enrolled.",
    "Accept the feed",
    call("feed-accept", { feedId: of("submit", "feedId") }, "accept"),
  ),
];

/** Every script, by its id. */
export const scripts = {
  "purchase-settled-by-bank": {
    title: "A purchase that only the bank has settled",
    about: "How a match settles a purchase.",
    steps: ALL_SETTLED,
  },
  "purchase-cleared-by-network": {
    title: "A purchase that a bank settles",
    about: "How card data and bank data become one transaction.",
    steps: [...ALL_SETTLED, CLEAR],
  },
  "purchase-cleared-by-network-alone": {
    title: "A purchase without a bank account",
    about: "How the network settles a purchase of a card that is linked to no bank account.",
    steps: [ENROLL_ALONE, BUY, CLEAR],
  },
  "purchase-revised-by-network": {
    title: "A purchase with a tip",
    about: "How the network corrects an amount that the bank has settled.",
    steps: [
      SHARE_ACCOUNT,
      ENROLL_CARD,
      step(
        "The cardholder pays 40.00 EUR in a restaurant.",
        "Pay with the card",
        call("purchase", { ...CARD, amount: 40 }, "buy"),
      ),
      POST,
      step(
        "The network clears 44.00 EUR, with the tip.",
        "Clear the purchase with the tip",
        call("clear", { ...PURCHASE, amount: 44 }),
      ),
    ],
  },
  "purchase-abroad": {
    title: "A purchase in another currency",
    about: "How amounts in two currencies settle.",
    steps: [
      SHARE_ACCOUNT,
      ENROLL_CARD,
      step(
        "The cardholder pays 80.00 USD with a card that is billed in EUR.",
        "Pay abroad",
        call("purchase", { ...CARD, amount: 80, currency: "USD", billingCurrency: "EUR" }, "buy"),
      ),
      step(
        "The bank posts the purchase in EUR. The posting matches the purchase and settles it.",
        "Post the purchase",
        call("bank-post", { ...PURCHASE, currency: "EUR" }),
      ),
      CLEAR,
    ],
  },
  "network-c-with-trace-id": {
    title: "A purchase on NETWORK_C",
    about: "How messages are identified by a traceId instead of an approvalCode (MSG-05).",
    steps: [
      SHARE_ACCOUNT,
      step(
        "The cardholder enrolls a card of NETWORK_C.",
        "Enroll the card",
        call("enroll", { network: { networkCode: "c" } }, "enroll"),
        PASS,
        call("link-card", { ...CARD, ...ACCOUNT }),
      ),
      BUY,
      POST,
      CLEAR,
    ],
  },
  "split-clearing": {
    title: "A purchase in two parts",
    about: "How two postings settle one purchase.",
    steps: [
      SHARE_ACCOUNT,
      ENROLL_CARD,
      step(
        "The cardholder orders goods for 96.40 EUR online.",
        "Order the goods",
        call("purchase", { ...CARD, amount: 96.4, merchant: { descriptor: BOOKS } }, "buy"),
      ),
      step(
        "The shop ships a part for 60.00 EUR. The network clears that part.",
        "Clear the first part",
        call("clear-partial", { ...PURCHASE, amount: 60 }),
      ),
      step(
        "The bank posts the first part.",
        "Post the first part",
        call("bank-post", { ...ACCOUNT, amount: 60, description: BOOKS }),
      ),
      step(
        "The shop ships the rest. The network clears it.",
        "Clear the rest",
        call("clear", PURCHASE),
      ),
      step(
        "The bank posts the rest. Both postings match the same purchase.",
        "Post the rest",
        call("bank-post", { ...ACCOUNT, amount: 36.4, description: BOOKS }),
      ),
    ],
  },
  "late-card-match": {
    title: "Late card data",
    about: "How card data that comes after the posting replaces a bank-only transaction.",
    steps: [
      SHARE_ACCOUNT,
      ENROLL_CARD,
      POST_LATE_MOVEMENT,
      step(
        "The network sends the card data of that purchase, after the bank.",
        "Send the card data",
        call("late-card-data", { ...CARD, ...POSTING }),
      ),
      step(
        "The service matches again. The bank-only transaction is reduced to zero.",
        "Wait one minute",
        { advance: "1m" },
      ),
    ],
  },
  "late-card-match-of-low-confidence": {
    title: "Late card data that hardly fits",
    about: "How a match of low confidence reduces a bank-only transaction, and settles nothing.",
    steps: [
      SHARE_ACCOUNT,
      ENROLL_CARD,
      POST_LATE_MOVEMENT,
      step(
        "The network sends card data of another day and amount. The match is uncertain.",
        "Send the card data",
        call("late-card-data", { ...CARD, ...POSTING, confidence: "LOW" }),
        { advance: "1m" },
      ),
    ],
  },
  "deletion-of-matched-bank-transaction": {
    title: "A deleted posting",
    about: "What happens to a purchase when the provider removes its posting.",
    steps: [
      ...ALL_SETTLED,
      step(
        "The provider removes the posting. The match is retracted.",
        "Remove the posting",
        call("provider-remove", POSTING),
      ),
    ],
  },
  "deletion-of-bank-only-movement": {
    title: "A deleted bank-only movement",
    about: "How the transaction of a removed movement is reduced to zero.",
    steps: [
      SHARE_ACCOUNT,
      POST_LATE_MOVEMENT,
      step(
        "The provider removes the movement.",
        "Remove the movement",
        call("provider-remove", POSTING),
      ),
    ],
  },
  "deletion-of-twin": {
    title: "A posting that arrives twice",
    about: "How a duplicate becomes a bank-only transaction until it is retired.",
    steps: [
      ...ALL_SETTLED,
      step(
        "The bank posts the purchase again. The provider retires the duplicate.",
        "Retire the duplicate",
        call("retire-duplicate"),
      ),
    ],
  },
  "forced-rematch": {
    title: "A repeated match",
    about: "How a match is replaced by one with a new id (MAT-07).",
    steps: [
      ...ALL_SETTLED,
      step(
        "The service matches the purchase again.",
        "Repeat the match",
        call("rematch", PURCHASE),
      ),
    ],
  },
  enrichment: {
    title: "An enriched purchase",
    about: "How details of the merchant are added to a message.",
    steps: [
      ENROLL_ALONE,
      BUY,
      step("The service recognizes the merchant.", "Enrich the purchase", call("enrich", PURCHASE)),
    ],
  },
  "cardholder-enrollment": {
    title: "A card from enrollment to deactivation",
    about: "The states of a card subscription.",
    steps: [
      step(
        "The cardholder enrolls a card, but the bank can't authenticate them.",
        "Enroll the card",
        ENROLL,
        call("sca-fail", SUBSCRIPTION),
      ),
      step("The cardholder tries again.", "Authenticate again", PASS),
      step(
        "The cardholder removes the card.",
        "Deactivate the card",
        call("deactivate", SUBSCRIPTION),
      ),
    ],
  },
  "link-with-bank-feed-cards": {
    title: "Cards that come from credit accounts",
    about: "How a bank link creates a card for each credit account.",
    steps: [
      step(
        "The cardholder shares two credit accounts. The service creates a card for each.",
        "Share the credit accounts",
        ...sharing(CREDIT, { ...CREDIT, name: "Business Credit" }),
      ),
    ],
  },
  "transactions-without-messages": {
    title: "Transactions without their messages",
    about: "How transactions look if the projection of messages is off (TXN-10).",
    steps: [
      ENROLL_ALONE,
      step(
        "The service switches the projection of messages off.",
        "Switch the projection off",
        call("switch-projection", { on: false }),
      ),
      BUY,
      step(
        "The service switches the projection on again. The network clears the purchase.",
        "Switch the projection on",
        call("switch-projection", { on: true }),
        call("clear", PURCHASE),
      ),
    ],
  },
  "link-of-enrolled-cards": {
    title: "A bank account of enrolled cards",
    about: "How a bank link finds enrolled cards by their last four digits.",
    steps: [
      step(
        "The cardholder enrolls two cards of one account, on two networks.",
        "Enroll the cards",
        call("enroll", { cardNumber: "4000000000005205", network: { networkCode: "a" } }),
        call("enroll", { cardNumber: "5000000000005205", network: { networkCode: "b" } }),
      ),
      step(
        "The cardholder shares the account. Both cards are linked to it.",
        "Share the bank account",
        ...sharing({ name: "Everyday Account", type: "depository/checking", mask: "5205" }),
      ),
    ],
  },
  "in-place-upgrade": {
    title: "An upgrade of a bank-feed card",
    about: "How a card that comes from a bank account gets network data.",
    steps: [
      SHARE_CREDIT_ACCOUNT,
      step(
        "The cardholder enters the card number. The same subscription is upgraded.",
        "Enter the card number",
        call("upgrade", { subscriptionId: of("share", "id", CREATED) }, "enroll"),
      ),
      step(
        "Until the bank has authenticated the cardholder, bank data arrives as before.",
        "Post a movement",
        call("bank-post", { ...ACCOUNT, amount: 31.2, description: "STADTWERKE" }),
      ),
      step("The bank authenticates the cardholder.", "Pass the authentication", PASS),
      step(
        "The cardholder pays 42.50 EUR. The network now sends the purchase.",
        "Pay with the card",
        call("purchase", CARD),
      ),
    ],
  },
  "late-bank-linking": {
    title: "Cards that are linked later",
    about: "How cards of any type and state are linked to a bank account (SUB-07).",
    steps: [
      step(
        "The cardholder enrolls two cards; one is not authenticated yet.",
        "Enroll the cards",
        call("enroll", {}, "pending"),
        ENROLL,
        PASS,
      ),
      ...acceptFeed(),
      SHARE_ACCOUNT,
      step(
        "The account is linked to all of them.",
        "Link the cards",
        call("link-card", { cardId: of("pending", "cardId"), ...ACCOUNT }),
        call("link-card", { ...CARD, ...ACCOUNT }),
        call("link-card", {
          cardId: of("accept", "cardId", CREATED),
          ...ACCOUNT,
        }),
      ),
      step(
        "The bank authenticates the cardholder for the first card.",
        "Pass the authentication",
        call("sca-pass", { subscriptionId: of("pending", "subscriptionId") }),
      ),
    ],
  },
  "bulk-feed-accepted": {
    title: "An accepted bulk feed",
    about: "How a company's cards are enrolled at once.",
    steps: acceptFeed(),
  },
  "bulk-feed-with-expected-card-count": {
    title: "A bulk feed with a card count",
    about: "How the expected number of cards is announced.",
    steps: acceptFeed({ expectedCardCount: 3 }),
  },
  "bulk-feed-rejected": {
    title: "A rejected bulk feed",
    about: "How a network refuses a feed.",
    steps: [
      step(
        "A department submits its cards, and the network rejects the feed.",
        "Submit the feed",
        call("open-subaccount", { name: "Field Office" }),
        call("feed-submit", {}, "submit"),
        call("feed-reject", { feedId: of("submit", "feedId") }),
      ),
    ],
  },
  "consent-expiring-and-recovery": {
    title: "A consent that expires",
    about: "What the bank posts while the connection needs attention, and after.",
    steps: [
      SHARE_ACCOUNT,
      step(
        "The consent to the bank account is about to expire.",
        "Let the consent expire",
        call("consent-expire", ACCOUNT),
      ),
      step(
        "The bank posts a fee of 9.99 EUR. It is not synced yet, so no event is sent.",
        "Post a fee",
        call("bank-post", { ...ACCOUNT, amount: 9.99, description: "ACCOUNT FEE" }),
      ),
      step(
        "The cardholder renews the consent. The missed posting is synced.",
        "Renew the consent",
        call("recover", ACCOUNT),
      ),
    ],
  },
  "connection-lost-and-recovery": {
    title: "A lost connection",
    about: "How a connection is lost from both other states, and recovers.",
    steps: [
      SHARE_ACCOUNT,
      DISCONNECT,
      RECOVER,
      step(
        "The consent is about to expire, and the bank does not say when.",
        "Let the consent expire",
        call("consent-expire", { ...ACCOUNT, expiresAt: null }),
      ),
      DISCONNECT,
      RECOVER,
    ],
  },
  "bank-only-movement": {
    title: "A bank-only movement",
    about: "How a movement without a card becomes a transaction.",
    steps: [
      SHARE_ACCOUNT,
      step(
        "The bank posts the rent, 1,250.00 EUR. No card was used.",
        "Post the rent",
        call("bank-post", {
          ...ACCOUNT,
          amount: 1250,
          description: "STANDING ORDER LIFFEY LETTINGS",
        }),
      ),
    ],
  },
  "bank-only-movement-with-card": {
    title: "A bank-only movement of an account with a card",
    about: "How a movement gets the card of its account (TXN-17).",
    steps: [SHARE_ACCOUNT, ENROLL_CARD, POST_LATE_MOVEMENT],
  },
} as const satisfies Record<string, Script>;

/** The id of a script. */
export type ScriptId = keyof typeof scripts;

/** The scripts that the page shows as stories, in this order. */
export const stories: readonly ScriptId[] = [
  "purchase-cleared-by-network",
  "bank-only-movement",
  "split-clearing",
  "late-card-match",
  "in-place-upgrade",
  "deletion-of-matched-bank-transaction",
  "consent-expiring-and-recovery",
];
