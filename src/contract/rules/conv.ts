import type { components } from "../../../generated/types.ts";
import { leadsTo } from "./link.ts";
import type { FindingCollector, Rules } from "./rule.ts";

type Schemas = components["schemas"];

/** A resource that links to itself. Some, such as matches over REST, may omit the link. */
export interface Linked {
  readonly id: string;
  readonly _links?: { readonly self?: Schemas["Link"] };
}

/** The rules of every resource that links to itself. */
export const resourceRules: Rules<Linked> = {
  "CONV-07.self-id": ({ id, _links }, collector) => {
    const self = _links?.self;
    if (!self) return false;
    if (!leadsTo(self, id))
      collector.violation("/_links/self/href", `a path that ends in ${id}`, self.href);
    return true;
  },
};

/** CONV-08: a link and the field that it repeats must agree, if both are present. */
function agrees(
  collector: FindingCollector,
  field: string,
  id: string | null | undefined,
  name: string,
  link: Schemas["Link"] | undefined,
): boolean {
  if (!id || !link) return false;
  if (!leadsTo(link, id))
    collector.violation(`/_links/${name}/href`, `a path that ends in ${field} ${id}`, link.href);
  return true;
}

/** The rules of a transaction's links. */
export const transactionLinkRules: Rules<Schemas["Transaction"]> = {
  "CONV-08.subaccount": ({ subaccountId, _links: { subaccount } }, collector) =>
    agrees(collector, "subaccountId", subaccountId, "subaccount", subaccount),
  "CONV-08.card": ({ cardId, _links: { card } }, collector) =>
    agrees(collector, "cardId", cardId, "card", card),
};

/** The rules of a subscription's links. */
export const subscriptionLinkRules: Rules<Schemas["CardSubscription"]> = {
  "CONV-08.card": ({ cardId, _links: { card } }, collector) =>
    agrees(collector, "cardId", cardId, "card", card),
  "CONV-08.bank-account": ({ bankAccountId, _links: { bankAccount } }, collector) =>
    agrees(collector, "bankAccountId", bankAccountId, "bankAccount", bankAccount),
  "CONV-08.bulk-feed": ({ networkBulkFeedId: id, _links }, collector) =>
    "networkBulkFeed" in _links &&
    agrees(collector, "networkBulkFeedId", id, "networkBulkFeed", _links.networkBulkFeed),
};
