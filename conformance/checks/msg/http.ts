import { describeValue } from "../../../src/contract/describe.ts";
import { memberOf } from "../../../src/contract/pointer.ts";
import { each } from "../../assert.ts";
import { type Check, type ClaimBreach, type Session, Skip } from "../../check.ts";
import { feedOf, observationsOf } from "../../observe/crawl.ts";
import { agreeing, compareOwnership, compareProjections } from "../../observe/differences.ts";
import { messageIdsOf, supersededIn } from "../../observe/feed.ts";
import type { Item } from "../../observe/pages.ts";
import { situationsOf } from "../../observe/situations.ts";
import { type Exchange, outcomeOf } from "../../wire/exchange.ts";
import { breachesOfKey, messageKeysOf, type Resolved } from "../btx/http.ts";
import { none } from "../shared/bodies.ts";
import { eachSeen, judged, KINDS, linksLeadTo } from "../shared/seen.ts";

const SINGLE = "GET /transaction-messages/{id}";

/** Compares the messages in transactions with those fetched by id. */
const PROJECTED = {
  compare: compareProjections,
  wrong: "one",
  source: "as fetched by id",
} as const;

/** As PROJECTED, of messages with a traceId. */
const TRACED = {
  ...PROJECTED,
  none: none.traceId,
  isCase: (pair: { readonly one: Item; readonly other: Item }) =>
    [pair.one, pair.other].some(({ body }) => typeof memberOf(body, "traceId") === "string"),
} as const;

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
  agreeing({
    ...TRACED,
    title: "a traceId is in both the message and its projection",
    // A one-sided traceId is missing where the value is null.
    claims: [
      ["MSG-04.populated-projection", ({ path, one }) => path === "/traceId" && one === "null"],
      ["MSG-04.populated-get", ({ path, other }) => path === "/traceId" && other === "null"],
    ],
  }),
  // MSG-05: traceId is a string of digits of any width, leading zeros significant, treated as
  // opaque; it is never a number.
  agreeing({
    ...TRACED,
    title: "a message and its projection have exactly the same traceId",
    claims: [
      [
        "MSG-05.same-everywhere",
        ({ path, one, other }) => path === "/traceId" && one !== "null" && other !== "null",
      ],
    ],
  }),
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
  agreeing({
    ...PROJECTED,
    title: "a projection agrees with its standalone message",
    claims: [["MSG-12.agrees", () => true]],
    none: new Skip("no message was fetched both by id and in its transaction"),
    situationsOf: ({ one }, { capabilities }) => situationsOf(one.body, capabilities.networks),
  }),
  agreeing({
    title: "a standalone message has the subaccount and card of its transaction",
    compare: compareOwnership,
    wrong: "one",
    source: "as in its transaction",
    claims: [["MSG-12.owners-agree", () => true]],
    none: new Skip("no message of a transaction was fetched by id"),
  }),
];

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
