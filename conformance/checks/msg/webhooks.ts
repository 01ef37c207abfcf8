import { isDeepStrictEqual } from "node:util";
import { memberOf, segmentsOf, valueAt } from "../../../src/contract/pointer.ts";
import { each } from "../../assert.ts";
import { type Breach, type Check, Skip } from "../../check.ts";
import { differencesOf, pick, referencedResources } from "../../observe/deliveries/api-lookups.ts";
import { allNamed } from "../../observe/deliveries/reading.ts";
import { projectedMessages } from "../../observe/feed.ts";
import { outcomeOf } from "../../wire/exchange.ts";
import { resolves } from "../shared/announced-resources.ts";

const NO_MESSAGE = "no message was delivered";

/** Checks of single deliveries. */
const shapes: readonly Check[] = [];

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
  resolves("MSG-11.resolves", "GET finds the bankTransactionId of a delivered message"),
];

export const messageDeliveryChecks: readonly Check[] = [...shapes, ...sequences];
