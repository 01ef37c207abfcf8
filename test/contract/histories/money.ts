// Messages, transactions and matches that are consistent with each other.
import type { EventPayloads } from "../../../generated/events.ts";
import { type Delivery, deliver } from "./delivery.ts";
import { type BankTransaction, CARD, id, link, SUBACCOUNT, time } from "./resources.ts";

export type Message = Required<Omit<EventPayloads["transactionmessage.created"], "metadata">>;
export type Transaction = EventPayloads["transaction.updated"];
export type Match = EventPayloads["transaction.match.created"];

/** The authorization of a purchase. */
export function authorization(name = "cafe", over: Partial<Message> = {}): Message {
  const self = id(`authorization ${name}`);
  return {
    id: self,
    _links: { self: link("transaction-messages", self) },
    accountId: id("api account"),
    subaccountId: SUBACCOUNT,
    cardId: CARD,
    messageType: "AUTH_REQU",
    network: "NETWORK_A",
    result: "APPROVED",
    approvalCode: "921053",
    transactionReference: `ref-${name}`,
    transactionAmount: 42.5,
    transactionCurrency: "EUR",
    cardholderBillingAmount: over.transactionAmount ?? 42.5,
    cardholderBillingCurrency: "EUR",
    dateTime: "2025-03-03T08:00:00",
    bankData: null,
    traceId: null,
    ...over,
  };
}

const bankData = ({ id: bankTransactionId }: BankTransaction) => ({
  provider: "PROVIDER_A",
  bankTransactionId,
  personalFinanceCategory: { primary: "FOOD_AND_DRINK", detailed: "FOOD_AND_DRINK_RESTAURANT" },
});

/** The message that a bank posting adds to a purchase, with inherited fields (TXN-12). */
export function settlement(
  of: Message,
  bank: BankTransaction,
  over: Partial<Message> = {},
): Message {
  const self = id(`settlement of ${of.id} by ${bank.id}`);
  return {
    ...of,
    id: self,
    _links: { self: link("transaction-messages", self) },
    messageType: "FINL_ADVC",
    transactionAmount: bank.amount,
    cardholderBillingAmount: bank.amount,
    dateTime: "2025-03-03T18:00:00",
    bankData: bankData(bank),
    ...over,
  };
}

/** The network's own clearing of a purchase. */
export function clearing(of: Message, amount = of.transactionAmount, name = "first"): Message {
  const self = id(`${name} clearing of ${of.id}`);
  return {
    ...of,
    id: self,
    _links: { self: link("transaction-messages", self) },
    messageType: "FINL_ADVC",
    transactionAmount: amount,
    cardholderBillingAmount: amount,
    dateTime: "2025-03-05T18:00:00",
  };
}

/** The synthetic message of a bank-only movement (TXN-16). */
export function synthetic(bank: BankTransaction, over: Partial<Message> = {}): Message {
  return {
    ...settlement(authorization(`only ${bank.id}`), bank),
    cardId: null,
    network: "OPEN_BANKING",
    approvalCode: null,
    transactionReference: `bank_${bank.id}`,
    ...over,
  };
}

export const announced = (message: Message): Delivery<"transactionmessage.created"> =>
  deliver("transactionmessage.created", message);

/** The options of a transaction snapshot. */
export interface Snapshot {
  readonly superseded?: readonly Message[];
  /** Whether the account has `_embedded.messages` switched on. */
  readonly projected?: boolean;
  readonly over?: Partial<Transaction>;
}

/** A transaction snapshot at an hour, with status and amounts derived from its messages. */
export function transaction(
  name: string,
  hour: number,
  messages: readonly Message[],
  { superseded = [], projected = true, over = {} }: Snapshot = {},
): Transaction {
  const self = id(`transaction ${name}`);
  const { cardId = null, network } = messages[0] as Message;
  const marked = new Set(superseded.map((message) => message.id));
  const finals = messages.filter(({ messageType }) => messageType === "FINL_ADVC");
  const settled = finals.filter((message) => !marked.has(message.id)).reduce(plus, 0);
  const hold = finals.length === 0 ? messages.reduce(plus, 0) : 0;
  return {
    id: self,
    subaccountId: SUBACCOUNT,
    cardId,
    network,
    status: finals.length === 0 ? "PENDING" : "SETTLED",
    descriptor: name.toUpperCase(),
    acceptor: { city: "Dublin", country: "IE", mcc: "5812", state: "D" },
    transactionCurrency: "EUR",
    cardholderBillingCurrency: "EUR",
    transactionHoldAmount: hold,
    transactionSettledAmount: settled,
    cardholderBillingHoldAmount: hold,
    cardholderBillingSettledAmount: settled,
    transactionType: "DEBIT_01",
    supersededMessageIds: [...marked],
    createdAt: time(0),
    updatedAt: time(hour),
    _links: {
      self: link("transactions", self),
      subaccount: link("subaccounts", SUBACCOUNT),
      ...(cardId && { card: link("cards", cardId) }),
      messages: messages.map((message) => link("transaction-messages", message.id)),
    },
    ...(projected && {
      _embedded: {
        messages: messages.map(({ accountId: _, subaccountId: __, cardId: ___, ...shared }) => ({
          ...shared,
          superseded: marked.has(shared.id),
        })),
      },
    }),
    ...over,
  };
}

const plus = (sum: number, { transactionAmount }: Message) => sum + transactionAmount;

/** A standalone whose movement matched a card: its settled amounts are 0 (TXN-14). */
export const NETTED = { transactionSettledAmount: 0, cardholderBillingSettledAmount: 0 };

export const created = (body: Transaction): Delivery<"transaction.created"> =>
  deliver("transaction.created", body);
export const updated = (body: Transaction): Delivery<"transaction.updated"> =>
  deliver("transaction.updated", body);

/** A match of a card transaction with bank transactions; its score determines its confidence. */
export function match(
  name: string,
  card: Transaction,
  banks: readonly BankTransaction[],
  { score = 0.93, cardTransactionId = card.id } = {},
): Match {
  const amount = banks[0]?.amount ?? 0;
  return {
    matchId: id(`match ${name}`),
    confidence: score >= 0.7 ? "HIGH" : score >= 0.5 ? "MEDIUM" : "LOW",
    score,
    cardTransaction: {
      id: cardTransactionId,
      cardId: card.cardId ?? CARD,
      date: "2025-03-03",
      amount,
      currency: "EUR",
      descriptor: card.descriptor,
      source: card.network,
    },
    reasons: [
      { type: "Amount", score, cardValue: amount, bankValue: amount, diff: 0, message: "equal" },
    ],
    matches: banks.map(({ merchantName, category, pending, transactionType, ...bank }) => ({
      ...bank,
      source: "PROVIDER_A",
    })),
  };
}

export const matched = (body: Match): Delivery<"transaction.match.created"> =>
  deliver("transaction.match.created", body);

/** A retraction of a match, for the given bank transaction (default: its first). */
export function retracted(
  of: Match,
  reason: EventPayloads["transaction.match.deleted"]["reason"],
  bankTransactionId = of.matches[0]?.id ?? "",
): Delivery<"transaction.match.deleted"> {
  return deliver("transaction.match.deleted", {
    matchId: of.matchId,
    bankTransactionId,
    cardTransactionId: of.cardTransaction.id,
    reason,
    metadata: { resourceId: bankTransactionId },
  });
}

/** The merchant behind a message. */
export const enriched = (message: Message): Delivery<"enrichment.merchant.created"> =>
  deliver("enrichment.merchant.created", {
    id: id(`enrichment of ${message.id}`),
    createdAt: time(1),
    merchant: { name: "Corner Cafe", category: "Restaurants" },
    location: {
      address: "12 Main Street",
      city: "Dublin",
      state: "D",
      country: "IE",
      postalCode: "D02 AB12",
      phoneNumber: "+353 1 555 0100",
    },
    _links: {
      message: link("transaction-messages", message.id),
      merchant: { href: "https://cafe.example/", title: "Corner Cafe" },
      "merchant-logo": { href: "https://logos.example/1.png", type: "image/png", title: "Logo" },
    },
  });
