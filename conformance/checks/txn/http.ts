import { memberOf } from "../../../src/contract/pointer.ts";
import { caseCheck } from "../../assert.ts";
import { type Breach, type Check, Skip } from "../../check.ts";
import {
  hasTimes,
  isBankOnly,
  isInOrder,
  isMarked,
  messageIdsOf,
  type Observation,
  projectedMessages,
  supersededIn,
} from "../../observe/feed.ts";
import { observationsOf } from "../../observe/observations.ts";
import { driverHint } from "../../skip.ts";
import { none } from "../shared/bodies.ts";
import { eachSeen, judged, judgedAt, KINDS, linksLeadTo } from "../shared/seen.ts";
import {
  duplicatesIn,
  INHERITED,
  inheritanceIn,
  nettingOf,
  type Transaction,
} from "./settlement.ts";

const SINGLE = "GET /transactions/{transactionId}";

/** The links of a transaction with a path of their own. */
const LINKS = {
  self: SINGLE,
  subaccount: "GET /subaccounts/{id}",
  messages: "GET /transaction-messages/{id}",
} as const;

export const transactions: readonly Check[] = [
  // TXN-01: A transaction has every field of the aggregate table, with the type given there.
  linksLeadTo(Object.fromEntries(Object.values(LINKS).map((one) => [one, "TXN-01.links"])), {
    title: "links to the transaction and its messages have the specified path",
    kinds: KINDS.transaction,
    names: LINKS,
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
