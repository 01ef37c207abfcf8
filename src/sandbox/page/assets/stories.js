/**
 * @typedef {{of: string, field: string, event?: string}} Reference a field of the result of an
 * earlier call, or of the body of an event that it sent
 *
 * @typedef {object} Call a verb, or an advance of the clock
 * @property {string} [as] the name by which later calls refer to it
 * @property {string} [verb]
 * @property {Record<string, unknown>} [params] values, or references
 * @property {string} [advance] a duration
 *
 * @typedef {object} Step
 * @property {string} sentence what happens in the real world
 * @property {string} button
 * @property {Call[]} calls
 *
 * @typedef {object} Story
 * @property {string} title
 * @property {string} about what it shows
 * @property {Step[]} steps
 */

/** @param {string} name @param {string} field @param {string} [event] @returns {Reference} */
const of = (name, field, event) => ({ of: name, field, ...(event && { event }) });

const CARD = { cardId: of("enroll", "cardId") };
const ACCOUNT = { bankAccountId: of("share", "bankAccountIds") };

/** @param {object} account @returns {Call[]} */
const sharing = (account) => [
  { as: "start", verb: "link-start", params: { accounts: [account] } },
  { as: "share", verb: "link-complete", params: { bankLinkId: of("start", "bankLinkId") } },
];

/** @type {Step} */
const SHARE_ACCOUNT = {
  sentence: "The cardholder shares a bank account.",
  button: "Share the bank account",
  calls: sharing({ name: "Everyday Account", type: "depository/checking" }),
};

/** @type {Step} */
const ENROLL_CARD = {
  sentence: "The cardholder enrolls the card of this account, and the bank authenticates them.",
  button: "Enroll the card",
  calls: [
    { as: "enroll", verb: "enroll" },
    { verb: "sca-pass", params: { subscriptionId: of("enroll", "subscriptionId") } },
    { verb: "link-card", params: { ...CARD, ...ACCOUNT } },
  ],
};

/** @type {Step} */
const BUY = {
  sentence: "The cardholder pays 42.50 EUR at a café. The network authorizes the purchase.",
  button: "Pay with the card",
  calls: [
    {
      as: "buy",
      verb: "purchase",
      params: { ...CARD, amount: 42.5, merchant: { descriptor: "CORNER CAFE 12" } },
    },
  ],
};

/** @type {Step} */
const POST = {
  sentence: "The bank posts the purchase. The posting matches the purchase and settles it.",
  button: "Post the purchase",
  calls: [{ as: "post", verb: "bank-post", params: { transactionId: of("buy", "transactionId") } }],
};

/** @type {Story[]} */
export const STORIES = [
  {
    title: "A purchase that a bank settles",
    about: "How card data and bank data become one transaction.",
    steps: [
      SHARE_ACCOUNT,
      ENROLL_CARD,
      BUY,
      POST,
      {
        sentence: "The network clears the purchase. Its message supersedes that of the bank.",
        button: "Clear the purchase",
        calls: [{ verb: "clear", params: { transactionId: of("buy", "transactionId") } }],
      },
    ],
  },
  {
    title: "A bank-only movement",
    about: "How a movement without a card becomes a transaction.",
    steps: [
      SHARE_ACCOUNT,
      {
        sentence: "The bank posts the rent, 1,250.00 EUR. No card was used.",
        button: "Post the rent",
        calls: [
          {
            verb: "bank-post",
            params: { ...ACCOUNT, amount: 1250, description: "STANDING ORDER LIFFEY LETTINGS" },
          },
        ],
      },
    ],
  },
  {
    title: "A purchase in two parts",
    about: "How two postings settle one purchase.",
    steps: [
      SHARE_ACCOUNT,
      ENROLL_CARD,
      {
        sentence: "The cardholder orders goods for 96.40 EUR online.",
        button: "Order the goods",
        calls: [
          {
            as: "buy",
            verb: "purchase",
            params: { ...CARD, amount: 96.4, merchant: { descriptor: "NORDLYS BOKHANDEL" } },
          },
        ],
      },
      {
        sentence: "The shop ships a part for 60.00 EUR. The network clears that part.",
        button: "Clear the first part",
        calls: [
          {
            verb: "clear-partial",
            params: { transactionId: of("buy", "transactionId"), amount: 60 },
          },
        ],
      },
      {
        sentence: "The bank posts the first part.",
        button: "Post the first part",
        calls: [
          {
            verb: "bank-post",
            params: { ...ACCOUNT, amount: 60, description: "NORDLYS BOKHANDEL" },
          },
        ],
      },
      {
        sentence: "The shop ships the rest. The network clears it.",
        button: "Clear the rest",
        calls: [{ verb: "clear", params: { transactionId: of("buy", "transactionId") } }],
      },
      {
        sentence: "The bank posts the rest. Both postings match the same purchase.",
        button: "Post the rest",
        calls: [
          {
            verb: "bank-post",
            params: { ...ACCOUNT, amount: 36.4, description: "NORDLYS BOKHANDEL" },
          },
        ],
      },
    ],
  },
  {
    title: "Late card data",
    about: "How card data that comes after the posting replaces a bank-only transaction.",
    steps: [
      SHARE_ACCOUNT,
      ENROLL_CARD,
      {
        sentence: "The bank posts 58.10 EUR. No card data is known, so it is a bank-only movement.",
        button: "Post the movement",
        calls: [
          {
            as: "post",
            verb: "bank-post",
            params: { ...ACCOUNT, amount: 58.1, description: "HAFEN ELEKTRO HAMBURG" },
          },
        ],
      },
      {
        sentence: "The network sends the card data of that purchase, after the bank.",
        button: "Send the card data",
        calls: [
          {
            verb: "late-card-data",
            params: { ...CARD, bankTransactionId: of("post", "bankTransactionId") },
          },
        ],
      },
      {
        sentence: "The service matches again. The bank-only transaction is reduced to zero.",
        button: "Wait one minute",
        calls: [{ advance: "1m" }],
      },
    ],
  },
  {
    title: "An upgrade of a bank-feed card",
    about: "How a card that comes from a bank account gets network data.",
    steps: [
      {
        sentence: "The cardholder shares a credit account. The service creates a card for it.",
        button: "Share the credit account",
        calls: sharing({ name: "Travel Credit", type: "Credit Card" }),
      },
      {
        sentence: "The cardholder enters the card number. The same subscription is upgraded.",
        button: "Enter the card number",
        calls: [
          {
            as: "upgrade",
            verb: "upgrade",
            params: { subscriptionId: of("share", "id", "cardsubscription.created") },
          },
        ],
      },
      {
        sentence: "The bank authenticates the cardholder.",
        button: "Pass the authentication",
        calls: [{ verb: "sca-pass", params: { subscriptionId: of("upgrade", "subscriptionId") } }],
      },
      {
        sentence: "The cardholder pays 42.50 EUR. The network now sends the purchase.",
        button: "Pay with the card",
        calls: [{ verb: "purchase", params: { cardId: of("upgrade", "cardId"), amount: 42.5 } }],
      },
    ],
  },
  {
    title: "A deleted posting",
    about: "What happens to a purchase when the provider removes its posting.",
    steps: [
      SHARE_ACCOUNT,
      ENROLL_CARD,
      BUY,
      POST,
      {
        sentence: "The provider removes the posting. The match is retracted.",
        button: "Remove the posting",
        calls: [
          {
            verb: "provider-remove",
            params: { bankTransactionId: of("post", "bankTransactionId") },
          },
        ],
      },
    ],
  },
  {
    title: "A consent that expires",
    about: "What the bank posts while the connection needs attention, and after.",
    steps: [
      SHARE_ACCOUNT,
      {
        sentence: "The consent to the bank account is about to expire.",
        button: "Let the consent expire",
        calls: [{ verb: "consent-expire", params: ACCOUNT }],
      },
      {
        sentence: "The bank posts a fee of 9.99 EUR. It is not synced yet, so no event is sent.",
        button: "Post a fee",
        calls: [
          { verb: "bank-post", params: { ...ACCOUNT, amount: 9.99, description: "ACCOUNT FEE" } },
        ],
      },
      {
        sentence: "The cardholder renews the consent. The missed posting is synced.",
        button: "Renew the consent",
        calls: [{ verb: "recover", params: ACCOUNT }],
      },
    ],
  },
];
