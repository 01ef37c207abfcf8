import type { components } from "../../../generated/types.ts";
import { leadsTo } from "./link.ts";
import { type Judge, listOf, type RuleList, type Rules } from "./rule.ts";

type Schemas = components["schemas"];
type Linked = { readonly id: string; readonly _links: { readonly self: Schemas["Link"] } };
type MaybeLinked = { readonly id: string; readonly _links?: { readonly self?: Schemas["Link"] } };

/** For every resource that links to itself. */
export const resourceRules: RuleList<Linked> = listOf({
  "CONV-07": ({ id, _links: { self } }, judge) => {
    if (!leadsTo(self, id))
      judge.breach("/_links/self/href", `a path that ends in ${id}`, self.href);
  },
});

/** For resources whose own link may be absent (readings: REST bank transactions and matches). */
export const looseResourceRules: RuleList<MaybeLinked> = listOf({
  "CONV-07": ({ id, _links }, judge) => {
    const self = _links?.self;
    if (self && !leadsTo(self, id)) {
      judge.breach("/_links/self/href", `a path that ends in ${id}`, self.href);
    }
  },
});

/** CONV-08: a link beside the field that it repeats. Where either is absent, there is no telling. */
function agrees(
  judge: Judge,
  field: string,
  id: string | null | undefined,
  name: string,
  link: Schemas["Link"] | undefined,
): void {
  if (!id || !link || leadsTo(link, id)) return;
  judge.breach(`/_links/${name}/href`, `a path that ends in ${field} ${id}`, link.href);
}

/** The links of a transaction beside its fields. */
export const transactionLinkRules: Rules<Schemas["Transaction"]> = {
  "CONV-08": ({ subaccountId, cardId, _links }, judge) => {
    agrees(judge, "subaccountId", subaccountId, "subaccount", _links.subaccount);
    agrees(judge, "cardId", cardId, "card", _links.card);
  },
};

/** The links of a subscription beside its fields. */
export const subscriptionLinkRules: Rules<Schemas["CardSubscription"]> = {
  "CONV-08": (subscription, judge) => {
    const { cardId, bankAccountId, networkBulkFeedId, _links } = subscription;
    agrees(judge, "cardId", cardId, "card", _links.card);
    agrees(judge, "bankAccountId", bankAccountId, "bankAccount", _links.bankAccount);
    if (!("networkBulkFeed" in _links)) return;
    agrees(
      judge,
      "networkBulkFeedId",
      networkBulkFeedId,
      "networkBulkFeed",
      _links.networkBulkFeed,
    );
  },
};
