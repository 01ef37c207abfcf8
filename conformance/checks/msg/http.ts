import { isDeepStrictEqual } from "node:util";
import type { ClaimId } from "../../../generated/requirements.ts";
import { describeValue } from "../../../src/contract/describe.ts";
import { memberOf, segmentsOf, valueAt } from "../../../src/contract/pointer.ts";
import { ClaimAssertions, caseCheck, type Message } from "../../assert.ts";
import type { Breach, Check, ClaimBreach } from "../../check.ts";
import { feedOf, observationsOf } from "../../observe/crawl.ts";
import {
  differencesOf,
  pick,
  type ReferencedResource,
  referencedResources,
} from "../../observe/deliveries/api-lookups.ts";
import { allNamed, type TypedDelivery } from "../../observe/deliveries/reading.ts";
import { messageIdsOf, projectedMessages, supersededIn } from "../../observe/feed.ts";
import { situationsOf } from "../../observe/situations.ts";
import { outcomeOf } from "../../wire/exchange.ts";
import { eachSeen, judged, KINDS, linksLeadTo, none } from "../shared/bodies.ts";
import { comparedWithApi } from "../shared/served-resources.ts";

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
  // MSG-02: every projected message has superseded. For the contract, a missing one breaks MSG-01.
  eachSeen(["MSG-02.in-projection"], {
    title: "a projected message has superseded",
    kinds: ["projected"],
    judge: (body) => {
      const wrong = { path: "/superseded", expected: "a value", actual: "nothing" };
      return [judged("MSG-02.in-projection", memberOf(body, "superseded") !== undefined, wrong)];
    },
    none: none.projection,
  }),
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

/** The fields of a message, without a delivery's envelope fields (WHK-03). */
const FIELDS = [
  ...["id", "_links", "messageType", "network", "result", "approvalCode", "transactionReference"],
  ...["transactionAmount", "transactionCurrency", "cardholderBillingAmount"],
  ...["cardholderBillingCurrency", "dateTime", "bankData", "traceId"],
  ...["accountId", "subaccountId", "cardId"],
];

/** Checks that compare several deliveries, or deliveries with the API. */
export const messageDeliveryChecks: readonly Check[] = [
  // MSG-04: traceId is null on every network other than NETWORK_C; only there is it populated. A
  // single message may lack it, but not all those of the purchases that the driver makes.
  {
    claims: ["MSG-04.populated-event", "MSG-04.populated-get", "MSG-04.populated-projection"],
    title: "a traceId is delivered, fetched and projected on NETWORK_C",
    requires: ["deliveries", "state", "verb:authorize"],
    run: async (session) => {
      const { networks } = session.capabilities;
      const { history, at } = await referencedResources(session);
      const onC = (body: unknown) => memberOf(body, "network") === networks.c;
      const events = allNamed(history.reading.typed, "transactionmessage.created").filter(
        ({ body }) => onC(body),
      );
      const fetched = events.flatMap(({ body }) => at(body._links.self.href)?.exchange ?? []);
      const snapshots = allNamed(
        history.reading.typed,
        ...(["transaction.created", "transaction.updated"] as const),
      );
      const views: Record<string, readonly (readonly [Message, unknown])[]> = {
        "MSG-04.populated-event": events.map(({ delivery, body }) => [delivery, body]),
        "MSG-04.populated-get": fetched.map((one) => [one, one.response?.json]),
        "MSG-04.populated-projection": snapshots.flatMap(({ delivery, body }) =>
          (projectedMessages(body) ?? []).filter(onC).map((one) => [delivery, one] as const),
        ),
      };
      const assertions = new ClaimAssertions();
      for (const [claim, own] of Object.entries(views)) {
        const [first] = own;
        if (!first) continue;
        const isPopulated = own.some(([, body]) => typeof memberOf(body, "traceId") === "string");
        const situations = own.flatMap(([, body]) => situationsOf(body, networks));
        const expected = "a traceId on at least one message of NETWORK_C";
        const breach = { expected, actual: "none", evidence: [first[0]] as const };
        assertions.of(claim as ClaimId, ...situations).check(isPopulated, breach);
      }
      return assertions.result(none.traceId.reason);
    },
  },
  // MSG-05: traceId is a string of digits of any width, leading zeros significant, treated as
  // opaque; it is never a number. MSG-04 reports one that is missing.
  comparedWithApi(["MSG-05.same-everywhere"], {
    title: "GET of a message has exactly the traceId of its delivery",
    compared: ({ history: { reading }, at }) =>
      allNamed(reading.typed, "transactionmessage.created").flatMap(({ body, delivery }) => {
        const { id, traceId: delivered, _links } = body;
        const exchange = at(_links.self.href)?.exchange;
        const served = memberOf(exchange?.response?.json, "traceId");
        if (!exchange || typeof delivered !== "string" || typeof served !== "string") return [];
        const expected = `${describeValue(served)}, as fetched by id`;
        const evidence = [delivery, exchange] as const;
        const breach = { path: "/traceId", expected, actual: describeValue(delivered), evidence };
        return [{ id, breaches: served === delivered ? [] : [breach] }];
      }),
    none: none.traceId.reason,
  }),
  // MSG-09: The single-message GET is identical to the transactionmessage.created payload.
  comparedWithApi(["MSG-09.identical"], {
    title: "GET of a message is identical to its delivery",
    compared: ({ history: { reading }, at }, { capabilities }) => {
      // A projection shows which of the two is wrong.
      const projected = new Map(
        allNamed(reading.typed, "transaction.created", "transaction.updated").flatMap((one) =>
          (projectedMessages(one.body) ?? []).map((own) => [memberOf(own, "id"), own]),
        ),
      );
      return allNamed(reading.typed, "transactionmessage.created").flatMap((message) => {
        const { id, _links } = message.body;
        const lookup = at(_links.self.href);
        const situations = situationsOf(message.body, capabilities.networks);
        const breaches = lookup && differencesTo(message, lookup, projected.get(id));
        return breaches ? [{ id, breaches, situations }] : [];
      });
    },
    none: "no message was delivered",
  }),
];

/** The differences between a delivered message and the response for it. */
function differencesTo(
  { body, delivery }: TypedDelivery<"transactionmessage.created">,
  { exchange, response }: ReferencedResource,
  projection: unknown,
): Breach[] {
  if (!response?.isJson) {
    const expected = "200 with the message, as delivered";
    return [{ expected, actual: outcomeOf(exchange), evidence: [exchange, delivery] }];
  }
  const served = exchange.response?.json ?? {};
  // An envelope may have additional fields that the interface does not define.
  const delivered = pick(body, [...FIELDS, ...Object.keys(served)]);
  const differences = differencesOf({ ...delivered, metadata: 0 }, { ...served, metadata: 0 });
  return differences.map(({ path, expected, actual }): Breach => {
    const third = valueAt(projection, segmentsOf(path));
    const isOfServed = isDeepStrictEqual(third, valueAt(served, segmentsOf(path)));
    return third !== undefined && isOfServed
      ? { path, expected: actual, actual: expected, evidence: [delivery, exchange] }
      : { path, expected, actual, evidence: [exchange, delivery] };
  });
}
