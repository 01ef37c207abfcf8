import { inDeliveries } from "../../body-checks.ts";
import type { Check } from "../../check.ts";
import { allNamed } from "../../deliveries/typed-delivery.ts";
import { count, matchesByPosting, splitPurchases } from "./cases.ts";
import { retractedBy } from "./ep.ts";
import { inHistory } from "./in-history.ts";
import { isListedWhileThere } from "./lists.ts";
import { resolves } from "./postings.ts";
import { ofEvent } from "./seen.ts";

export const matches: readonly Check[] = [
  inDeliveries("MAT-01", "transaction.match.created carries the fields of the match table"),
  inDeliveries("MAT-02", "confidence of transaction.match.created follows its score"),
  inDeliveries("MAT-03", "a reason of a delivered match says what it compared"),
  inHistory("MAT-04", "the bank transactions of a match are announced", {
    cases: ({ complete: whole }) => count(whole, "transaction.match.created"),
    unseen: "no match whose beginning the run has heard",
  }),
  resolves("MAT-04", "the bank transactions of a match resolve by its subaccount"),
  inDeliveries("MAT-05", "transaction.match.deleted carries the match, both sides and a reason"),
  inHistory("MAT-05", "transaction.match.deleted names a match that was announced", {
    cases: ({ complete: whole }) => count(whole, "transaction.match.deleted"),
    unseen: "no retraction of a match that the run has heard of",
  }),
  inDeliveries(
    "MAT-06",
    "metadata.resourceId of a retraction is its bankTransactionId",
    ofEvent(["transaction.match.deleted"]),
    "no transaction.match.deleted was delivered",
  ),
  inHistory("MAT-07", "a bank transaction that is matched anew leaves its old match", {
    cases: (history) =>
      [...matchesByPosting(history).values()].filter((all) => all.length > 1).length,
    unseen: "no bank transaction was matched a second time",
  }),
  inHistory("MAT-08", "each debit of a split purchase is matched to a leg of its own", {
    cases: splitPurchases,
    unseen: "no purchase was settled by several bank transactions",
  }),
  isListedWhileThere({
    requirement: "MAT-11",
    operation: "GET /transaction-matches",
    announcedBy: (told) =>
      allNamed(told, "transaction.match.created").map(({ body, delivery }) => [
        body.matchId,
        delivery,
      ]),
    removedBy: retractedBy,
  }),
];
