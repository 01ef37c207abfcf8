// Data shared by the cases: ids derived from names, timestamps by hour of the capture, and the
// bodies of all resources but transactions.
import type { EventPayloads } from "../../../generated/events.ts";
import { type Delivery, deliver } from "./delivery.ts";

export type BankTransaction = EventPayloads["banktransaction.created"];
export type Subscription = EventPayloads["cardsubscription.created"];
type BankAccount = EventPayloads["banklink.completed"]["bankAccounts"][number];
type AccountState = EventPayloads["bankaccount.state_changed"];
type Feed = EventPayloads["networkbulkfeed.statechanged"];

/** Derives a UUID from a name. */
export function id(name: string): string {
  const hex = [1, 2, 3, 4].map((salt) => hash(`${salt} ${name}`).toString(16).padStart(8, "0"));
  return hex.join("").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let state = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    state = Math.imul(state ^ text.charCodeAt(at), 0x01000193);
  }
  return state >>> 0;
}

/** The timestamp of an hour of the capture. */
export const time = (hour: number) =>
  new Date(Date.UTC(2025, 2, 3, 8) + hour * 3_600_000).toISOString();

export const SUBACCOUNT = id("subaccount");
export const CARD = id("card");
export const ACCOUNT = id("everyday account");

/** A link to a resource. */
export const link = (collection: string, resource: string) => ({
  href: `/${collection}/${resource}`,
});

/** A bank account in a completed link; the account called "everyday account" is {@link ACCOUNT}. */
export function account(name = "everyday account", over: Partial<BankAccount> = {}): BankAccount {
  return { id: id(name), name, mask: "4410", type: "depository", cardIds: [], ...over };
}

/** A credit account whose completion mints a card, with a bank-feed subscription. */
export function creditAccount(name: string, ...cards: string[]): BankAccount {
  return account(name, {
    type: "credit",
    cardIds: cards.map(id),
    cards: cards.map((card) => ({
      id: id(card),
      subscriptionId: id(`subscription of ${card}`),
      last4digits: "4410",
      network: "network_c",
      enrollmentType: "bank-feed",
    })),
  });
}

export const completed = (
  name = "link",
  accounts: BankAccount[] = [account()],
): Delivery<"banklink.completed"> =>
  deliver("banklink.completed", { bankLinkId: id(name), bankAccounts: accounts });

/** A state transition of an account's connection. */
export const moved = (
  previousState: AccountState["previousState"],
  state: AccountState["state"],
  over: Partial<AccountState> = {},
): Delivery<"bankaccount.state_changed"> =>
  deliver("bankaccount.state_changed", {
    bankAccountId: ACCOUNT,
    state,
    previousState,
    reason: state === "auth_required" ? "consent_expiring" : null,
    expiresAt: null,
    ...over,
  });

/** A posted debit of 42.50. */
export const posting = (name = "cafe", over: Partial<BankTransaction> = {}): BankTransaction => ({
  id: id(`bank transaction ${name}`),
  bankAccountId: ACCOUNT,
  bankAccountName: "everyday account",
  date: "2025-03-03",
  amount: 42.5,
  currency: "EUR",
  description: name.toUpperCase(),
  merchantName: name,
  category: "FOOD_AND_DRINK",
  pending: false,
  transactionType: "debit",
  ...over,
});

export const synced = (bank: BankTransaction): Delivery<"banktransaction.created"> =>
  deliver("banktransaction.created", bank);

export const removed = (
  bank: BankTransaction,
  over: Partial<EventPayloads["banktransaction.deleted"]> = {},
): Delivery<"banktransaction.deleted"> =>
  deliver("banktransaction.deleted", {
    id: bank.id,
    bankAccountId: bank.bankAccountId,
    deletedAt: time(60),
    reason: "provider_removed",
    metadata: { resourceId: bank.id },
    ...over,
  });

/** The state of a subscription, which determines its links and ids. */
export interface SubscriptionState {
  readonly type?: Subscription["enrollmentType"];
  readonly state?: Subscription["state"];
  /** The linked bank account. A bank-feed subscription has one from its creation. */
  readonly bankAccountId?: string;
  readonly hour?: number;
  readonly card?: string;
}

/** A subscription with an id derived from its name. */
export function subscription(
  name: string,
  { type = "cardholder-single", state = "reqSCA", hour = 0, card = name, ...at }: SubscriptionState,
): Subscription {
  const self = id(`subscription of ${name}`);
  const feed = type === "network-bulk" ? id("feed") : null;
  const bankAccountId = at.bankAccountId ?? (type === "bank-feed" ? ACCOUNT : undefined);
  return {
    id: self,
    subaccountId: SUBACCOUNT,
    cardId: id(card),
    enrollmentType: type,
    state,
    networkBulkFeedId: feed,
    ...(bankAccountId && { bankAccountId }),
    customerReferenceId: null,
    effectiveDate: time(0),
    expirationDate: time(26_280),
    createdAt: time(0),
    updatedAt: time(hour),
    _links: {
      self: link("card-subscriptions", self),
      card: link("cards", id(card)),
      ...(feed && { networkBulkFeed: link("network-bulk-feeds", feed) }),
      ...(bankAccountId && { bankAccount: link("bank-accounts", bankAccountId) }),
    },
  } as Subscription;
}

export const subscribed = (
  name: string,
  state: SubscriptionState = {},
): Delivery<"cardsubscription.created"> =>
  deliver("cardsubscription.created", subscription(name, state));

export const changed = (
  name: string,
  state: SubscriptionState,
): Delivery<"cardsubscription.updated"> =>
  deliver("cardsubscription.updated", subscription(name, { hour: 1, ...state }));

/** A state transition of a bulk feed. "feed" is the feed of the network-bulk cards. */
export const feedMoved = (
  oldState: Feed["oldState"],
  newState: Feed["newState"],
  { name = "feed", hour = 0, ...over }: Partial<Feed> & { name?: string; hour?: number } = {},
): Delivery<"networkbulkfeed.statechanged"> =>
  deliver("networkbulkfeed.statechanged", {
    id: id(name),
    subaccountId: SUBACCOUNT,
    network: "NETWORK_B",
    networkReference: `BULK-${name}`,
    oldState,
    newState,
    ...(newState === "failed" && { errorReason: "rejected by the network" }),
    createdAt: time(0),
    updatedAt: time(hour),
    _links: { self: link("network-bulk-feeds", id(name)) },
    ...over,
  });
