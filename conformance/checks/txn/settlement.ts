import type { EventPayloads } from "../../../generated/events.ts";
import type { ClaimId } from "../../../generated/requirements.ts";
import type { components } from "../../../generated/types.ts";
import { describeValue } from "../../../src/contract/describe.ts";
import type { Networks } from "../../../src/contract/networks.ts";
import { memberOf } from "../../../src/contract/pointer.ts";
import { amountsDiffer, isPlain } from "../../../src/contract/rules/sum.ts";
import { AUTHORIZATION, OPEN_BANKING, SETTLEMENT } from "../../../src/contract/rules/vocabulary.ts";
import {
  type Check,
  type ClaimBreach,
  type Found,
  type Session,
  type SeveralClaims,
  Skip,
} from "../../check.ts";
import { MAX_RECHECKS, Recheck } from "../../observe/crawl.ts";
import { validatedDeliveriesOf } from "../../observe/deliveries/history.ts";
import {
  bankTransactionIn,
  bankTransactionsIn,
  isBankOnly,
  projectedMessages,
  textOf,
} from "../../observe/feed.ts";
import { type Observation, observationsOf } from "../../observe/observations.ts";
import { situationsOf } from "../../observe/situations.ts";
import type { Hint } from "../../skip.ts";
import type { Capabilities } from "../../target.ts";
import type { Exchange } from "../../wire/exchange.ts";
import { becauseInvalid } from "../shared/bodies.ts";

type Snapshot = EventPayloads["transaction.created"];

/** Checks settlement in single snapshots, which need no complete history. */
export const settlement: readonly Check[] = [
  // TXN-12: A bank posting matched with high confidence settles a PENDING transaction: a
  // bank-sourced FINL_ADVC message is added that inherits transactionReference, approvalCode and
  // network of the authorization, and transaction.updated is sent.
  inSnapshots(
    ["TXN-12.inherits-reference", "TXN-12.inherits-approval-code", "TXN-12.inherits-network"],
    "a delivered bank settlement inherits the fields of its authorization",
    (body, capabilities) => inheritanceIn(body, capabilities.networks),
  ),
  // TXN-13: When the network's own clearing arrives on a SETTLED transaction it stays SETTLED, the
  // settled amounts may be revised, and the provisional bank message becomes superseded; the
  // transaction.updated that announces the duplicate also marks it.
  inSnapshots(
    ["TXN-13.supersedes"],
    "a delivered purchase is not settled by both the bank and the network",
    duplicatesIn,
  ),
];

function inSnapshots(
  claims: readonly [ClaimId, ...ClaimId[]],
  title: string,
  inspect: (body: Snapshot, capabilities: Capabilities) => SettlementResult,
): Check {
  return {
    claims: claims as SeveralClaims,
    title,
    requires: ["deliveries"],
    run: async (session) => {
      const names = ["transaction.created", "transaction.updated"];
      const sound = (await validatedDeliveriesOf(session)).filter(
        ({ delivery: { name, json }, findings }) =>
          names.includes(name) && json && findings.every(({ level }) => level !== "error"),
      );
      const results = sound.map(({ delivery }) => {
        return { delivery, ...inspect(delivery.json as Snapshot, session.capabilities) };
      });
      const assertions = results.reduce((sum, one) => sum + one.assertions, 0);
      const breaches = results.flatMap(({ delivery, wrong }) =>
        wrong.map((one): ClaimBreach => ({ ...one, evidence: [delivery] })),
      );
      if (assertions === 0) return new Skip("no delivered purchase was settled so");
      const { networks } = session.capabilities;
      const situations = results
        .filter((one) => one.assertions > 0)
        .flatMap(({ delivery }) => situationsOf(delivery.json, networks));
      return { assertions, breaches, situations };
    },
  };
}

/** Checks the settlement of purchases by their messages. */
export function settling(
  claims: readonly [ClaimId, ...ClaimId[]],
  title: string,
  how: {
    readonly inspect: (body: Transaction, capabilities: Capabilities) => SettlementResult;
    readonly none: string;
    readonly hint: Hint;
  },
): Check {
  const { inspect, none, hint } = how;
  const run = async (session: Session): Promise<Found<ClaimBreach> | Skip> => {
    const { transactions } = await observationsOf(session);
    const sound = transactions.filter(({ isSound }) => isSound);
    const [invalid] = transactions.flatMap(({ findings }) => findings);
    if (sound.length === 0 && invalid) return becauseInvalid(invalid);
    const results = sound.map(({ body, at, exchange }) => {
      const { assertions, wrong } = inspect(body as Transaction, session.capabilities);
      const breaches = wrong.map((one): ClaimBreach => {
        return { ...one, path: `${at}${one.path}`, evidence: [exchange] };
      });
      return { assertions, breaches };
    });
    const assertions = results.reduce((sum, one) => sum + one.assertions, 0);
    if (assertions === 0) return session.skip(none, hint);
    return { assertions, breaches: results.flatMap(({ breaches }) => breaches) };
  };
  return { claims: claims as SeveralClaims, title, requires: ["state"], run };
}

type Transaction = components["schemas"]["Transaction"];
type Message = components["schemas"]["ProjectedTransactionMessage"];

/** The result of checking how a purchase was settled. */
interface SettlementResult {
  /** The number of messages checked. */
  readonly assertions: number;
  readonly wrong: readonly {
    readonly claim: ClaimId;
    /** In the transaction, as a JSON pointer. */
    readonly path: string;
    readonly expected: string;
    readonly actual: string;
  }[];
}

const NOTHING: SettlementResult = { assertions: 0, wrong: [] };

/** The fields that a bank's message inherits, and the claim that each does. */
const INHERITED = {
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
export function inheritanceIn(transaction: Transaction, networks: Networks): SettlementResult {
  const messages = messagesOf(transaction);
  const authorizations = messages.filter(({ messageType }) => messageType === AUTHORIZATION);
  const [first] = authorizations;
  const added = [...messages.entries()].filter(([, message]) => isBankSettlement(message));
  if (!first) return NOTHING;
  const differing = (from: Message, to: Message) =>
    inherited.find((name) => {
      if (name === "transactionReference" && from.network === networks.c) return false;
      return (from[name] ?? null) !== (to[name] ?? null);
    });
  const wrong = added.flatMap(([index, message]) => {
    const name = differing(first, message);
    if (!name || authorizations.some((one) => !differing(one, message))) return [];
    return [
      {
        claim: INHERITED[name],
        path: `/_embedded/messages/${index}/${name}`,
        expected: `${first[name]}, as in its authorization`,
        actual: `${message[name]}`,
      },
    ];
  });
  return { assertions: added.length, wrong };
}

/**
 * TXN-13: if a bank's settlement and the network's clearing are duplicates, one is superseded. They
 * are duplicates if their amounts are equal and more is settled than was authorized.
 *
 * @param transaction A valid transaction with its messages.
 */
export function duplicatesIn(transaction: Transaction): SettlementResult {
  const messages = messagesOf(transaction);
  const settlements = messages.filter(({ messageType }) => messageType === SETTLEMENT);
  const isBoth = settlements.some(isBankSettlement) && !settlements.every(isBankSettlement);
  if (!isBoth || !isPlain(transaction, messages)) return NOTHING;
  const inForce = settlements.filter(({ superseded }) => !superseded);
  const currencies = new Set(messages.map(({ transactionCurrency }) => transactionCurrency));
  const authorized = sumOf(messages.filter(({ messageType }) => messageType === AUTHORIZATION));
  if (currencies.size > 1 || authorized === 0) return NOTHING;
  const settled = sumOf(inForce);
  const isTooMuch = settled > authorized && amountsDiffer(settled, authorized);
  const byBank = inForce.filter(isBankSettlement);
  const duplicate = inForce.find(
    (one) =>
      !one.bankData &&
      byBank.some(({ transactionAmount: amount }) => !amountsDiffer(amount, one.transactionAmount)),
  );
  if (!isTooMuch || !duplicate) return { assertions: 1, wrong: [] };
  const ids = transaction.supersededMessageIds;
  const expected = `the bank's message, because clearing ${duplicate.id} settles the same part`;
  const wrong = { path: "/supersededMessageIds", expected, actual: JSON.stringify(ids) };
  return { assertions: 1, wrong: [{ claim: "TXN-13.supersedes", ...wrong }] };
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

/**
 * A bank-only transaction with a settled amount although its bank transaction has a match (TXN-14).
 */
interface Unnetted {
  readonly transaction: Exchange;
  readonly match: Exchange;
  readonly name: string;
  readonly amount: string;
}

interface Netting {
  /** The number of bank-only transactions whose bank transaction has a match. */
  readonly compared: number;
  readonly unnetted: readonly Unnetted[];
}

interface Pair {
  readonly transaction: Observation;
  readonly match: Observation;
}

/**
 * Checks the settled amounts of bank-only transactions that a match assigns to a card transaction.
 */
export function compareNetting(session: Session): Promise<Netting> {
  return session.share("netting", async (own) => {
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
    const suspects = pairs.filter(({ transaction: { body } }) => settledBy(body).length > 0);
    const recheck = new Recheck(own);
    const confirmed = await Promise.all(
      suspects.slice(0, MAX_RECHECKS).map((pair) => confirm(pair, recheck)),
    );
    return { compared: pairs.length, unnetted: confirmed.flat() };
  });
}

/** Refetches both: the match may be visible before the transaction's update. */
async function confirm({ transaction, match }: Pair, recheck: Recheck): Promise<Unnetted[]> {
  const [first, second] = [
    await recheck.fetch(match.exchange),
    await recheck.fetch(transaction.exchange),
  ];
  const id = textOf(match.body, "id");
  if (!second || id === undefined || !first?.response?.body.includes(id)) return [];
  return settledBy(second.response?.json).map((one) => {
    return { ...one, transaction: second, match: first };
  });
}

function settledBy(body: unknown): Pick<Unnetted, "name" | "amount">[] {
  return ["transactionSettledAmount", "cardholderBillingSettledAmount"].flatMap((name) => {
    const amount = memberOf(body, name);
    const isSettled = typeof amount === "number" && amount !== 0;
    return isSettled ? [{ name, amount: describeValue(amount) }] : [];
  });
}

/** The bank transaction of a bank-only transaction's only message; undefined if there is none. */
function postingOf(body: unknown): string | undefined {
  const messages = projectedMessages(body);
  return isBankOnly(body) && messages?.length === 1 ? bankTransactionIn(messages[0]) : undefined;
}
