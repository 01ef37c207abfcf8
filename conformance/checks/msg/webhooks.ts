import { isDeepStrictEqual } from "node:util";
import { memberOf, segmentsOf, valueAt } from "../../../src/contract/pointer.ts";
import { each } from "../../assert.ts";
import { type Breach, type Check, Skip } from "../../check.ts";
import { inDeliveries } from "../../observe/body-checks.ts";
import { differencesOf, pick, referencedResources } from "../../observe/deliveries/api-lookups.ts";
import { allNamed } from "../../observe/deliveries/reading.ts";
import { projectedMessages } from "../../observe/feed.ts";
import { outcomeOf } from "../../wire/exchange.ts";
import { resolves } from "../shared/announced-resources.ts";
import {
  bankSourced,
  countEvents,
  projectedToo,
  withEvent,
  withMessage,
} from "../shared/delivery-cases.ts";
import { inHistory } from "../shared/factories.ts";
import { isBankOnly } from "../shared/response-cases.ts";

const NO_MESSAGE = "no message was delivered";

/** Checks of single deliveries. */
const shapes: readonly Check[] = [
  // MSG-01: A message has the fields of the message table; accountId, subaccountId and cardId are
  // on the standalone message.
  inDeliveries(
    ["MSG-01.required", "MSG-01.types"],
    "a delivered message has the fields of the message table",
  ),
  // MSG-02: superseded is only in the projection; neither superseded nor supersededMessageIds
  // is on the standalone message.
  inDeliveries(
    ["MSG-02.not-standalone", "MSG-02.in-projection"],
    "superseded is only in projections, not in a delivered message",
    withMessage(),
    NO_MESSAGE,
  ),
  // MSG-04: traceId is null on every network other than NETWORK_C; only there is it populated.
  inDeliveries(
    ["MSG-04.null-elsewhere"],
    "traceId of a delivered message is null except on NETWORK_C",
    withMessage(),
    NO_MESSAGE,
  ),
  // MSG-05: traceId is a string of digits of any width, leading zeros significant, treated as
  // opaque; it is never a number.
  inDeliveries(["MSG-05.digits"], "traceId of a delivered message is a string of digits"),
  // MSG-06: approvalCode is a string, null or absent: absent or null for bank-only messages and for
  // real-time authorizations of NETWORK_C.
  inDeliveries(
    ["MSG-06.string"],
    "approvalCode of a delivered message is a string, null or absent",
    withMessage(),
    NO_MESSAGE,
  ),
  inDeliveries(
    ["MSG-06.none-bank-only"],
    "a delivered bank-only message has no approvalCode",
    withEvent(["transactionmessage.created"], isBankOnly),
    "no bank-only message was delivered",
  ),
  // MSG-07: dateTime is an ISO 8601 local date-time without zone.
  inDeliveries(
    ["MSG-07.local"],
    "dateTime of a delivered message is a local date-time without zone",
  ),
  // MSG-08: bankData is null for card-sourced messages; bank-sourced ones carry provider,
  // bankTransactionId and personalFinanceCategory {primary, detailed}.
  inDeliveries(
    ["MSG-08.null-card", "MSG-08.provider", "MSG-08.category"],
    "a delivered message has bankData exactly if it is bank-sourced",
  ),
  // MSG-10: messageType (AUTH_REQU, FINL_ADVC), result (APPROVED) and bankData.provider are open
  // sets: a value outside those shown is a notice, never a failure.
  inDeliveries(["MSG-10.strings"], "messageType, result and provider of a delivery are strings"),
];

/** The fields of a message, without a delivery's envelope fields (WHK-03). */
const FIELDS = [
  ...["id", "_links", "messageType", "network", "result", "approvalCode", "transactionReference"],
  ...["transactionAmount", "transactionCurrency", "cardholderBillingAmount"],
  ...["cardholderBillingCurrency", "dateTime", "bankData", "traceId"],
  ...["accountId", "subaccountId", "cardId"],
];

/** Checks that compare several deliveries, or deliveries with the API. */
const sequences: readonly Check[] = [
  // MSG-09: The single-message GET is identical to the transactionmessage.created payload.
  inHistory(["MSG-09.once"], "no message is announced twice with different content", {
    cases: ({ reading }) => countEvents(reading.typed, "transactionmessage.created"),
    skipReason: NO_MESSAGE,
  }),
  {
    claims: ["MSG-09.identical"],
    title: "GET of a message is identical to its delivery",
    requires: ["deliveries", "state"],
    run: async (session) => {
      const { history, at } = await referencedResources(session);
      const requested = allNamed(history.reading.typed, "transactionmessage.created").flatMap(
        (message) => {
          const lookup = at(message.body._links.self.href);
          return lookup ? [{ message, lookup }] : [];
        },
      );
      // A projection shows which of the two is wrong.
      const projected = new Map(
        allNamed(history.reading.typed, "transaction.created", "transaction.updated").flatMap(
          (one) => (projectedMessages(one.body) ?? []).map((own) => [memberOf(own, "id"), own]),
        ),
      );
      return each(requested, new Skip(NO_MESSAGE), ({ message: { body, delivery }, lookup }) => {
        const { exchange, response } = lookup;
        if (!response?.isJson) {
          const expected = "200 with the message, as delivered";
          return [{ expected, actual: outcomeOf(exchange), evidence: [exchange, delivery] }];
        }
        const served = exchange.response?.json ?? {};
        // An envelope may have additional fields that the interface does not define.
        const delivered = pick(body, [...FIELDS, ...Object.keys(served)]);
        const differences = differencesOf(
          { ...delivered, metadata: 0 },
          { ...served, metadata: 0 },
        );
        const projection = projected.get(body.id);
        return differences.map(({ path, expected, actual }): Breach => {
          const third = valueAt(projection, segmentsOf(path));
          const isOfServed = isDeepStrictEqual(third, valueAt(served, segmentsOf(path)));
          return third !== undefined && isOfServed
            ? { path, expected: actual, actual: expected, evidence: [delivery, exchange] }
            : { path, expected, actual, evidence: [exchange, delivery] };
        });
      });
    },
  },
  // MSG-11: bankData.bankTransactionId equals the banktransaction.created id and resolves at GET
  // /bank-transactions/{subaccountId}/{id}.
  inHistory(
    ["MSG-11.announced"],
    "bankTransactionId of a message is an announced bank transaction",
    {
      cases: bankSourced,
      events: ["transactionmessage.created"],
      skipReason: "no bank-sourced message that was created in this run",
    },
  ),
  resolves(["MSG-11.resolves"], "GET finds the bankTransactionId of a delivered message"),
  // MSG-12: The projection of a message in a transaction agrees with the standalone message on
  // every field they share.
  inHistory(["MSG-12.event-agrees"], "a delivered projection agrees with the delivered message", {
    cases: projectedToo,
    skipReason: "no message was delivered both on its own and in a projection",
  }),
];

export const messageDeliveryChecks: readonly Check[] = [...shapes, ...sequences];
