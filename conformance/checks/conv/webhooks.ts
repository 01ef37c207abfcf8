import { memberOf, valueAt } from "../../../src/contract/pointer.ts";
import { Assertions, each } from "../../assert.ts";
import { type Check, Skip } from "../../check.ts";
import { inDeliveries } from "../../observe/body-checks.ts";
import { referencedResources } from "../../observe/deliveries/api-lookups.ts";
import { historyOf, validatedDeliveriesOf } from "../../observe/deliveries/history.ts";
import { textOf } from "../../observe/feed.ts";
import { holdersIn } from "../../observe/operations.ts";
import { outcomeOf } from "../../wire/exchange.ts";
import { hasLink, snapshotsIn } from "../shared/delivery-cases.ts";
import { inHistory } from "../shared/factories.ts";
import { leading, leadsToOwnId, linksRepeatIds, returnsOther } from "./link-ids.ts";

/** The claims about links that repeat an id field of the same body. */
const RELATED = [
  ...(["CONV-08.subaccount", "CONV-08.card"] as const),
  ...(["CONV-08.bank-account", "CONV-08.bulk-feed"] as const),
];

export const conventionDeliveryChecks: readonly Check[] = [
  // CONV-01: Identifiers are strings, UUID-shaped unless stated otherwise.
  inDeliveries(["CONV-01.uuid"], "identifiers in deliveries are UUID-shaped strings"),
  // CONV-02: Timestamps are ISO 8601, UTC, with milliseconds.
  inDeliveries(
    ["CONV-02.form", "CONV-02.exists"],
    "timestamps in deliveries are UTC with milliseconds",
  ),
  // CONV-03: Dates are YYYY-MM-DD.
  inDeliveries(["CONV-03.form"], "dates in deliveries are YYYY-MM-DD"),
  // CONV-04: Amounts are JSON numbers.
  inDeliveries(["CONV-04.number"], "amounts in deliveries are JSON numbers"),
  // CONV-05: Hypermedia links are objects with href, a relative path; only the merchant and
  // merchant-logo links of an enrichment are external.
  inDeliveries(
    ["CONV-05.object", "CONV-05.relative"],
    "links in deliveries are objects with a relative href",
  ),
  {
    claims: ["CONV-05.external"],
    title: "the links of an enrichment lead outside",
    requires: ["deliveries"],
    run: async (session) => {
      const all = (await historyOf(session)).deliveries
        .filter(({ name }) => name === "enrichment.merchant.created")
        .flatMap(({ json }) =>
          ["merchant", "merchant-logo"].map((name) => valueAt(json, ["_links", name, "href"])),
        );
      const external = all.filter((href) => typeof href === "string" && URL.canParse(href));
      // ENR-02: a deviating link is a notice. It does not pass CONV-05 either.
      const skip = new Skip("no enrichment with links to the outside was delivered");
      return external.length < all.length ? skip : each(external, skip, () => []);
    },
  },
  // CONV-07: A resource's self link addresses that resource: its path ends in the resource's own
  // id.
  inDeliveries(
    ["CONV-07.self-id"],
    "the self link of a delivery ends in the id of its resource",
    (body) => hasLink(body, "self") && typeof memberOf(body, "id") === "string",
    "no delivery has a self link",
  ),
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
  // CONV-08: Links to related resources carry the same id as the matching field (subaccountId and
  // _links.subaccount, cardId and _links.card, bankAccountId and _links.bankAccount,
  // networkBulkFeedId and _links.networkBulkFeed).
  {
    claims: RELATED,
    title: "links in deliveries end in the id of the matching field",
    requires: ["deliveries"],
    run: async (session) => {
      const assertions = new Assertions();
      for (const { delivery } of await validatedDeliveriesOf(session)) {
        for (const holder of holdersIn(delivery.json)) {
          linksRepeatIds(assertions, { ...holder, exchange: delivery }, ["delivered"]);
        }
      }
      return assertions.result("no delivery has both an id field and a link to the same resource");
    },
  },
  {
    claims: RELATED,
    title: "links of fetched resources end in the id of the matching field",
    requires: ["deliveries", "state"],
    run: async (session) => {
      const { resources: lookups } = await referencedResources(session);
      const assertions = new Assertions();
      for (const { exchange } of lookups.filter(({ response }) => response?.isJson)) {
        for (const holder of holdersIn(exchange.response?.json)) {
          const situations = holder.at === "" ? (["alone"] as const) : [];
          linksRepeatIds(assertions, { ...holder, exchange }, situations);
        }
      }
      return assertions.result("no resource has both an id field and a link to the same resource");
    },
  },
  // CONV-09: Every link of a payload resolves for the account that received it.
  inHistory(["CONV-09.announced"], "the messages that a transaction links to are announced", {
    cases: (history) =>
      snapshotsIn(history).reduce(
        (sum, [first]) => sum + (first?.body._links.messages.length ?? 0),
        0,
      ),
    skipReason: "no transaction that was created in this run",
  }),
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
