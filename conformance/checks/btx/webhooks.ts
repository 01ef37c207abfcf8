import { breachAt, each } from "../../assert.ts";
import { type Breach, type Check, Skip } from "../../check.ts";
import { historyOf } from "../../observe/deliveries/history.ts";
import { allNamed, removedBy, type TypedDelivery } from "../../observe/deliveries/reading.ts";
import type { Delivery } from "../../wire/exchange.ts";
import { announcedIfNew, listedWhileThere } from "../shared/announced-resources.ts";

export const bankTransactionDeliveryChecks: readonly Check[] = [
  // BTX-01: banktransaction.created has the fields of the bank transaction table; date is
  // YYYY-MM-DD, transactionType debit or credit.
  announcedIfNew({
    ...{ claim: "BTX-01.owed", operation: "GET /bank-transactions" },
    ...{ event: "banktransaction.created", id: "/id" },
  }),
  // BTX-03: In the event category is a string or null; on the REST resource it is an array of
  // provider categories.
  {
    claims: ["BTX-03.event"],
    title: "category of banktransaction.created is not the detailed one",
    requires: ["deliveries"],
    run: async (session) => {
      const { typed } = (await historyOf(session)).reading;
      const detailed = detailedCategories(typed);
      const named = allNamed(typed, "banktransaction.created").flatMap(({ body, delivery }) => {
        const known = detailed.get(body.id);
        return known ? [{ category: body.category, known, delivery }] : [];
      });
      const skip = new Skip("no bank transaction with a message of a detailed category");
      return each(named, skip, ({ category, known, delivery }): Breach[] => {
        if (category !== known.detailed) return [];
        const expected = `"${known.primary}", the primary category, or null`;
        return [breachAt(delivery, "/category", expected, known.by)];
      });
    },
  },
  // BTX-07: Deletions from before the event existed are reconciled by GET /bank-transactions.
  listedWhileThere({
    listed: "BTX-07.listed",
    unlisted: "BTX-07.unlisted",
    operation: "GET /bank-transactions",
    announcedBy: (typed) =>
      allNamed(typed, "banktransaction.created").map(({ body, delivery }) => [body.id, delivery]),
    removedBy,
  }),
];

interface Categories {
  readonly primary: string;
  readonly detailed: string;
  readonly by: Delivery;
}

/** The categories of delivered messages by bank transaction, if the detailed one is different. */
function detailedCategories(typed: readonly TypedDelivery[]): Map<string, Categories> {
  const found = new Map<string, Categories>();
  for (const { body, delivery: by } of allNamed(typed, "transactionmessage.created")) {
    const { bankData } = body;
    if (!bankData) continue;
    const { primary, detailed } = bankData.personalFinanceCategory;
    if (primary !== detailed) found.set(bankData.bankTransactionId, { primary, detailed, by });
  }
  return found;
}
