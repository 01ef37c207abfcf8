import { each } from "../../assert.ts";
import { type Check, Skip } from "../../check.ts";
import { referencedResources } from "../../observe/deliveries/api-lookups.ts";
import { outcomeOf } from "../../wire/exchange.ts";

export const conventionDeliveryChecks: readonly Check[] = [
  // CONV-09: Every link of a payload resolves for the account that received it.
  {
    claims: ["CONV-09.delivery-links"],
    title: "every link of a delivery resolves",
    requires: ["deliveries", "state"],
    run: async (session) => {
      const { resources } = await referencedResources(session);
      const links = resources.filter(({ isLink }) => isLink);
      return each(links, new Skip("no delivery has a link"), ({ href, from, exchange }) => {
        if (exchange.response?.status === 200) return [];
        const expected = `200, because a delivery of ${from.name} links to ${href}`;
        return [{ expected, actual: outcomeOf(exchange), evidence: [exchange, from] }];
      });
    },
  },
];
