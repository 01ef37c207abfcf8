import { breachAt, each } from "../../assert.ts";
import { type Breach, type Check, Skip } from "../../check.ts";
import { inDeliveries } from "../../observe/body-checks.ts";
import { historyOf } from "../../observe/deliveries/history.ts";
import { allNamed, removedBy, type TypedDelivery } from "../../observe/deliveries/reading.ts";
import type { Delivery } from "../../wire/exchange.ts";
import { announcedIfNew, listedWhileThere } from "../shared/announced-resources.ts";
import { countEvents, matchesByPosting, withEvent } from "../shared/delivery-cases.ts";
import { inHistory } from "../shared/factories.ts";

const NO_REMOVAL = "no banktransaction.deleted of a bank transaction announced in this run";

export const bankTransactionDeliveryChecks: readonly Check[] = [
  // BTX-01: banktransaction.created has the fields of the bank transaction table; date is
  // YYYY-MM-DD, transactionType debit or credit.
  inDeliveries(
    ["BTX-01.fields", "BTX-01.debit-credit"],
    "banktransaction.created has the fields of its table",
  ),
  announcedIfNew({
    ...{ claim: "BTX-01.owed", operation: "GET /bank-transactions" },
    ...{ event: "banktransaction.created", id: "/id" },
  }),
  // BTX-02: amount is always positive.
  inDeliveries(["BTX-02.positive"], "amount of banktransaction.created is above zero"),
  // BTX-03: In the event category is a string or null; on the REST resource it is an array of
  // provider categories.
  inDeliveries(
    ["BTX-03.event"],
    "category of banktransaction.created is a string or null",
    withEvent(["banktransaction.created"]),
    "no bank transaction was delivered",
  ),
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
  // BTX-04: banktransaction.deleted names the id of an earlier banktransaction.created, with
  // bankAccountId, deletedAt and reason provider_removed or duplicate_retired.
  inDeliveries(
    ["BTX-04.deleted-at", "BTX-04.reason"],
    "banktransaction.deleted has id, account, deletedAt and reason",
  ),
  inHistory(
    ["BTX-04.names-announced", "BTX-04.account"],
    "banktransaction.deleted names an announced bank transaction",
    {
      cases: ({ complete: whole }) => countEvents(whole, "banktransaction.deleted"),
      events: ["banktransaction.deleted"],
      skipReason: NO_REMOVAL,
    },
  ),
  // BTX-05: If the deleted bank transaction had a match, transaction.match.deleted follows with
  // reason bank_transaction_retired.
  inHistory(
    ["BTX-05.retracted"],
    "the match of a deleted bank transaction is retracted afterwards",
    {
      cases: (history) => {
        const matches = matchesByPosting(history);
        const removals = allNamed(history.complete, "banktransaction.deleted");
        return removals.filter(({ body }) => matches.has(body.id)).length;
      },
      skipReason: "no bank transaction with a match was deleted",
    },
  ),
  // BTX-06: metadata.resourceId of banktransaction.deleted equals its id.
  inDeliveries(
    ["BTX-06.resource-id"],
    "metadata.resourceId of banktransaction.deleted is its id",
    withEvent(["banktransaction.deleted"]),
    "no banktransaction.deleted was delivered",
  ),
  // BTX-07: Deletions from before the event existed are reconciled by GET /bank-transactions.
  listedWhileThere({
    decides: ["BTX-07.listed"],
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
