import type { Script, Step } from "./player.ts";

const NETWORKS = ["NETWORK_A", "NETWORK_B", "NETWORK_C"] as const;

const twice = (step: Step): Step[] => [step, step];

/** An active card with a current account, named `card` and `account`. */
export function linkedCard(digits: string, network?: string, suffix = ""): Step[] {
  return [
    { verb: "enroll", as: `card${suffix}`, cardNumber: `400000000000${digits}`, network },
    { verb: "sca-pass" },
    { verb: "link-start", accounts: [{ name: "Everyday", mask: digits }] },
    { verb: "link-complete", as: `account${suffix}` },
  ];
}

/** Every state of a card subscription, on each network, with and without a bank account. */
const subscriptions: readonly Step[] = [
  { verb: "enroll", as: "card 1", cardNumber: "4000000000001111", network: "NETWORK_A" },
  { verb: "enroll", as: "card 2", network: "NETWORK_B", customerReferenceId: "employee-1" },
  { verb: "enroll", as: "card 3", network: "NETWORK_C" },
  { verb: "enroll", as: "card 4" },
  { verb: "sca-fail", subscriptionId: "card 1" },
  ...[1, 2, 3].flatMap((nr): Step[] => [
    { verb: "advance", by: "10s" },
    { verb: "sca-pass", subscriptionId: `card ${nr}` },
  ]),
  { verb: "sca-pass", subscriptionId: "card 1" },
  // The same card cannot be enrolled twice, but the same digits of another network can.
  { verb: "enroll", cardNumber: "4000000000001111", network: "NETWORK_A" },
  { verb: "enroll", cardNumber: "4000000000001111", network: "NETWORK_B" },
  ...twice({ verb: "deactivate", subscriptionId: "card 2" }),
  { verb: "upgrade", subscriptionId: "card 1" },
  // SUB-07 in each state.
  { verb: "link-start", accounts: [{ name: "Later", mask: "9009" }] },
  { verb: "link-complete" },
  ...[1, 2, 3, 4].flatMap((nr): Step[] => [
    { verb: "advance", by: "1s" },
    ...twice({ verb: "link-card", cardId: `card ${nr}` }),
  ]),
  // Minted cards: upgraded by the verb, and by an enrollment of the same card.
  {
    verb: "link-start",
    accounts: [
      { type: "Credit Card", mask: "7731", network: "NETWORK_C" },
      { type: "credit", mask: "7732", network: "NETWORK_A" },
      { type: "credit", mask: "7733" },
    ],
  },
  { verb: "link-complete" },
  { verb: "upgrade" },
  { verb: "sca-fail" },
  { verb: "sca-pass" },
  { verb: "enroll", cardNumber: "4000000000007732", network: "NETWORK_A" },
  { verb: "enroll", cardNumber: "4000000000007731", network: "NETWORK_B" },
  { verb: "sca-pass" },
  { verb: "deactivate" },
  // A card that is enrolled after its bank account was linked.
  { verb: "link-start", accounts: [{ mask: "6006" }] },
  { verb: "link-complete" },
  { verb: "enroll", cardNumber: "4000000000006006", network: "NETWORK_B" },
  { verb: "open-subaccount", as: "office", name: "Second office" },
  { verb: "enroll", subaccountId: "office" },
  { verb: "open-subaccount", accountId: "other" },
  { verb: "enroll", accountId: "other" },
  { verb: "sca-pass", accountId: "other" },
  { verb: "link-card", accountId: "other" },
];

/** Every state of a bulk feed. */
const feeds: readonly Step[] = [
  ...[undefined, ...NETWORKS].flatMap((network): Step[] => [
    { verb: "feed-submit", as: "feed", network, expectedCardCount: 2 },
    { verb: "advance", by: "1m" },
    ...twice({ verb: "feed-accept", feedId: "feed" }),
    { verb: "feed-reject", feedId: "feed" },
    { verb: "feed-submit", as: "rejected", network },
    { verb: "feed-reject", feedId: "rejected", errorReason: "No contract" },
    { verb: "feed-accept", feedId: "rejected" },
    { verb: "feed-submit", network, expectedCardCount: 0 },
    { verb: "feed-reject" },
  ]),
  { verb: "feed-submit" },
  { verb: "feed-accept", cards: 3 },
  { verb: "feed-accept", cards: 1 },
  { verb: "feed-accept" },
  { verb: "deactivate" },
  { verb: "link-start" },
  { verb: "link-complete" },
  { verb: "link-card" },
  { verb: "purchase" },
  { verb: "bank-post" },
];

const polled = (bankLinkId: string): Step => ({ verb: "link-complete", bankLinkId, by: "polling" });

/** Links completed by each way, with cards that were there before and with minted ones. */
const links: readonly Step[] = [
  { verb: "enroll", cardNumber: "4000000000005205", network: "NETWORK_A" },
  { verb: "sca-pass" },
  { verb: "enroll", cardNumber: "4000000000005205", network: "NETWORK_B" },
  {
    ...{ verb: "link-start", as: "link 1", provider: "PROVIDER_B" },
    accounts: [
      { name: "Current", mask: "5205", type: "depository/checking" },
      { name: "Credit", mask: "3155", type: "CREDIT", network: "NETWORK_C" },
      { mask: "3156", type: "credit card", network: "NETWORK_A", currency: "USD" },
      { mask: "0042", type: "savings" },
      { mask: "0043", type: "Something else" },
      { type: "loan" },
    ],
  },
  ...twice({ verb: "link-complete", bankLinkId: "link 1", by: "notification" }),
  polled("link 1"),
  { verb: "advance", by: "1h" },
  // Polling, and a PATCH before the poll.
  { verb: "link-start", as: "link 2" },
  ...twice(polled("link 2")),
  ...["1s", "29s", "30s", "1m", "10m", "1h"].map((by): Step => ({ verb: "advance", by })),
  { verb: "link-start", as: "link 3", accounts: [{ type: "credit", mask: "4401" }] },
  polled("link 3"),
  ...twice({ verb: "patch", bankLinkId: "link 3" }),
  { verb: "advance", by: "1h" },
  { verb: "link-start", as: "link 4", accounts: [{ mask: "5205" }] },
  { verb: "patch", bankLinkId: "link 4", body: "{}" },
  { verb: "link-complete", bankLinkId: "link 4" },
  { verb: "advance", by: "1h" },
  { verb: "link-complete" },
  { verb: "link-start", accounts: [] },
  { verb: "link-complete" },
  { verb: "open-subaccount", accountId: "other" },
  { verb: "link-start", as: "foreign", accountId: "other" },
  { verb: "patch", bankLinkId: "foreign" },
  { verb: "patch", bankLinkId: "00000000-0000-4000-8000-000000000000" },
];

const EXPIRES_AT = "2026-02-01T00:00:00.000Z";
const AGAIN = { reason: "re_authentication_needed", expiresAt: EXPIRES_AT };

/** Every state of a connection, and postings while it is lost. */
const connections: readonly Step[] = [
  { verb: "enroll", cardNumber: "4000000000005205" },
  { verb: "sca-pass" },
  { verb: "link-start", accounts: [{ mask: "5205" }, { mask: "0042" }] },
  { verb: "link-complete", as: "account" },
  ...twice({ verb: "consent-expire", bankAccountId: "account" }),
  { verb: "purchase", as: "purchase", amount: 20 },
  { verb: "bank-post", transactionId: "purchase" },
  { verb: "bank-post", bankAccountId: "account", amount: 5, description: "KIOSK 8" },
  { verb: "advance", by: "2d" },
  ...twice({ verb: "recover", bankAccountId: "account" }),
  ...twice({ verb: "disconnect", bankAccountId: "account" }),
  { verb: "consent-expire", bankAccountId: "account" },
  { verb: "bank-post", bankAccountId: "account", amount: 6, description: "KIOSK 9" },
  { verb: "enroll", cardNumber: "4000000000007777" },
  { verb: "link-card", bankAccountId: "account" },
  { verb: "recover", bankAccountId: "account" },
  { verb: "consent-expire", bankAccountId: "account 2", ...AGAIN },
  { verb: "disconnect", bankAccountId: "account 2" },
  { verb: "recover", bankAccountId: "account 2" },
  { verb: "consent-expire", bankAccountId: "account 2", expiresAt: null },
  { verb: "recover" },
  { verb: "disconnect" },
  { verb: "consent-expire" },
  { verb: "recover" },
];

export const cardScripts: readonly Script[] = [
  { name: "subscriptions", world: "empty", steps: subscriptions },
  { name: "feeds", world: "empty", steps: feeds },
  { name: "links", world: "empty", steps: links },
  { name: "connections", world: "empty", steps: connections },
];
