import { OPEN_BANKING } from "../../../src/contract/rules/vocabulary.ts";

/** Resources as the service keeps them, and the bodies of events that it builds from them. */

export interface Subscription {
  readonly id: string;
  readonly cardId: string;
  readonly network: string;
  readonly last4: string;
  readonly feedId: string | null;
  readonly createdAt: string;
  type: "cardholder-single" | "network-bulk" | "bank-feed";
  state: "reqSCA" | "active" | "deactivated";
  bankAccountId?: string;
  /** Its place in the order in which cards were linked. */
  linkedNr: number;
  updatedAt: string;
}

export interface Feed {
  readonly id: string;
  readonly reference: string;
  readonly expectedCardCount?: number | undefined;
  readonly createdAt: string;
  state: "submitted" | "active" | "failed";
}

export interface Account {
  readonly id: string;
  readonly linkId: string;
  readonly name: string;
  readonly mask: string;
  readonly type: string;
  state: "active" | "auth_required" | "disconnected";
}

export interface Posting {
  readonly id: string;
  readonly account: Account;
  readonly amount: number;
  readonly date: string;
  readonly merchant: string | null;
  readonly type: "debit" | "credit";
  readonly pending: boolean;
}

export interface Message {
  readonly id: string;
  readonly type: "AUTH_REQU" | "FINL_ADVC";
  readonly amount: number;
  readonly reference: string;
  readonly approvalCode: string | null;
  readonly traceId: string | null;
  readonly dateTime: string;
  readonly posting?: Posting | undefined;
}

export interface Purchase {
  readonly id: string;
  readonly cardId: string | null;
  readonly network: string;
  readonly descriptor: string;
  /** The authorized amount; that of the posting for a bank-only movement. */
  readonly amount: number;
  /** The posting of a bank-only movement. */
  readonly standaloneOf?: string;
  readonly messages: Message[];
  readonly superseded: string[];
  readonly createdAt: string;
  status: "PENDING" | "SETTLED";
  isNetted: boolean;
  updatedAt: string;
}

export interface Match {
  readonly id: string;
  readonly purchase: Purchase;
  readonly posting: Posting;
  readonly confidence: "HIGH" | "MEDIUM" | "LOW";
  /** The transaction, or the bank's message of a part of it. */
  readonly cardTransactionId: string;
}

export interface Owner {
  readonly accountId: string;
  readonly subaccountId: string;
  /** The currency of cardholders; amounts in it are 1.25 times those of transactions. */
  readonly billing: "EUR" | "USD";
  /** Whether the hold amounts of purchases outlast their settlement. */
  readonly keepsHold: boolean;
}

const link = (kind: string, id: string) => ({ href: `/${kind}/${id}` });

export const inCents = (amount: number) => Math.round(amount * 100);

const billed = (amount: number, { billing }: Owner) =>
  billing === "EUR" ? amount : Math.round(inCents(amount) * 1.25) / 100;

export function subscriptionBody(one: Subscription, { subaccountId }: Owner): object {
  const { id, cardId, type, state, feedId, bankAccountId, createdAt, updatedAt } = one;
  return {
    ...{ id, subaccountId, cardId, enrollmentType: type, state, networkBulkFeedId: feedId },
    ...(bankAccountId && { bankAccountId }),
    ...{ customerReferenceId: null, effectiveDate: createdAt, createdAt, updatedAt },
    expirationDate: "2031-12-31T00:00:00.000Z",
    _links: {
      ...{ self: link("card-subscriptions", id), card: link("cards", cardId) },
      ...(feedId && { networkBulkFeed: link("network-bulk-feeds", feedId) }),
      ...(bankAccountId && { bankAccount: link("bank-accounts", bankAccountId) }),
    },
  };
}

export function feedBody(feed: Feed, network: string, updatedAt: string, owner: Owner): object {
  const { id, reference, expectedCardCount, state, createdAt } = feed;
  return {
    ...{ id, subaccountId: owner.subaccountId, network, networkReference: reference },
    ...{ oldState: "submitted", newState: state, createdAt, updatedAt },
    ...(state === "failed" && { errorReason: "not this network's cards" }),
    ...(expectedCardCount !== undefined && { expectedCardCount }),
    _links: { self: link("network-bulk-feeds", id) },
  };
}

export function postingBody(posting: Posting): object {
  const { id, account, amount, date, merchant, pending, type: transactionType } = posting;
  return {
    ...{ id, bankAccountId: account.id, bankAccountName: account.name, date, amount },
    ...{ currency: "EUR", description: textOf(merchant), merchantName: merchant },
    ...{ category: "FOOD", pending, transactionType },
  };
}

const textOf = (merchant: string | null) => `card debit ${merchant ?? ""}`.trim();

function messageFields(message: Message, { network }: Purchase, owner: Owner): object {
  const { id, type, amount, reference, approvalCode, traceId, dateTime, posting } = message;
  return {
    ...{ id, messageType: type, network, result: "APPROVED", approvalCode },
    ...{ transactionReference: reference, transactionAmount: amount, transactionCurrency: "EUR" },
    ...{ cardholderBillingAmount: billed(amount, owner), cardholderBillingCurrency: owner.billing },
    ...{ dateTime, traceId },
    bankData: posting
      ? {
          ...{ provider: "a rail of its own", bankTransactionId: posting.id },
          personalFinanceCategory: { primary: "FOOD", detailed: "FOOD_OUT" },
        }
      : null,
    _links: { self: link("transaction-messages", id) },
  };
}

export function messageBody(message: Message, purchase: Purchase, owner: Owner): object {
  const { accountId, subaccountId } = owner;
  const { cardId } = purchase;
  return { ...messageFields(message, purchase, owner), accountId, subaccountId, cardId };
}

export function transactionBody(purchase: Purchase, owner: Owner): object {
  const { id, cardId, network, status, descriptor, messages, superseded } = purchase;
  const { isNetted, createdAt, updatedAt } = purchase;
  const inForce = messages.filter((one) => !superseded.includes(one.id));
  const settling = isNetted ? [] : inForce.filter(({ type }) => type === "FINL_ADVC");
  const sum = (amountOf: (message: Message) => number) =>
    settling.reduce((cents, message) => cents + inCents(amountOf(message)), 0) / 100;
  const keepsHold = owner.keepsHold && network !== OPEN_BANKING;
  const held = status === "PENDING" || keepsHold ? purchase.amount : 0;
  return {
    ...{ id, subaccountId: owner.subaccountId, cardId, network, status, descriptor },
    acceptor: { city: "BERN", country: "CH", mcc: "5812", state: "" },
    ...{ transactionCurrency: "EUR", cardholderBillingCurrency: owner.billing },
    transactionHoldAmount: held,
    transactionSettledAmount: sum(({ amount }) => amount),
    cardholderBillingHoldAmount: billed(held, owner),
    cardholderBillingSettledAmount: sum(({ amount }) => billed(amount, owner)),
    ...{ transactionType: "DEBIT_77", supersededMessageIds: [...superseded], createdAt, updatedAt },
    _links: {
      ...{ self: link("transactions", id), subaccount: link("subaccounts", owner.subaccountId) },
      ...(cardId !== null && { card: link("cards", cardId) }),
      messages: messages.map((message) => link("transaction-messages", message.id)),
    },
    _embedded: {
      messages: messages.map((message) => ({
        ...messageFields(message, purchase, owner),
        superseded: superseded.includes(message.id),
      })),
    },
  };
}

/** The lowest score of each confidence. */
const SCORES = { HIGH: 0.7, MEDIUM: 0.5, LOW: 0.2 };

export function matchBody({ id, purchase, posting, confidence, ...match }: Match): object {
  const { id: bankAccountId, name } = posting.account;
  const { date, amount, merchant } = posting;
  const currency = "EUR";
  const { descriptor, cardId, createdAt } = purchase;
  const score = SCORES[confidence];
  return {
    ...{ matchId: id, confidence, score },
    cardTransaction: {
      ...{ id: match.cardTransactionId, cardId, date: createdAt.slice(0, 10), amount, currency },
      ...{ descriptor, source: purchase.network === OPEN_BANKING ? "bank" : "card" },
    },
    reasons: [
      {
        type: "Amount",
        score,
        cardValue: `${amount}`,
        bankValue: `${amount}`,
        diff: 0,
        message: "",
      },
    ],
    matches: [
      {
        ...{ id: posting.id, bankAccountId, bankAccountName: name, date, amount, currency },
        ...{ source: "a rail of its own", description: textOf(merchant) },
      },
    ],
  };
}

export function enrichmentBody(id: string, messageId: string, createdAt: string): object {
  const merchant = { href: "https://merchant.example/", title: "Kiosk" };
  return {
    ...{ id, createdAt, merchant: { name: "Kiosk", category: "food" } },
    location: {
      ...{ address: "Gasse 1", city: "Bern", state: "", country: "CH", postalCode: "3000" },
      phoneNumber: "+41 31 000 00 00",
    },
    _links: {
      ...{ message: link("transaction-messages", messageId), merchant },
      "merchant-logo": { ...merchant, type: "image/png" },
    },
  };
}
