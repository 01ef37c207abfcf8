import { idOf } from "../../../src/contract/rules/link.ts";
import { breachAt, ClaimAssertions } from "../../assert.ts";
import type { Check } from "../../check.ts";
import { operationAt } from "../../observe/operations.ts";
import { AUTHORIZED } from "../../scenarios/act.ts";
import { findEvents, textAt } from "../../scenarios/find-deliveries.ts";
import { enriched } from "../../scenarios/purchases.ts";
import type { Delivery } from "../../wire/exchange.ts";

/** Checks of the enrichment of driven purchases. */
export const drivenEnrichmentChecks: readonly Check[] = [
  // ENR-01: enrichment.merchant.created has id, createdAt, merchant {name, category}, location
  // {address, city, state, country, postalCode, phoneNumber} and the links message, merchant {href,
  // title}, merchant-logo {href, type, title}.
  {
    claims: ["ENR-01.announced", "ENR-01.message-link"],
    title: "the enrichment of a message is announced",
    requires: [...AUTHORIZED, "verb:enrich"],
    run: async (session) => {
      const { completed, missing } = await enriched(session);
      const assertions = new ClaimAssertions();
      for (const { deliveries, resource, authorizationId, messageId } of completed) {
        // ENR-02: the shape is open, but the event must be delivered.
        const sent = findEvents(deliveries, "enrichment.merchant.created");
        const announced = assertions.of("ENR-01.announced");
        announced.wasDelivered(sent, "enrichment.merchant.created", resource);
        // ENR-02: a link of another form is a notice.
        const linking = sent.filter((one) => operationAt(messageOf(one)) === MESSAGE);
        const [first] = linking;
        if (!first) continue;
        const expected = `the message that was enriched, ${messageId}`;
        const as = messageId === authorizationId ? "authorization" : "clearing";
        const link = assertions.of("ENR-01.message-link", as);
        link.check(
          linking.some((one) => idOf(messageOf(one)).toLowerCase() === messageId.toLowerCase()),
          breachAt(first, "/_links/message/href", expected),
        );
      }
      return assertions.result("nothing was enriched", missing);
    },
  },
];

const MESSAGE = "GET /transaction-messages/{id}";

function messageOf({ json }: Delivery): string {
  return textAt(json, "/_links/message/href") ?? "";
}
