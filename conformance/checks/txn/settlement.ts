import type { components } from "../../../generated/types.ts";
import { describeValue } from "../../../src/contract/describe.ts";
import type { Networks } from "../../../src/contract/networks.ts";
import { memberOf } from "../../../src/contract/pointer.ts";
import { amountsDiffer, isPlain } from "../../../src/contract/rules/sum.ts";
import { AUTHORIZATION, OPEN_BANKING, SETTLEMENT } from "../../../src/contract/rules/vocabulary.ts";
import type { Breach, Found, Session, Skip } from "../../check.ts";
import { MAX_RECHECKS, observationsOf, Recheck } from "../../observe/crawl.ts";
import {
  bankTransactionIn,
  bankTransactionsIn,
  isBankOnly,
  type Observation,
  projectedMessages,
  textOf,
} from "../../observe/feed.ts";
import { type Judgement, judged } from "../shared/seen.ts";

export type Transaction = components["schemas"]["Transaction"];
type Message = components["schemas"]["ProjectedTransactionMessage"];

/** The fields that a bank's message inherits, and the claim that each does. */
export const INHERITED = {
  network: "TXN-12.inherits-network",
  approvalCode: "TXN-12.inherits-approval-code",
  transactionReference: "TXN-12.inherits-reference",
} as const;
const inherited = Object.keys(INHERITED) as (keyof typeof INHERITED)[];

/**
 * TXN-12: a message that a bank posting adds to a purchase inherits fields of its authorization. On
 * NETWORK_C the reference is not inherited.
 *
 * @param transaction A valid transaction with its messages.
 */
export function inheritanceIn(transaction: Transaction, networks: Networks): Judgement[] {
  const messages = messagesOf(transaction);
  const authorizations = messages.filter(({ messageType }) => messageType === AUTHORIZATION);
  const [first] = authorizations;
  const added = [...messages.entries()].filter(([, message]) => isBankSettlement(message));
  if (!first) return [];
  const differing = (from: Message, to: Message) =>
    inherited.find((name) => {
      if (name === "transactionReference" && from.network === networks.c) return false;
      return (from[name] ?? null) !== (to[name] ?? null);
    });
  return added.flatMap(([index, message]) => {
    const isLikeOne = authorizations.some((one) => !differing(one, message));
    const differs = isLikeOne ? undefined : differing(first, message);
    return inherited.map((name): Judgement => {
      const path = `/_embedded/messages/${index}/${name}`;
      const expected = `${first[name]}, as in its authorization`;
      const wrong = { path, expected, actual: `${message[name]}` };
      return judged(INHERITED[name], name !== differs, wrong);
    });
  });
}

/**
 * TXN-13: if a bank's settlement and the network's clearing are duplicates, one is superseded. They
 * are duplicates if their amounts are equal and more is settled than was authorized.
 *
 * @param transaction A valid transaction with its messages.
 */
export function duplicatesIn(transaction: Transaction): Judgement[] {
  const messages = messagesOf(transaction);
  const settlements = messages.filter(({ messageType }) => messageType === SETTLEMENT);
  const isBoth = settlements.some(isBankSettlement) && !settlements.every(isBankSettlement);
  if (!isBoth || !isPlain(transaction, messages)) return [];
  const inForce = settlements.filter(({ superseded }) => !superseded);
  const currencies = new Set(messages.map(({ transactionCurrency }) => transactionCurrency));
  const authorized = sumOf(messages.filter(({ messageType }) => messageType === AUTHORIZATION));
  if (currencies.size > 1 || authorized === 0) return [];
  const settled = sumOf(inForce);
  const isTooMuch = settled > authorized && amountsDiffer(settled, authorized);
  const byBank = inForce.filter(isBankSettlement);
  const duplicate = inForce.find(
    (one) =>
      !one.bankData &&
      byBank.some(({ transactionAmount: amount }) => !amountsDiffer(amount, one.transactionAmount)),
  );
  const ids = JSON.stringify(transaction.supersededMessageIds);
  const expected = `the bank's message, because clearing ${duplicate?.id} settles the same part`;
  const wrong = { path: "/supersededMessageIds", expected, actual: ids };
  return [judged("TXN-13.supersedes", !(isTooMuch && duplicate), wrong)];
}

/** The messages of a transaction; none if it is bank-only. */
function messagesOf({ network, _embedded }: Transaction): readonly Message[] {
  return network === OPEN_BANKING ? [] : (_embedded?.messages ?? []);
}

function isBankSettlement({ messageType, bankData }: Message): boolean {
  return messageType === SETTLEMENT && Boolean(bankData);
}

function sumOf(messages: readonly Message[]): number {
  return messages.reduce((sum, { transactionAmount }) => sum + transactionAmount, 0);
}

interface Pair {
  readonly transaction: Observation;
  readonly match: Observation;
}

/** Checks the settled amounts of bank-only transactions whose bank transaction has a match. */
export async function nettingOf(session: Session): Promise<Found | Skip> {
  const { transactions, matches } = await observationsOf(session);
  const byPosting = new Map(
    matches
      // A retracted match may still be served by its id.
      .filter(({ isListed }) => isListed)
      .flatMap((match) => bankTransactionsIn(match.body).map((id) => [id, match] as const)),
  );
  const pairs = transactions
    .filter(({ isListed }) => !isListed)
    .flatMap((transaction): Pair[] => {
      const match = byPosting.get(postingOf(transaction.body) ?? "");
      return match ? [{ transaction, match }] : [];
    });
  if (pairs.length === 0) return session.skip("no bank-only transaction has a match");
  const suspects = pairs.filter(({ transaction: { body } }) => settledBy(body).length > 0);
  const recheck = new Recheck(session);
  const breaches = await Promise.all(
    suspects.slice(0, MAX_RECHECKS).map((pair) => confirm(pair, recheck)),
  );
  return { assertions: pairs.length, breaches: breaches.flat() };
}

/** Refetches both: the match may be visible before the transaction's update. */
async function confirm({ transaction, match }: Pair, recheck: Recheck): Promise<Breach[]> {
  const first = await recheck.fetch(match.exchange);
  const second = await recheck.fetch(transaction.exchange);
  const id = textOf(match.body, "id");
  if (!second || id === undefined || !first?.response?.body.includes(id)) return [];
  return settledBy(second.response?.json).map(([name, amount]) => {
    const expected = "0, because it has a match";
    const actual = describeValue(amount);
    return { path: `/${name}`, expected, actual, evidence: [second, first] };
  });
}

/** The settled amounts that are not 0. */
function settledBy(body: unknown): [name: string, amount: number][] {
  return ["transactionSettledAmount", "cardholderBillingSettledAmount"].flatMap((name) => {
    const amount = memberOf(body, name);
    return typeof amount === "number" && amount !== 0 ? [[name, amount]] : [];
  });
}

/** The bank transaction of a bank-only transaction's only message; undefined if there is none. */
function postingOf(body: unknown): string | undefined {
  const messages = projectedMessages(body);
  return isBankOnly(body) && messages?.length === 1 ? bankTransactionIn(messages[0]) : undefined;
}
