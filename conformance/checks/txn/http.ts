import type { components } from "../../../generated/types.ts";
import { describeValue } from "../../../src/contract/describe.ts";
import { INHERITED } from "../../../src/contract/history/settlement.ts";
import type { Networks } from "../../../src/contract/networks.ts";
import { memberOf, valueAt } from "../../../src/contract/pointer.ts";
import { amountsDiffer, isPlain } from "../../../src/contract/rules/sum.ts";
import { AUTHORIZATION, OPEN_BANKING, SETTLEMENT } from "../../../src/contract/rules/vocabulary.ts";
import { caseCheck } from "../../assert.ts";
import { type Breach, type Check, type Found, type Session, Skip } from "../../check.ts";
import { MAX_RECHECKS, observationsOf, Recheck } from "../../observe/crawl.ts";
import {
  bankTransactionIn,
  bankTransactionsIn,
  hasTimes,
  isBankOnly,
  isInOrder,
  isMarked,
  messageIdsOf,
  type Observation,
  projectedMessages,
  supersededIn,
  textOf,
} from "../../observe/feed.ts";
import { driverHint } from "../../skip.ts";
import {
  eachSeen,
  type Judgement,
  judged,
  judgedAt,
  KINDS,
  linksLeadTo,
  none,
} from "../shared/bodies.ts";

const SINGLE = "GET /transactions/{transactionId}";

/** The links of a transaction with a path of their own. */
const LINKS = {
  self: SINGLE,
  subaccount: "GET /subaccounts/{id}",
  messages: "GET /transaction-messages/{id}",
} as const;

const inherited = Object.keys(INHERITED) as (keyof typeof INHERITED)[];

export const transactions: readonly Check[] = [
  // TXN-01: A transaction has every field of the aggregate table, with the type given there.
  linksLeadTo(Object.fromEntries(Object.values(LINKS).map((one) => [one, "TXN-01.links"])), {
    title: "links to the transaction and its messages have the specified path",
    kinds: KINDS.transaction,
    names: LINKS,
  }),
  // TXN-03: _links.card is present exactly if cardId is set. The contract judges a card link by its
  // shape, and does not see that a null one ought to be omitted.
  eachSeen(["TXN-03.omitted"], {
    title: "_links.card is not null if cardId is null",
    kinds: KINDS.transaction,
    judge: (body) => {
      const card = valueAt(body, ["_links", "card"]);
      if (memberOf(body, "cardId") !== null || (card !== null && card !== undefined)) return [];
      const wrong = { path: "/_links/card", expected: "nothing, because cardId is null" };
      return [judged("TXN-03.omitted", card === undefined, { ...wrong, actual: "null" })];
    },
    none: none.cardless,
  }),
  // TXN-07: _links.messages has one link per correlated message, superseded ones included; if
  // _embedded.messages is present, it has exactly those.
  eachSeen(["TXN-07.links-all"], {
    title: "_links.messages is an array",
    kinds: [SINGLE],
    judge: (body) => [
      judgedAt("TXN-07.links-all", body, "/_links/messages", "an array of links", Array.isArray),
    ],
    none: none.transaction,
  }),
  eachSeen(["TXN-07.links-superseded"], {
    title: "_links.messages includes superseded messages",
    kinds: KINDS.transaction,
    judge: (body) =>
      supersededIn(body).map((id) => {
        const expected = `a link to superseded message ${id}`;
        const isLinked = typeof id !== "string" || messageIdsOf(body).includes(id);
        const wrong = { path: "/_links/messages", expected, actual: "none" };
        return judged("TXN-07.links-superseded", isLinked, wrong);
      }),
    none: none.superseded,
  }),
  // TXN-10: _embedded.messages is included by default and may be switched off for an account.
  caseCheck(["TXN-10.consistent"], {
    title: "the projection is on for all transactions or for none",
    requires: ["state"],
    cases: async (session) => {
      const { transactions } = await observationsOf(session);
      const cases = transactions.filter(({ body }) => messageIdsOf(body).length > 0);
      const projecting = cases.find(({ body }) => projectedMessages(body) !== undefined);
      return projecting ? cases.map((one) => ({ ...one, projecting })) : [];
    },
    none: none.projection,
    find: ({ body, at, exchange, projecting }): Breach[] => {
      if (projectedMessages(body) !== undefined) return [];
      const expected = "messages, as in other transactions of the account";
      const evidence = [exchange, projecting.exchange] as const;
      return [{ path: `${at}/_embedded/messages`, expected, actual: "nothing", evidence }];
    },
    situationsOf: ({ isListed }) => [isListed ? "listed" : "alone"],
  }),
  // TXN-12: A bank posting matched with high confidence settles a PENDING transaction: a
  // bank-sourced FINL_ADVC message is added that inherits transactionReference, approvalCode and
  // network of the authorization, and transaction.updated is sent.
  eachSeen(Object.values(INHERITED), {
    title: "a bank settlement inherits the fields of its authorization",
    ...{ kinds: KINDS.transaction, ofValid: true, requires: ["state"] },
    judge: (body, _, { capabilities }) => inheritanceIn(body as Transaction, capabilities.networks),
    none: new Skip("no purchase was settled by a bank posting", driverHint("postAtBank")),
  }),
  // TXN-13: When the network's own clearing arrives on a SETTLED transaction it stays SETTLED, the
  // settled amounts may be revised, and the provisional bank message becomes superseded; the
  // transaction.updated that announces the duplicate also marks it.
  eachSeen(["TXN-13.supersedes"], {
    title: "a purchase is not settled by both the bank and the network",
    ...{ kinds: KINDS.transaction, ofValid: true, requires: ["state"] },
    judge: (body) => duplicatesIn(body as Transaction),
    none: new Skip(
      "no purchase was settled by both a bank posting and the network",
      driverHint("clear"),
    ),
  }),
  // TXN-14: A standalone bank-only transaction whose movement later matches a card, whatever the
  // confidence, stays SETTLED with its settled amounts revised to 0, and transaction.updated is
  // sent.
  {
    claims: ["TXN-14.netted"],
    title: "a matched bank-only transaction has settled amounts of 0",
    requires: ["state"],
    run: nettingOf,
  },
  // TXN-15: A bank-only movement that is synced yields transactionmessage.created (a synthetic
  // FINL_ADVC), then transaction.created for a SETTLED transaction.
  eachSeen(["TXN-15.transaction-event"], {
    title: "a bank-only transaction is not PENDING",
    ...{ kinds: KINDS.transaction, requires: ["state"] },
    judge: (body) => {
      if (!isBankOnly(body)) return [];
      const expected = "SETTLED from the start";
      const isRight = (status: unknown) => status !== "PENDING";
      return [judgedAt("TXN-15.transaction-event", body, "/status", expected, isRight)];
    },
    none: none.bankOnly,
  }),
  // TXN-17: With linked cards, a bank-only transaction's cardId is that of the account's oldest
  // linked card, while network stays OPEN_BANKING; on a card-less link it is null.
  eachSeen(["TXN-17.keeps-network"], {
    title: "a bank-only transaction with a cardId has network OPEN_BANKING",
    ...{ kinds: KINDS.transaction, requires: ["state"] },
    judge: (body) => {
      if (!isMarked(body) || typeof memberOf(body, "cardId") !== "string") return [];
      const actual = String(memberOf(body, "network"));
      const wrong = { path: "/network", expected: "OPEN_BANKING", actual };
      return [judged("TXN-17.keeps-network", isBankOnly(body), wrong)];
    },
    none: new Skip("no bank-only transaction with a cardId"),
  }),
  // TXN-18: createdAt never changes and updatedAt never goes back from one snapshot of a
  // transaction to the next.
  eachSeen(["TXN-18.not-before-created"], {
    title: "updatedAt of a transaction is not before createdAt",
    kinds: KINDS.transaction,
    judge: (body) => {
      if (!hasTimes(body)) return [];
      const [claim, isRight] = ["TXN-18.not-before-created", () => isInOrder(body)] as const;
      return [judgedAt(claim, body, "/updatedAt", "createdAt or later", isRight)];
    },
    none: none.transaction,
  }),
];

type Transaction = components["schemas"]["Transaction"];
type Message = components["schemas"]["ProjectedTransactionMessage"];

/**
 * TXN-12: a message that a bank posting adds to a purchase inherits fields of its authorization. On
 * NETWORK_C the reference is not inherited.
 *
 * @param transaction A valid transaction with its messages.
 */
function inheritanceIn(transaction: Transaction, networks: Networks): Judgement[] {
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
function duplicatesIn(transaction: Transaction): Judgement[] {
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
async function nettingOf(session: Session): Promise<Found | Skip> {
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
