import { memberOf } from "../../../src/contract/pointer.ts";
import { isPlain } from "../../../src/contract/rules/sum.ts";
import { AUTHORIZATION, OPEN_BANKING } from "../../../src/contract/rules/vocabulary.ts";
import { projectedMessages } from "../../observe/feed.ts";
import type { Capabilities } from "../../target.ts";
import type { Case } from "./factories.ts";

type Transaction = Parameters<typeof isPlain>[0];
type Message = Parameters<typeof isPlain>[1][number];

const transactions: Case["of"] = (observations) => observations.transactions;
const messages: Case["of"] = (observations) => observations.messages;

/** Standalone messages and messages in transactions. */
const allMessages: Case["of"] = (observations) => [
  ...observations.messages,
  ...observations.projections,
];

export const supersededIn = (transaction: unknown): readonly unknown[] => {
  const ids = memberOf(transaction, "supersededMessageIds");
  return Array.isArray(ids) ? ids : [];
};

export const isBankOnly = (body: unknown) => memberOf(body, "network") === OPEN_BANKING;

const hasSuperseded = (body: unknown) => supersededIn(body).length > 0;

const isOfC = (body: unknown, { networks }: Capabilities) =>
  memberOf(body, "network") === networks.c;

/** How to create the data of a case. */
const DATA = {
  superseded: "let the network clear a purchase that a bank posting has settled",
  bankOnly: "post a bank-only movement at the bank",
  settled: "settle a purchase",
  networkC: {
    flags: "use a card of NETWORK_C; --networks names its code",
    options: "use a card of NETWORK_C; networks names its code",
  },
  bySubscription: {
    flags: "deliveries link to them: give --webhook-listen HOST:PORT",
    options: "deliveries link to them: give webhooks",
  },
};

const noTransaction = { none: "no transaction", hint: "use a card" };

export const transaction = {
  any: { of: transactions, ...noTransaction },
  withCard: {
    of: transactions,
    shows: (body) => memberOf(body, "cardId") !== null,
    none: "no transaction with a cardId",
    hint: "use a card",
  },
  withoutCard: {
    of: transactions,
    shows: (body) => memberOf(body, "cardId") === null,
    none: "no transaction with cardId null",
    hint: "post at the bank to an account without a linked card",
  },
  withSuperseded: {
    of: transactions,
    shows: hasSuperseded,
    none: "no transaction with a superseded message",
    hint: DATA.superseded,
  },
  withoutSuperseded: {
    ...noTransaction,
    of: transactions,
    shows: (body) => !hasSuperseded(body),
    none: "no transaction without a superseded message",
  },
  projecting: {
    of: transactions,
    shows: (body) => projectedMessages(body) !== undefined,
    none: "no transaction with _embedded.messages",
    hint: "switch the projection on for the account",
  },
  projectingSuperseded: {
    of: transactions,
    shows: (body) => projectedMessages(body) !== undefined && hasSuperseded(body),
    none: "no transaction that projects a superseded message",
    hint: DATA.superseded,
  },
  projectingNoneSuperseded: {
    of: transactions,
    shows: (body) => projectedMessages(body) !== undefined && !hasSuperseded(body),
    none: "no transaction with a projection and no superseded message",
    hint: "use a card",
  },
  notProjecting: {
    of: transactions,
    shows: (body) => projectedMessages(body) === undefined,
    none: "no transaction without _embedded.messages",
    hint: "switch the projection off for the account",
  },
  settled: {
    of: transactions,
    shows: (body) => !hasSuperseded(body) && isSum(body),
    none: "no transaction with settled amounts that are clearly a sum",
    hint: DATA.settled,
  },
  settledSuperseding: {
    of: transactions,
    shows: (body) => hasSuperseded(body) && isSum(body),
    none: "no transaction with a superseded message and settled amounts that are clearly a sum",
    hint: DATA.superseded,
  },
  bankOnly: {
    of: transactions,
    shows: (body) => projectedMessages(body) !== undefined && (isBankOnly(body) || isMarked(body)),
    none: "no transaction on OPEN_BANKING that projects its message",
    hint: DATA.bankOnly,
  },
} satisfies Record<string, Case>;

export const message = {
  projected: {
    of: (observations) => observations.projections,
    none: "no transaction with _embedded.messages",
    hint: "switch the projection on for the account",
  },
  alone: { of: messages, none: "no standalone message", hint: "use a card" },
  ofOthers: {
    of: allMessages,
    shows: (body, capabilities) => !isOfC(body, capabilities),
    none: "no message of a network other than NETWORK_C",
    hint: "use a card of another network",
  },
  ofC: {
    of: allMessages,
    shows: (body, capabilities) => isOfC(body, capabilities) && memberOf(body, "traceId") != null,
    none: "no message of NETWORK_C with a traceId",
    hint: DATA.networkC,
  },
  bankOnlyAlone: {
    of: messages,
    shows: isBankOnly,
    none: "no standalone message on OPEN_BANKING",
    hint: DATA.bankOnly,
  },
  authorizedOnC: {
    of: allMessages,
    shows: (body, capabilities) => isOfC(body, capabilities) && isOfType(body, AUTHORIZATION),
    none: "no authorization on NETWORK_C",
    hint: DATA.networkC,
  },
  authorized: {
    of: allMessages,
    shows: (body) => isOfType(body, AUTHORIZATION),
    none: "no authorization",
    hint: "use a card",
  },
  bankSourced: {
    of: allMessages,
    shows: (body) =>
      !isOfType(body, AUTHORIZATION) && (memberOf(body, "bankData") != null || isBankOnly(body)),
    none: "no message with bankData",
    hint: "post a purchase or a bank-only movement at the bank",
  },
  referred: {
    of: messages,
    shows: (body) => typeof memberOf(body, "transactionReference") === "string",
    none: "no standalone message with a transactionReference",
    hint: "use a card",
  },
} satisfies Record<string, Case>;

export const subscription = {
  networkBulk: {
    of: (observations) => observations.subscriptions,
    shows: (body) => memberOf(body, "enrollmentType") === "network-bulk",
    none: "no response links to a card subscription of a bulk feed",
    hint: DATA.bySubscription,
  },
  notBulk: {
    of: (observations) => observations.subscriptions,
    shows: (body) => memberOf(body, "enrollmentType") !== "network-bulk",
    none: "no response links to a card subscription that is not network-bulk",
    hint: DATA.bySubscription,
  },
  any: {
    of: (observations) => observations.subscriptions,
    none: "no response links to a card subscription",
    hint: DATA.bySubscription,
  },
} satisfies Record<string, Case>;

function isOfType(body: unknown, type: string): boolean {
  return memberOf(body, "messageType") === type;
}

/** Whether the settled amount is defined: one currency, a projection, known results. */
function isSum(body: unknown): boolean {
  const projected = projectedMessages(body);
  return projected !== undefined && isPlain(body as Transaction, projected as Message[]);
}

/** Whether all messages of a transaction are marked as bank-only (TXN-16). */
export function isMarked(body: unknown): boolean {
  const projected = projectedMessages(body) ?? [];
  return projected.length > 0 && projected.every(isMarkedMessage);
}

function isMarkedMessage(body: unknown): boolean {
  const reference = memberOf(body, "transactionReference");
  const isReferred = typeof reference === "string" && reference.startsWith("bank_");
  return isReferred && memberOf(body, "approvalCode") == null && memberOf(body, "bankData") != null;
}

/** Whether a body has both timestamps. */
export function hasTimes(body: unknown): boolean {
  return ["createdAt", "updatedAt"].every((name) => !Number.isNaN(timeOf(body, name)));
}

/** Whether `updatedAt` is not before `createdAt`. */
export function isInOrder(body: unknown): boolean {
  return timeOf(body, "updatedAt") >= timeOf(body, "createdAt");
}

function timeOf(body: unknown, name: string): number {
  return Date.parse(`${memberOf(body, name)}`);
}
