import type { ClaimId } from "../../../generated/requirements.ts";
import { describeValue } from "../../../src/contract/describe.ts";
import { memberOf } from "../../../src/contract/pointer.ts";
import { each } from "../../assert.ts";
import type { Breach, Check, ClaimBreach, Session, SeveralClaims } from "../../check.ts";
import { feedOf, observationsOf } from "../../observe/crawl.ts";
import {
  compareOwnership,
  compareProjections,
  type Difference,
  type Mismatch,
} from "../../observe/differences.ts";
import { messageIdsOf, supersededIn } from "../../observe/feed.ts";
import { situationsOf } from "../../observe/situations.ts";
import { type Exchange, outcomeOf } from "../../wire/exchange.ts";
import { breachesOfKey, messageKeysOf, type Resolved } from "../btx/http.ts";
import { none } from "../shared/bodies.ts";
import { eachSeen, judged, KINDS, linksLeadTo } from "../shared/seen.ts";

const SINGLE = "GET /transaction-messages/{id}";

export const messages: readonly Check[] = [
  // MSG-01: A message has the fields of the message table; accountId, subaccountId and cardId are
  // on the standalone message.
  linksLeadTo(
    { [SINGLE]: "MSG-01.required" },
    {
      title: "the self link of a message has the specified path",
      kinds: KINDS.message,
      names: { self: SINGLE },
    },
  ),
  // MSG-03: A superseded message stays fetchable and stays in _links.messages.
  {
    claims: ["MSG-03.fetchable", "MSG-03.linked"],
    title: "a superseded message is linked and can be fetched",
    requires: ["state"],
    run: async (session) => {
      const superseded = await supersededLinks(session);
      const skip = await session.skip(none.superseded.reason, none.superseded.hint);
      return each(superseded, skip, (one) => checkSuperseded(session, one));
    },
  },
  // MSG-04: traceId is null on every network other than NETWORK_C; only there is it populated.
  eachSeen(["MSG-04.null-elsewhere"], {
    title: "traceId is null on networks other than NETWORK_C",
    kinds: KINDS.message,
    // Any value fails: MSG-05 checks that a traceId consists of digits.
    judge: (body, _, { capabilities }) => {
      const [network, traceId = null] = [memberOf(body, "network"), memberOf(body, "traceId")];
      if (typeof network !== "string" || network === capabilities.networks.c) return [];
      const expected = `null on network ${network}`;
      const wrong = { path: "/traceId", expected, actual: describeValue(traceId) };
      return [judged("MSG-04.null-elsewhere", traceId === null, wrong)];
    },
    none: none.otherNetwork,
  }),
  traced(
    ["MSG-04.populated-projection", "MSG-04.populated-get"],
    "a traceId is in both the message and its projection",
    // A one-sided traceId is missing where the value is null.
    ({ path, one, other }) =>
      path !== "/traceId"
        ? undefined
        : one === "null"
          ? "MSG-04.populated-projection"
          : other === "null"
            ? "MSG-04.populated-get"
            : undefined,
  ),
  // MSG-05: traceId is a string of digits of any width, leading zeros significant, treated as
  // opaque; it is never a number.
  traced(
    ["MSG-05.same-everywhere"],
    "a message and its projection have exactly the same traceId",
    ({ path, one, other }) =>
      path === "/traceId" && one !== "null" && other !== "null"
        ? "MSG-05.same-everywhere"
        : undefined,
  ),
  // MSG-11: bankData.bankTransactionId equals the banktransaction.created id and resolves at GET
  // /bank-transactions/{subaccountId}/{id}.
  {
    claims: ["MSG-11.resolves"],
    title: "bankData.bankTransactionId is the id of a bank transaction",
    requires: ["state"],
    run: async (session) => {
      const keys = await messageKeysOf(session);
      const decided = keys.filter((key) => isConclusive(key, keys));
      const gone = "no message's bank transaction exists: all may have been removed";
      const { reason, hint } = none.bankSourced;
      const skip = await session.skip(keys.length === 0 ? reason : gone, hint);
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
      const { compared, mismatches } = await compareProjections(session);
      if (compared.length === 0) {
        return session.skip("no message was fetched both by id and in its transaction");
      }
      const { networks } = session.capabilities;
      const situations = compared.flatMap(({ one }) => situationsOf(one.body, networks));
      const breaches = mismatches.flatMap(decided);
      return { assertions: compared.length, breaches, situations };
    },
  },
  {
    claims: ["MSG-12.owners-agree"],
    title: "a standalone message has the subaccount and card of its transaction",
    requires: ["state"],
    run: async (session) => {
      const { compared, mismatches } = await compareOwnership(session);
      if (compared.length === 0)
        return session.skip("no message of a transaction was fetched by id");
      const breaches = mismatches.flatMap(({ one: message, other: transaction, differences }) =>
        differences.map(({ path, one, other }): Breach => {
          const evidence = [message.exchange, transaction.exchange] as const;
          return { path, expected: `${other}, as in its transaction`, actual: one, evidence };
        }),
      );
      return { assertions: compared.length, breaches };
    },
  },
];

/**
 * Checks that a message's traceId equals the one in its transaction's projection.
 *
 * @param claimOf The claim that a difference violates.
 */
function traced(
  claims: readonly [ClaimId, ...ClaimId[]],
  title: string,
  claimOf: (difference: Difference) => ClaimId | undefined,
): Check {
  return {
    claims: claims as SeveralClaims,
    title,
    requires: ["state"],
    run: async (session) => {
      const { compared, mismatches } = await compareProjections(session);
      const traced = compared.filter((pair) =>
        [pair.one, pair.other].some(({ body }) => typeof memberOf(body, "traceId") === "string"),
      );
      if (traced.length === 0) return session.skip(none.traceId.reason, none.traceId.hint);
      const breaches = mismatches.flatMap((one) =>
        one.differences.flatMap((difference): ClaimBreach[] => {
          const claim = claimOf(difference);
          const found = decided({ ...one, differences: [difference] });
          return claim === undefined ? [] : found.map((breach) => ({ ...breach, claim }));
        }),
      );
      return { assertions: traced.length, breaches };
    },
  };
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
    const linked = new Set(messageIdsOf(body));
    return supersededIn(body).flatMap((id) =>
      typeof id === "string" ? [{ id, isLinked: linked.has(id), at, transaction: exchange }] : [],
    );
  });
  return [...new Map(all.map((one) => [one.id, one])).values()].slice(0, MAX_SUPERSEDED);
}

async function checkSuperseded(
  session: Session,
  { id, isLinked, at, transaction }: Superseded,
): Promise<ClaimBreach[]> {
  if (!isLinked) {
    const claim = "MSG-03.linked";
    const path = `${at}/_links/messages`;
    const expected = `a link to superseded message ${id}`;
    return [{ claim, path, expected, actual: "none", evidence: [transaction] }];
  }
  const path = `/transaction-messages/${id}`;
  const known = (await feedOf(session)).at(path)?.exchange;
  const isFound = known?.response?.status === 200;
  const exchange = isFound ? known : await session.follow(path);
  if (exchange.response?.status === 200) return [];
  const expected = `200, because superseded message ${id} stays fetchable`;
  const claim = "MSG-03.fetchable";
  return [{ claim, expected, actual: outcomeOf(exchange), evidence: [exchange, transaction] }];
}

function decided({ one: projected, other: single, differences }: Mismatch): Breach[] {
  return differences.map(({ path, one, other }) => {
    const evidence = [projected.exchange, single.exchange] as const;
    return {
      path: `${projected.at}${path}`,
      expected: `${other}, as fetched by id`,
      actual: one,
      evidence,
    };
  });
}

/** The maximum number of missing keys that removals can explain. */
const MAX_REMOVED = 2;

/**
 * Whether the response for a key is conclusive. A key that is gone may belong to a removed bank
 * transaction, and the interface does not say whether such a key still resolves. If all of more
 * than `MAX_REMOVED` keys are gone, they are not join keys. Bank-only keys are counted separately.
 */
function isConclusive({ naming, exchange, isGone }: Resolved, all: readonly Resolved[]): boolean {
  if (!isGone) return exchange !== undefined;
  const alike = all.filter((one) => one.naming.isBankOnly === naming.isBankOnly);
  return alike.length > MAX_REMOVED && alike.every((one) => one.isGone);
}
