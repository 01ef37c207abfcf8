import { describeValue } from "../../../src/contract/describe.ts";
import { memberOf, valueAt } from "../../../src/contract/pointer.ts";
import { breachAt, each } from "../../assert.ts";
import type { Breach, Check } from "../../check.ts";
import { compareListed } from "../../observe/differences.ts";
import {
  hasTimes,
  isBankOnly,
  isInOrder,
  isMarked,
  messageIdsOf,
  projectedMessages,
  supersededIn,
} from "../../observe/feed.ts";
import { type Observation, observationsOf } from "../../observe/observations.ts";
import { driverHint } from "../../skip.ts";
import { none } from "../shared/bodies.ts";
import { linksLeadTo, withState } from "../shared/factories.ts";
import { compareNetting, duplicatesIn, inheritanceIn, settling } from "./settlement.ts";

const SINGLE = "GET /transactions/{transactionId}";

/** The links of a transaction with a path of their own. */
export const LINKS = {
  self: SINGLE,
  subaccount: "GET /subaccounts/{id}",
  messages: "GET /transaction-messages/{id}",
} as const;

/** The claim of each of these links. */
export const LINK_CLAIMS = Object.fromEntries(
  Object.values(LINKS).map((operation) => [operation, "TXN-01.links" as const]),
);

export const transactions: readonly Check[] = [
  // TXN-01: A transaction has every field of the aggregate table, with the type given there.
  linksLeadTo(LINK_CLAIMS, "links to the transaction and its messages have the specified path", {
    transactions: LINKS,
  }),
  // TXN-02: cardId is null for a bank-only movement on a card-less bank link, otherwise a card's
  // id.
  // TXN-07: _links.messages has one link per correlated message, superseded ones included; if
  // _embedded.messages is present, it has exactly those.
  {
    claims: ["TXN-07.links-all"],
    title: "_links.messages is an array",
    requires: [],
    run: async (session) => {
      const { transactions } = await observationsOf(session);
      const skip = await session.skip(none.transaction.reason, none.transaction.hint);
      return each(transactions, skip, ({ body, at, exchange }): Breach[] => {
        const links = valueAt(body, ["_links", "messages"]);
        if (Array.isArray(links)) return [];
        const expected = "an array of links";
        const actual = describeValue(links);
        return [{ path: `${at}/_links/messages`, expected, actual, evidence: [exchange] }];
      });
    },
  },
  {
    claims: ["TXN-07.links-superseded"],
    title: "_links.messages includes superseded messages",
    requires: [],
    run: async (session) => {
      const { transactions } = await observationsOf(session);
      const cases = transactions.filter(({ body }) => supersededIn(body).length > 0);
      const skip = await session.skip(none.superseded.reason, none.superseded.hint);
      return each(cases, skip, withoutSupersededLinks);
    },
  },
  // TXN-10: _embedded.messages is included by default and may be switched off for an account.
  {
    claims: ["TXN-10.consistent"],
    title: "the projection is on for all transactions or for none",
    requires: ["state"],
    run: async (session) => {
      const { transactions } = await observationsOf(session);
      const cases = transactions.filter(({ body }) => messageIdsOf(body).length > 0);
      const projecting = cases.find(({ body }) => projectedMessages(body) !== undefined);
      const skip = await session.skip(none.projection.reason, none.projection.hint);
      const breaches = ({ body, at, exchange }: Observation): Breach[] => {
        if (projectedMessages(body) !== undefined || !projecting) return [];
        const expected = "messages, as in other transactions of the account";
        const evidence = [exchange, projecting.exchange] as const;
        return [{ path: `${at}/_embedded/messages`, expected, actual: "nothing", evidence }];
      };
      return each(projecting ? cases : [], skip, breaches, shownBy);
    },
  },
  // TXN-11: supersededMessageIds is a full snapshot: mirroring it is an idempotent replace; it is
  // empty for transactions last updated before the field existed.
  withState(
    "TXN-11.same-as-get",
    "the list and GET by id show the same supersededMessageIds",
    async (session) => {
      const { compared, mismatches } = await compareListed(session, SINGLE);
      const skip = await session.skip("no transaction was fetched both in the list and by id");
      const set = mismatches.flatMap(({ one: item, other: single, differences }) =>
        differences
          .filter(({ path }) => path === "/supersededMessageIds")
          .map(({ path, one, other }): Breach => {
            return {
              path,
              expected: `${one}, as listed`,
              actual: other,
              evidence: [single.exchange, item.exchange],
            };
          }),
      );
      return compared.length === 0 ? skip : { assertions: compared.length, breaches: set };
    },
  ),
  // TXN-12: A bank posting matched with high confidence settles a PENDING transaction: a
  // bank-sourced FINL_ADVC message is added that inherits transactionReference, approvalCode and
  // network of the authorization, and transaction.updated is sent.
  settling(
    ["TXN-12.inherits-reference", "TXN-12.inherits-approval-code", "TXN-12.inherits-network"],
    "a bank settlement inherits the fields of its authorization",
    {
      inspect: (body, capabilities) => inheritanceIn(body, capabilities.networks),
      none: "no purchase was settled by a bank posting",
      hint: driverHint("postAtBank"),
    },
  ),
  // TXN-13: When the network's own clearing arrives on a SETTLED transaction it stays SETTLED, the
  // settled amounts may be revised, and the provisional bank message becomes superseded; the
  // transaction.updated that announces the duplicate also marks it.
  settling(["TXN-13.supersedes"], "a purchase is not settled by both the bank and the network", {
    inspect: duplicatesIn,
    none: "no purchase was settled by both a bank posting and the network",
    hint: driverHint("clear"),
  }),
  // TXN-14: A standalone bank-only transaction whose movement later matches a card, whatever the
  // confidence, stays SETTLED with its settled amounts revised to 0, and transaction.updated is
  // sent.
  withState(
    "TXN-14.netted",
    "a matched bank-only transaction has settled amounts of 0",
    async (session) => {
      const { compared, unnetted } = await compareNetting(session);
      if (compared === 0) return session.skip("no bank-only transaction has a match");
      const breaches = unnetted.map(({ transaction, match, name, amount }): Breach => {
        const expected = "0, because it has a match";
        return { path: `/${name}`, expected, actual: amount, evidence: [transaction, match] };
      });
      return { assertions: compared, breaches };
    },
  ),
  // TXN-15: A bank-only movement that is synced yields transactionmessage.created (a synthetic
  // FINL_ADVC), then transaction.created for a SETTLED transaction.
  withState(
    "TXN-15.transaction-event",
    "a bank-only transaction is not PENDING",
    async (session) => {
      const { transactions } = await observationsOf(session);
      const all = transactions.filter(({ body }) => isBankOnly(body));
      const skip = await session.skip(none.bankOnly.reason, none.bankOnly.hint);
      return each(all, skip, ({ body, at, exchange }): Breach[] => {
        if (memberOf(body, "status") !== "PENDING") return [];
        const found = { expected: "SETTLED from the start", actual: "PENDING" };
        return [{ path: `${at}/status`, ...found, evidence: [exchange] }];
      });
    },
  ),
  // TXN-17: With linked cards, a bank-only transaction's cardId is that of the account's oldest
  // linked card, while network stays OPEN_BANKING; on a card-less link it is null.
  withState(
    "TXN-17.keeps-network",
    "a bank-only transaction with a cardId has network OPEN_BANKING",
    async (session) => {
      const skip = await session.skip("no bank-only transaction with a cardId");
      const cases = (await observationsOf(session)).transactions.filter(
        ({ body }) => isMarked(body) && typeof memberOf(body, "cardId") === "string",
      );
      return each(cases, skip, ({ body, at, exchange }): Breach[] => {
        if (isBankOnly(body)) return [];
        const actual = String(memberOf(body, "network"));
        return [{ path: `${at}/network`, expected: "OPEN_BANKING", actual, evidence: [exchange] }];
      });
    },
  ),
  // TXN-18: createdAt never changes and updatedAt never goes back from one snapshot of a
  // transaction to the next.
  {
    claims: ["TXN-18.not-before-created"],
    title: "updatedAt of a transaction is not before createdAt",
    requires: [],
    run: async (session) => {
      const { transactions } = await observationsOf(session);
      const all = transactions.filter(({ body }) => hasTimes(body));
      const breaches = ({ body, at, exchange }: Observation): Breach[] =>
        isInOrder(body) ? [] : [breachAt(exchange, `${at}/updatedAt`, "createdAt or later")];
      const skip = await session.skip(none.transaction.reason, none.transaction.hint);
      return each(all, skip, breaches, shownBy);
    },
  },
];

const shownBy = ({ isListed }: Observation) => [
  isListed ? ("listed" as const) : ("alone" as const),
];

function withoutSupersededLinks({ body, at, exchange }: Observation): Breach[] {
  const linked = new Set(messageIdsOf(body));
  return supersededIn(body)
    .filter((id) => typeof id === "string" && !linked.has(id))
    .map((id) => {
      const expected = `a link to superseded message ${id}`;
      return {
        path: `${at}/_links/messages`,
        expected,
        actual: "none",
        evidence: [exchange] as const,
      };
    });
}
