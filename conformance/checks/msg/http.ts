import { describeValue } from "../../../src/contract/describe.ts";
import { memberOf } from "../../../src/contract/pointer.ts";
import { caseCheck } from "../../assert.ts";
import type { Check, ClaimBreach } from "../../check.ts";
import { feedOf } from "../../observe/crawl.ts";
import { messageIdsOf, supersededIn } from "../../observe/feed.ts";
import { observationsOf } from "../../observe/observations.ts";
import { outcomeOf } from "../../wire/exchange.ts";
import { none } from "../shared/bodies.ts";
import { eachSeen, judged, KINDS, linksLeadTo } from "../shared/seen.ts";

const SINGLE = "GET /transaction-messages/{id}";

/** The maximum number of superseded messages to request. */
const MAX_SUPERSEDED = 60;

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
  caseCheck(["MSG-03.fetchable", "MSG-03.linked"], {
    title: "a superseded message is linked and can be fetched",
    requires: ["state"],
    cases: async (session) => {
      const { transactions } = await observationsOf(session);
      const all = transactions.flatMap(({ body, at, exchange }) => {
        const linked = new Set(messageIdsOf(body));
        return supersededIn(body).flatMap((id) =>
          typeof id === "string" ? [{ id, isLinked: linked.has(id), at, from: exchange }] : [],
        );
      });
      return [...new Map(all.map((one) => [one.id, one])).values()].slice(0, MAX_SUPERSEDED);
    },
    none: none.superseded,
    find: async ({ id, isLinked, at, from }, session): Promise<ClaimBreach[]> => {
      if (!isLinked) {
        const path = `${at}/_links/messages`;
        const expected = `a link to superseded message ${id}`;
        return [{ claim: "MSG-03.linked", path, expected, actual: "none", evidence: [from] }];
      }
      const path = `/transaction-messages/${id}`;
      const known = (await feedOf(session)).at(path)?.exchange;
      const isFound = known?.response?.status === 200;
      const exchange = isFound ? known : await session.follow(path);
      if (exchange.response?.status === 200) return [];
      const expected = `200, because superseded message ${id} stays fetchable`;
      const [claim, actual] = ["MSG-03.fetchable", outcomeOf(exchange)] as const;
      return [{ claim, expected, actual, evidence: [exchange, from] }];
    },
  }),
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
];
