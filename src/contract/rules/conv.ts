import type { components } from "../../../generated/types.ts";
import { leadsTo } from "./link.ts";
import { type FindingCollector, listOf, type RuleList, type Rules } from "./rule.ts";

type Schemas = components["schemas"];

/** A resource that links to itself. Some, such as matches over REST, may omit the link. */
export interface Linked {
  readonly id: string;
  readonly _links?: { readonly self?: Schemas["Link"] };
}

/** The rules of every resource that links to itself. */
export const resourceRules: RuleList<Linked> = listOf({
  "CONV-07": ({ id, _links }, collector) => {
    const self = _links?.self;
    if (self && !leadsTo(self, id)) collector.violation("/_links/self/href", endsIn(id), self.href);
  },
});

const endsIn = (id: string) => `a path that ends in ${id}`;

/** CONV-08: a link and the field that it repeats must agree, if both are present. */
function checkLink(
  collector: FindingCollector,
  field: string,
  id: string | null | undefined,
  name: string,
  link: Schemas["Link"] | undefined,
): void {
  if (!id || !link || leadsTo(link, id)) return;
  collector.violation(`/_links/${name}/href`, `a path that ends in ${field} ${id}`, link.href);
}

/** The rules of a transaction's links, and of the links of its projected messages. */
export const transactionLinkRules: Rules<Schemas["Transaction"]> = {
  "CONV-07": ({ id, _links: { self, messages: links }, _embedded }, collector) => {
    if (!leadsTo(self, id)) collector.violation("/_links/self/href", endsIn(id), self.href);
    const messages = _embedded?.messages;
    if (!messages) return;
    for (let index = 0; index < messages.length; index += 1) {
      const { id, _links } = messages[index] as Schemas["ProjectedTransactionMessage"];
      const { href } = _links.self;
      // TXN-07 has checked the transaction's own link to the message, which is usually the same.
      if (collector.linksMatchProjection && href === links[index]?.href) continue;
      if (leadsTo(_links.self, id)) continue;
      collector.violation(`/_embedded/messages/${index}/_links/self/href`, endsIn(id), href);
    }
  },

  "CONV-08": ({ subaccountId, cardId, _links }, collector) => {
    checkLink(collector, "subaccountId", subaccountId, "subaccount", _links.subaccount);
    checkLink(collector, "cardId", cardId, "card", _links.card);
  },
};

/** The rules of a subscription's links. */
export const subscriptionLinkRules: Rules<Schemas["CardSubscription"]> = {
  "CONV-08": (subscription, collector) => {
    const { cardId, bankAccountId, networkBulkFeedId, _links } = subscription;
    checkLink(collector, "cardId", cardId, "card", _links.card);
    checkLink(collector, "bankAccountId", bankAccountId, "bankAccount", _links.bankAccount);
    if (!("networkBulkFeed" in _links)) return;
    checkLink(
      collector,
      "networkBulkFeedId",
      networkBulkFeedId,
      "networkBulkFeed",
      _links.networkBulkFeed,
    );
  },
};
