import { Assertions } from "../../assert.ts";
import type { Check } from "../../check.ts";
import { findEvents } from "../../scenarios/find-deliveries.ts";
import { enriched } from "../../scenarios/purchases.ts";
import { AUTHORIZED } from "../shared/scenario-capabilities.ts";

/** Checks of the enrichment of driven purchases. */
export const drivenEnrichmentChecks: readonly Check[] = [
  // ENR-01: enrichment.merchant.created has id, createdAt, merchant {name, category}, location
  // {address, city, state, country, postalCode, phoneNumber} and the links message, merchant {href,
  // title}, merchant-logo {href, type, title}.
  {
    requirement: "ENR-01",
    title: "the enrichment of a message is announced",
    requires: [...AUTHORIZED, "verb:enrich"],
    alternative: true,
    run: async (session) => {
      const { deliveries, resource } = await enriched(session);
      const assertions = new Assertions();
      // ENR-02: the shape is open, but the event must be delivered.
      assertions.wasDelivered(
        findEvents(deliveries, "enrichment.merchant.created"),
        "enrichment.merchant.created",
        resource,
      );
      return assertions.result("nothing was enriched");
    },
  },
];
