import { inResponses } from "../../body-checks.ts";
import type { Check } from "../../check.ts";
import { inCase } from "../shared/in-items.ts";
import { subscription } from "../shared/response-cases.ts";

/** Checks card subscriptions that responses link to. Usually only deliveries link to them. */
export const cardSubscriptions: readonly Check[] = [
  // SUB-01: A card subscription carries the fields of its table; enrollmentType is
  // cardholder-single, network-bulk or bank-feed.
  inResponses("SUB-01", "a card subscription carries the fields of its kind"),
  // SUB-02: networkBulkFeedId is set and _links.networkBulkFeed is there exactly for network-bulk;
  // otherwise the id is null and the link absent.
  inCase("SUB-02", "a network-bulk one has its feed's id and link", subscription.networkBulk),
  inCase("SUB-02", "one of another kind has neither feed id nor link", subscription.notBulk),
  // SUB-03: bankAccountId and _links.bankAccount are there together or not at all; bank-feed always
  // has them.
  inCase("SUB-03", "bankAccountId and its link are there together", subscription.any),
];
