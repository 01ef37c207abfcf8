import type { Check } from "../../check.ts";
import { inDeliveries } from "../../observe/body-checks.ts";
import { allNamed, retractedBy } from "../../observe/deliveries/reading.ts";
import { announcedIfNew, listedWhileThere, resolves } from "../shared/announced-resources.ts";
import {
  countEvents,
  matchesByPosting,
  splitPurchases,
  withEvent,
} from "../shared/delivery-cases.ts";
import { bySituations, inHistory } from "../shared/factories.ts";

export const matchDeliveryChecks: readonly Check[] = [
  // MAT-01: transaction.match.created has matchId, confidence, score, cardTransaction, reasons[]
  // and matches[] with the fields given.
  inDeliveries(
    ["MAT-01.fields", "MAT-01.card-transaction", "MAT-01.bank-side"],
    "transaction.match.created has the fields of the match table",
  ),
  announcedIfNew({
    ...{ claim: "MAT-01.owed", operation: "GET /transaction-matches" },
    ...{ event: "transaction.match.created", id: "/matchId" },
  }),
  // MAT-02: confidence follows score: HIGH from 0.70, MEDIUM from 0.50, LOW from 0.20; nothing
  // below 0.20 is announced.
  bySituations(
    inDeliveries(
      ["MAT-02.high", "MAT-02.medium", "MAT-02.low", "MAT-02.none-below"],
      "confidence of transaction.match.created follows its score",
    ),
    {
      "MAT-02.high": ["confidence-high"],
      "MAT-02.medium": ["confidence-medium"],
      "MAT-02.low": ["confidence-low"],
    },
  ),
  // MAT-03: reasons[] give type (Amount, Date, Merchant appear), score, cardValue, bankValue, diff,
  // message.
  inDeliveries(["MAT-03.fields"], "a reason of a delivered match has the compared values"),
  // MAT-04: matches[].id is a bank transaction's id, as announced by banktransaction.created.
  inHistory(["MAT-04.announced"], "the bank transactions of a match are announced", {
    cases: ({ complete: whole }) => countEvents(whole, "transaction.match.created"),
    skipReason: "no match that was created in this run",
  }),
  resolves(["MAT-04.resolves"], "GET finds the bank transactions of a delivered match"),
  // MAT-05: transaction.match.deleted names a matchId announced before, with bankTransactionId,
  // cardTransactionId and reason bank_transaction_retired or rematch_superseded.
  inDeliveries(["MAT-05.reason"], "transaction.match.deleted has its three ids and a reason"),
  inHistory(["MAT-05.names-announced"], "transaction.match.deleted names an announced match", {
    cases: ({ complete: whole }) => countEvents(whole, "transaction.match.deleted"),
    events: ["transaction.match.deleted"],
    skipReason: "no retraction of a match announced in this run",
  }),
  // MAT-06: metadata.resourceId of transaction.match.deleted equals its bankTransactionId.
  inDeliveries(
    ["MAT-06.resource-id"],
    "metadata.resourceId of a retraction is its bankTransactionId",
    withEvent(["transaction.match.deleted"]),
    "no transaction.match.deleted was delivered",
  ),
  // MAT-07: A forced re-match creates new match ids; the old id is announced deleted with
  // rematch_superseded.
  inHistory(["MAT-07.old-deleted"], "a re-match of a bank transaction retracts its old match", {
    cases: (history) =>
      [...matchesByPosting(history).values()].filter((all) => all.length > 1).length,
    skipReason: "no bank transaction was matched a second time",
  }),
  // MAT-08: A purchase that clears in parts matches each bank debit to its own leg: one
  // transaction.match.created per debit, each with its own cardTransaction.id.
  inHistory(["MAT-08.own-leg"], "each debit of a split purchase is matched to its own leg", {
    cases: splitPurchases,
    skipReason: "no purchase was settled by several bank transactions",
  }),
  // MAT-11: Earlier removals of matches are reconciled by GET /transaction-matches.
  listedWhileThere({
    decides: ["MAT-11.listed"],
    operation: "GET /transaction-matches",
    announcedBy: (typed) =>
      allNamed(typed, "transaction.match.created").map(({ body, delivery }) => [
        body.matchId,
        delivery,
      ]),
    removedBy: retractedBy,
  }),
];
