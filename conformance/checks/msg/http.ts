import { describeValue } from "../../../src/contract/describe.ts";
import { memberOf } from "../../../src/contract/pointer.ts";
import { each } from "../../assert.ts";
import { type Breach, type Check, type Decides, decides, type Session } from "../../check.ts";
import { inResponses } from "../../observe/body-checks.ts";
import { feedOf } from "../../observe/crawl.ts";
import { type Difference, linkedMessages } from "../../observe/differences.ts";
import {
  compareOwnership,
  compareProjections,
  type Observation,
  observationsOf,
  type ProjectionMismatch,
} from "../../observe/observations.ts";
import { situationsOf } from "../../observe/situations.ts";
import { type Exchange, outcomeOf } from "../../wire/exchange.ts";
import { messageKeysOf, type Resolved } from "../btx/http.ts";
import { inCase, linksLeadTo } from "../shared/factories.ts";
import { message, supersededIn, transaction } from "../shared/response-cases.ts";

export const messages: readonly Check[] = [
  // MSG-01: A message has the fields of the message table; accountId, subaccountId and cardId are
  // on the standalone message.
  inResponses(["MSG-01.required", "MSG-01.types"], "a message has the fields of the message table"),
  inCase(["MSG-01.projection-fields"], "a projected message has its fields", message.projected),
  linksLeadTo(["MSG-01.required"], "the self link of a message has the specified path", {
    messages: { self: "GET /transaction-messages/{id}" },
    projections: { self: "GET /transaction-messages/{id}" },
  }),
  // MSG-02: superseded is only in the projection; neither superseded nor supersededMessageIds
  // is on the standalone message.
  inCase(
    ["MSG-02.not-standalone"],
    "a standalone message has no superseded or supersededMessageIds",
    message.alone,
  ),
  // MSG-03: A superseded message stays fetchable and stays in _links.messages.
  {
    claims: ["MSG-03.fetchable", "MSG-03.linked"],
    title: "a superseded message is linked and can be fetched",
    requires: ["state"],
    run: async (session) => {
      const { none, hint } = transaction.withSuperseded;
      const superseded = await supersededLinks(session);
      return each(superseded, await session.skip(none, hint), (one) =>
        checkSuperseded(session, one),
      );
    },
  },
  // MSG-04: traceId is null on every network other than NETWORK_C; only there is it populated.
  {
    claims: ["MSG-04.null-elsewhere"],
    title: "traceId is null on networks other than NETWORK_C",
    requires: [],
    run: async (session) => {
      const { networks } = session.capabilities;
      const { of, shows, none, hint } = message.ofOthers;
      const others = of(await observationsOf(session)).filter((one) =>
        shows(one.body, session.capabilities),
      );
      const find = ({ body, at, exchange }: Observation): Breach[] => {
        const traceId = memberOf(body, "traceId") ?? null;
        // Any value fails: MSG-05 checks that a traceId consists of digits.
        if (traceId === null) return [];
        const expected = `null on network ${memberOf(body, "network")}`;
        return [
          { path: `${at}/traceId`, expected, actual: describeValue(traceId), evidence: [exchange] },
        ];
      };
      return each(others, await session.skip(none, hint), find, ({ body }) =>
        situationsOf(body, networks),
      );
    },
  },
  traced(
    ["MSG-04.populated-projection", "MSG-04.populated-get"],
    "a traceId is in both the message and its projection",
    isOneSided,
  ),
  // MSG-05: traceId is a string of digits of any width, leading zeros significant, treated as
  // opaque; it is never a number.
  inResponses(["MSG-05.digits"], "traceId is a string of digits"),
  traced(
    ["MSG-05.same-everywhere"],
    "a message and its projection have exactly the same traceId",
    isOfBoth,
  ),
  // MSG-06: approvalCode is a string, null or absent: absent or null for bank-only messages and for
  // real-time authorizations of NETWORK_C.
  inResponses(["MSG-06.string"], "approvalCode is a string, null or absent"),
  inCase(
    ["MSG-06.none-bank-only"],
    "a bank-only message has no approvalCode",
    message.bankOnlyAlone,
  ),
  inCase(
    ["MSG-06.none-network-c"],
    "an authorization on NETWORK_C has no approvalCode",
    message.authorizedOnC,
  ),
  // MSG-07: dateTime is an ISO 8601 local date-time without zone.
  inResponses(["MSG-07.local"], "dateTime is a local date-time without zone"),
  // MSG-08: bankData is null for card-sourced messages; bank-sourced ones carry provider,
  // bankTransactionId and personalFinanceCategory {primary, detailed}.
  inCase(["MSG-08.null-card"], "bankData is null on an authorization", message.authorized),
  inCase(
    ["MSG-08.provider", "MSG-08.category"],
    "a bank-sourced message has bankData",
    message.bankSourced,
  ),
  // MSG-10: messageType (AUTH_REQU, FINL_ADVC), result (APPROVED) and bankData.provider are open
  // sets: a value outside those shown is a notice, never a failure.
  inResponses(["MSG-10.strings"], "messageType, result and provider are strings"),
  // MSG-11: bankData.bankTransactionId equals the banktransaction.created id and resolves at GET
  // /bank-transactions/{subaccountId}/{id}.
  {
    claims: ["MSG-11.resolves"],
    title: "bankData.bankTransactionId is the id of a bank transaction",
    requires: ["state"],
    run: async (session) => {
      const keys = await messageKeysOf(session);
      const { none, hint } = message.bankSourced;
      const decided = keys.filter((key) => isConclusive(key, keys));
      const gone = "no message's bank transaction exists: all may have been removed";
      const skip = await session.skip(keys.length === 0 ? none : gone, hint);
      return each(decided, skip, breachesOfKey);
    },
  },
  // MSG-12: The projection of a message in a transaction agrees with the standalone message on
  // every field they share.
  {
    claims: ["MSG-12.agrees"],
    title: "a projection agrees with its standalone message",
    requires: ["state"],
    run: async (session) => {
      const { compared, misprojections } = await compareProjections(session);
      if (compared > 0) return { assertions: compared, breaches: misprojections.flatMap(decided) };
      return session.skip("no message was fetched both by id and in its transaction");
    },
  },
  {
    claims: ["MSG-12.owners-agree"],
    title: "a standalone message has the subaccount and card of its transaction",
    requires: ["state"],
    run: async (session) => {
      const { compared, misowned } = await compareOwnership(session);
      if (compared === 0) return session.skip("no message of a transaction was fetched by id");
      const breaches = misowned.map(({ name, message, transaction, actual, expected }): Breach => {
        const whose = `${expected}, as in its transaction`;
        return {
          path: `/${name}`,
          expected: whose,
          actual,
          evidence: [message, transaction],
        };
      });
      return { assertions: compared, breaches };
    },
  },
];

/** Checks that a message's traceId equals the one in its transaction's projection. */
function traced(what: Decides, title: string, isMeant: (difference: Difference) => boolean): Check {
  return {
    ...decides(what),
    title,
    requires: ["state"],
    run: async (session) => {
      const { traced, misprojections } = await compareProjections(session);
      const { none, hint } = message.ofC;
      if (traced === 0) return session.skip(none, hint);
      const breaches = misprojections.flatMap((one) =>
        decided({ ...one, differences: one.differences.filter(isMeant) }),
      );
      return { assertions: traced, breaches };
    },
  };
}

function isOneSided({ path, one, other }: Difference): boolean {
  return path === "/traceId" && (one === "null" || other === "null");
}

function isOfBoth(difference: Difference): boolean {
  return difference.path === "/traceId" && !isOneSided(difference);
}

interface Superseded {
  readonly id: string;
  readonly isLinked: boolean;
  readonly at: string;
  readonly transaction: Exchange;
}

/** The maximum number of superseded messages to request. */
const MAX_SUPERSEDED = 60;

async function supersededLinks(session: Session): Promise<Superseded[]> {
  const { transactions } = await observationsOf(session);
  const all = transactions.flatMap(({ body, at, exchange }) => {
    const linked = new Set(linkedMessages(body));
    return supersededIn(body).flatMap((id) =>
      typeof id === "string" ? [{ id, isLinked: linked.has(id), at, transaction: exchange }] : [],
    );
  });
  return [...new Map(all.map((one) => [one.id, one])).values()].slice(0, MAX_SUPERSEDED);
}

async function checkSuperseded(
  session: Session,
  { id, isLinked, at, transaction }: Superseded,
): Promise<Breach[]> {
  if (!isLinked) {
    const expected = `a link to superseded message ${id}`;
    return [{ path: `${at}/_links/messages`, expected, actual: "none", evidence: [transaction] }];
  }
  const path = `/transaction-messages/${id}`;
  const known = (await feedOf(session)).at(path)?.exchange;
  const isFound = known?.response?.status === 200;
  const exchange = isFound ? known : await session.follow(path);
  if (exchange.response?.status === 200) return [];
  const expected = `200, because superseded message ${id} stays fetchable`;
  return [{ expected, actual: outcomeOf(exchange), evidence: [exchange, transaction] }];
}

function decided({ projected, at, single, differences }: ProjectionMismatch): Breach[] {
  return differences.map(({ path, one, other }) => {
    const evidence = [projected, single] as const;
    return { path: `${at}${path}`, expected: `${other}, as fetched by id`, actual: one, evidence };
  });
}

/** The maximum number of missing keys that removals can explain. */
const MAX_REMOVED = 2;

/**
 * Whether the resolution of a key is conclusive. A key that is gone may belong to a removed bank
 * transaction, and the interface does not say whether such a key still resolves. If all of more
 * than `MAX_REMOVED` keys are gone, they are not join keys. Bank-only keys are counted separately.
 */
function isConclusive({ naming, resolution }: Resolved, all: readonly Resolved[]): boolean {
  if (resolution.kind === "open") return false;
  if (resolution.kind !== "gone") return true;
  const alike = all.filter((one) => one.naming.isBankOnly === naming.isBankOnly);
  const gone = alike.filter((one) => one.resolution.kind === "gone");
  return gone.length > MAX_REMOVED && gone.length === alike.length;
}

/** Reports a key that resolves to another resource or to none. */
export function breachesOfKey({ naming: { id, by, at }, resolution }: Resolved): Breach[] {
  switch (resolution.kind) {
    case "open":
    case "found":
      return [];
    case "other": {
      const expected = `bank transaction ${id}, as in the reference`;
      const { exchange, got } = resolution;
      return [{ path: "/id", expected, actual: got, evidence: [exchange, by] }];
    }
    default: {
      const { exchange } = resolution;
      const { pathname } = new URL(exchange.request.url);
      const expected = `the id of a bank transaction: 200 at ${pathname}`;
      return [{ path: at, expected, actual: outcomeOf(exchange), evidence: [by, exchange] }];
    }
  }
}
