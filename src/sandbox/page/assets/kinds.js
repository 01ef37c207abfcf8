import { el } from "./dom.js";
import { badge, facts, id, meta, moment, money, shortId } from "./format.js";
import { messages, reasons } from "./transactions.js";
import { bankAccountName, cardName, otherAccount, world } from "./world.js";

/** @typedef {import("./world.js").Resource} Resource */

/**
 * @typedef {object} Head the content of a row
 * @property {string} [amount]
 * @property {(string | false)[]} [badges]
 * @property {(string | null | undefined | false)[]} facts
 */

/**
 * @typedef {object} ResourceKind
 * @property {string} kind the name in paths
 * @property {string} title
 * @property {string} diagram the kind whose state diagram it has
 * @property {string[]} creators the verbs that create one
 * @property {string} empty what would be here
 * @property {(shown: any) => string} name
 * @property {(shown: any) => string} stateOf
 * @property {(shown: any) => Head} head
 * @property {(shown: any) => Node[]} body
 * @property {(shown: any) => Record<string, string>} params the ids by which verbs name it
 */

/** @param {any} card */
const subscriptionOf = (card) => world.byId.get(card.hidden.subscriptionId)?.body;

/** @type {ResourceKind[]} */
export const KINDS = [
  {
    kind: "transactions",
    title: "Transactions",
    diagram: "transactions",
    creators: ["purchase", "switch-projection"],
    empty: "Purchases and bank-only movements appear here. The verb purchase makes one.",
    name: ({ body }) => body.descriptor || "no descriptor",
    stateOf: ({ body }) => body.status,
    head: ({ body, hidden }) => ({
      amount: money(
        body.transactionSettledAmount || body.transactionHoldAmount,
        body.transactionCurrency,
      ),
      badges: [body.status, hidden.declined && "declined", hidden.netted && "netted"],
      facts: [cardName(body.cardId) ?? "no card", body.network, body.createdAt.slice(0, 10)],
    }),
    body: ({ body }) => [sums(body), messages(body)],
    params: ({ id: transactionId }) => ({ transactionId }),
  },
  {
    kind: "cards",
    title: "Cards",
    diagram: "card-subscriptions",
    creators: ["enroll", "open-subaccount"],
    empty: "Enrolled cards appear here. The verb enroll makes one.",
    name: ({ hidden }) => `••${hidden.last4}`,
    stateOf: (card) => subscriptionOf(card)?.state ?? "",
    head: (card) => {
      const subscription = subscriptionOf(card);
      const { enrollmentType, state, bankAccountId } = subscription ?? {};
      const account = bankAccountId ? bankAccountName(bankAccountId) : "no bank account";
      return { badges: [state ?? ""], facts: [enrollmentType, card.hidden.network, account] };
    },
    body: (card) => {
      const { networkBulkFeedId, bankAccountId } = subscriptionOf(card) ?? {};
      return [
        facts({
          card: id(card.id),
          subscription: id(card.hidden.subscriptionId),
          "bank account": bankAccountId ? id(bankAccountId) : null,
          "bulk feed": networkBulkFeedId ? id(networkBulkFeedId) : null,
        }),
      ];
    },
    params: (card) => ({ cardId: card.id, subscriptionId: card.hidden.subscriptionId }),
  },
  {
    kind: "bank-links",
    title: "Links",
    diagram: "bank-links",
    creators: ["link-start"],
    empty: "Bank links appear here. The verb link-start makes one.",
    name: ({ hidden }) => hidden.provider,
    stateOf: ({ hidden }) => hidden.state,
    head: ({ hidden }) => {
      const names = hidden.accounts.map((/** @type {any} */ one) => `${one.name} ••${one.mask}`);
      return { badges: [hidden.state], facts: [names.join(", ")] };
    },
    body: ({ id: linkId, hidden }) => {
      const hosted = { href: `link/${linkId}`, target: "_blank", class: "hosted" };
      const page = el("p", {}, el("a", hosted, "Open the hosted page"));
      return [facts({ link: id(linkId) }), ...(hidden.state === "started" ? [page] : [])];
    },
    params: ({ id: bankLinkId }) => ({ bankLinkId }),
  },
  {
    kind: "bank-accounts",
    title: "Accounts",
    diagram: "bank-accounts",
    creators: ["link-complete"],
    empty: "Bank accounts appear here. The verb link-complete connects some.",
    name: ({ hidden }) => `${hidden.name} ••${hidden.mask}`,
    stateOf: ({ hidden }) => hidden.state,
    head: ({ hidden }) => ({
      badges: [hidden.state],
      facts: [
        hidden.type,
        hidden.currency,
        hidden.cardIds.map(cardName).join(", ") || "no card",
        hidden.unsynced.length > 0 && `${hidden.unsynced.length} not synced`,
      ],
    }),
    body: ({ id: accountId, hidden }) => [
      facts({ "bank account": id(accountId), provider: hidden.provider }),
    ],
    params: ({ id: bankAccountId }) => ({ bankAccountId }),
  },
  {
    kind: "bank-transactions",
    title: "Postings",
    diagram: "bank-transactions",
    creators: ["bank-post"],
    empty: "Bank transactions appear here. The verb bank-post makes one.",
    name: ({ hidden }) => hidden.posting.merchantName ?? hidden.posting.description,
    stateOf: ({ hidden }) => (hidden.deleted ? "deleted" : "synced"),
    head: ({ body, hidden: { posting, deleted, matchId, standaloneId } }) => ({
      amount: money(body.amount, posting.currency),
      badges: [
        deleted && "deleted",
        posting.pending && "pending",
        !deleted && matchId && "matched",
        !deleted && !matchId && standaloneId && "bank-only",
      ],
      facts: [posting.transactionType, bankAccountName(body.bankAccountId), posting.day],
    }),
    body: ({ id: postingId, hidden: { posting } }) => [
      facts({
        "bank transaction": id(postingId),
        description: posting.description,
        category: posting.category.join(", ") || null,
      }),
    ],
    params: ({ id: bankTransactionId }) => ({ bankTransactionId }),
  },
  {
    kind: "transaction-matches",
    title: "Matches",
    diagram: "transaction-matches",
    creators: ["rematch"],
    empty: "Matches of purchases and bank transactions appear here. The verb bank-post makes one.",
    name: ({ body }) => body.cardTransaction.descriptor,
    stateOf: () => "announced",
    head: ({ body, hidden }) => ({
      amount: money(body.cardTransaction.amount, body.cardTransaction.currency),
      badges: [hidden.confidence],
      facts: [`score ${body.score}`, body.matches[0]?.description, body.matches[0]?.date],
    }),
    body: ({ id: matchId, body }) => [
      facts({
        match: id(matchId),
        transaction: id(body.cardTransaction.id),
        "bank transaction": id(body.matches[0]?.id ?? ""),
      }),
      reasons(body.reasons),
    ],
    // No verb takes the id of a match.
    params: ({ body }) => ({ bankTransactionId: body.matches[0]?.id ?? "" }),
  },
  {
    kind: "network-bulk-feeds",
    title: "Feeds",
    diagram: "network-bulk-feeds",
    creators: ["feed-submit"],
    empty: "Bulk feeds appear here. The verb feed-submit makes one.",
    name: ({ hidden }) => hidden.networkReference,
    stateOf: ({ hidden }) => hidden.state,
    head: ({ hidden: { state, network, expectedCardCount: count } }) => ({
      badges: [state],
      facts: [network, count !== null && `${count} cards expected`],
    }),
    body: ({ id: feedId }) => [facts({ feed: id(feedId) })],
    params: ({ id: feedId }) => ({ feedId }),
  },
];

/**
 * The content of a resource's row.
 *
 * @param {ResourceKind} kind
 * @param {Resource} shown
 */
export function headOf(kind, shown) {
  const { amount, badges = [], facts: details } = kind.head(shown);
  const isDeleted = badges.includes("deleted");
  return [
    el(
      "span",
      { class: "line" },
      el(isDeleted ? "del" : "strong", { class: "name" }, kind.name(shown)),
      amount !== undefined && el("span", { class: "amount" }, amount),
    ),
    el(
      "span",
      { class: "line" },
      meta(...details, otherAccount(shown.accountId)),
      el(
        "span",
        { class: "badges" },
        badges.filter((one) => one).map((one) => badge(String(one))),
      ),
    ),
  ];
}

/**
 * A readable label of any resource, for a picker.
 *
 * @param {Resource} shown
 */
export function labelOf(shown) {
  const body = /** @type {any} */ (shown.body);
  const hidden = /** @type {any} */ (shown.hidden);
  const other = otherAccount(shown.accountId);
  const label = () => {
    if (shown.kind === "subaccounts") return hidden.name;
    if (shown.kind === "card-subscriptions") return `${cardName(body.cardId)}, ${body.state}`;
    if (shown.kind === "transaction-messages") {
      return `${body.messageType}, ${money(body.transactionAmount, body.transactionCurrency)}`;
    }
    const kind = KINDS.find((one) => one.kind === shown.kind);
    if (!kind) return shortId(shown.id);
    const { amount, badges = [] } = kind.head(shown);
    return [kind.name(shown), amount, badges.find((one) => one)].filter(Boolean).join(", ");
  };
  return other ? `${label()} (${other})` : label();
}

/** @param {any} body */
function sums(body) {
  const { transactionCurrency: currency, cardholderBillingCurrency: billing } = body;
  /** @param {number} amount @param {number} billed */
  const both = (amount, billed) =>
    currency === billing
      ? money(amount, currency)
      : `${money(amount, currency)} (${money(billed, billing)})`;
  return facts({
    hold: both(body.transactionHoldAmount, body.cardholderBillingHoldAmount),
    settled: both(body.transactionSettledAmount, body.cardholderBillingSettledAmount),
    created: moment(body.createdAt),
    transaction: id(body.id),
  });
}
