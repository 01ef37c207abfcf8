import { valueAt } from "../../../src/contract/pointer.ts";
import { each } from "../../assert.ts";
import { type Check, Skip } from "../../check.ts";
import { referencedResources } from "../../observe/deliveries/api-lookups.ts";
import { textOf } from "../../observe/feed.ts";
import { holdersIn } from "../../observe/operations.ts";
import { outcomeOf } from "../../wire/exchange.ts";
import { leading, leadsToOwnId, returnsOther } from "./link-ids.ts";

export const conventionDeliveryChecks: readonly Check[] = [
  // CONV-07: A resource's self link addresses that resource: its path ends in the resource's own
  // id.
  {
    claims: ["CONV-07.self-returns"],
    title: "the self link of a delivery returns its resource",
    requires: ["deliveries", "state"],
    run: async (session) => {
      const { history, at } = await referencedResources(session);
      const selves = history.deliveries.flatMap((delivery) => {
        const [holder] = holdersIn(delivery.json).filter((one) => one.at === "");
        const id = textOf(delivery.json, "id") ?? "";
        return leading(holder?.links ?? [], "self", id, delivery).flatMap((one) => {
          const returned = at(one.href);
          return returned?.response?.isJson ? [{ ...one, returned: returned.exchange }] : [];
        });
      });
      const skip = new Skip("no delivery has a self link that returned a resource");
      return each(selves.filter(leadsToOwnId), skip, returnsOther, () => ["delivered"]);
    },
  },
  // CONV-09: Every link of a payload resolves for the account that received it.
  {
    claims: ["CONV-09.delivery-links"],
    title: "every link of a delivery resolves",
    requires: ["deliveries", "state"],
    run: async (session) => {
      const { resources: lookups } = await referencedResources(session);
      const links = lookups.filter(({ isLink }) => isLink);
      return each(links, new Skip("no delivery has a link"), async (link) => {
        const { href, from, exchange } = link;
        if (valueAt(exchange, ["response", "status"]) === 200) return [];
        const expected = `200, because a delivery of ${from.name} links to ${href}`;
        return [{ expected, actual: outcomeOf(exchange), evidence: [exchange, from] }];
      });
    },
  },
];
