import type { Check } from "../../check.ts";
import { inDeliveries } from "../../observe/body-checks.ts";
import { allNamed } from "../../observe/deliveries/reading.ts";
import { countEvents } from "../shared/delivery-cases.ts";
import { inHistory } from "../shared/factories.ts";

export const bankLinks: readonly Check[] = [
  // BLK-01: banklink.completed has bankLinkId and bankAccounts[] with id, name, mask (last 4
  // digits), type, cardIds.
  inDeliveries(
    ["BLK-01.fields", "BLK-01.mask"],
    "banklink.completed has the link and its bank accounts",
  ),
  // BLK-02: Exactly one banklink.completed per completion, whether completed by PATCH, by the
  // hosted flow's notification or by the polling fallback.
  inHistory(["BLK-02.exactly-one"], "banklink.completed is sent once for each link", {
    cases: ({ reading }) => countEvents(reading.typed, "banklink.completed"),
    skipReason: "no banklink.completed was delivered",
  }),
  // BLK-03: bankAccounts[].cards is present only for credit accounts for which completion created a
  // bank-feed enrollment, with id, subscriptionId, last4digits, network in lower case,
  // enrollmentType bank-feed; those ids are in cardIds too.
  inDeliveries(
    ["BLK-03.fields", "BLK-03.lower-case", "BLK-03.in-card-ids"],
    "only credit accounts have cards, with ids that are in cardIds",
    undefined,
    "no banklink.completed with a card that the completion created",
  ),
  // BLK-05: A cardsubscription.created is sent separately for every card that completion created.
  inHistory(
    ["BLK-05.created-sent"],
    "cardsubscription.created is sent for each card of a completion",
    {
      cases: ({ complete: whole }) =>
        allNamed(whole, "banklink.completed")
          .flatMap(({ body }) => body.bankAccounts)
          .reduce((sum, { cards = [] }) => sum + cards.length, 0),
      skipReason: "no banklink.completed with a card that the completion created",
    },
  ),
];
