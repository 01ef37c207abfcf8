import { breachAt, each } from "../../assert.ts";
import { type Check, Skip } from "../../check.ts";
import { historyOf } from "../../observe/deliveries/history.ts";
import { hasTimes, isInOrder } from "../../observe/feed.ts";
import { deliveredLinksLeadTo } from "../shared/factories.ts";
import { LINK_CLAIMS, LINKS } from "./http.ts";

const EVENTS = ["transaction.created", "transaction.updated"] as const;

export const transactionDeliveryChecks: readonly Check[] = [
  // TXN-01: A transaction has every field of the aggregate table, with the type given there.
  deliveredLinksLeadTo(
    LINK_CLAIMS,
    "links of a delivered transaction have the specified path",
    EVENTS,
    LINKS,
  ),
  // TXN-18: createdAt never changes and updatedAt never goes back from one snapshot of a
  // transaction to the next.
  {
    claims: ["TXN-18.not-before-created"],
    title: "updatedAt of a delivered transaction is not before createdAt",
    requires: ["deliveries"],
    run: async (session) => {
      const { deliveries } = await historyOf(session);
      const cases = deliveries.filter(
        ({ name, json }) => EVENTS.some((one) => one === name) && hasTimes(json),
      );
      const skip = new Skip("no delivered transaction has createdAt and updatedAt");
      return each(
        cases,
        skip,
        (one) => (isInOrder(one.json) ? [] : [breachAt(one, "/updatedAt", "createdAt or later")]),
        () => ["delivered"],
      );
    },
  },
];
