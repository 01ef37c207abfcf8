import type { Check } from "../../check.ts";
import { inResponses } from "../../observe/body-checks.ts";
import { bySituations, inCase } from "../shared/factories.ts";
import { subscription } from "../shared/response-cases.ts";

/** Checks card subscriptions that responses link to. Usually only deliveries link to them. */
export const cardSubscriptions: readonly Check[] = [
  // SUB-01: A card subscription has the fields of its table; enrollmentType is cardholder-single,
  // network-bulk or bank-feed.
  inResponses(
    ["SUB-01.fields", "SUB-01.enrollment-type", "SUB-01.customer-reference"],
    "a card subscription has the fields of its kind",
  ),
  // SUB-02: networkBulkFeedId is set, and _links.networkBulkFeed is present, exactly for
  // network-bulk; otherwise the id is null and the link is absent.
  inCase(
    ["SUB-02.set-bulk"],
    "a network-bulk subscription has the id and link of its feed",
    subscription.networkBulk,
  ),
  inCase(
    ["SUB-02.null-others"],
    "any other subscription has no feed id or link",
    subscription.notBulk,
  ),
  // SUB-03: bankAccountId and _links.bankAccount are both present or both absent; bank-feed always
  // has them.
  bySituations(
    inCase(
      ["SUB-03.together", "SUB-03.bank-feed"],
      "bankAccountId and its link are both present or both absent",
      subscription.any,
    ),
    { "SUB-03.bank-feed": ["bank-feed"] },
  ),
];
