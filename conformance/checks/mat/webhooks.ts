import type { Check } from "../../check.ts";
import { allNamed, retractedBy } from "../../observe/deliveries/reading.ts";
import { announcedIfNew, listedWhileThere, resolves } from "../shared/announced-resources.ts";

export const matchDeliveryChecks: readonly Check[] = [
  // MAT-01: transaction.match.created has matchId, confidence, score, cardTransaction, reasons[]
  // and matches[] with the fields given.
  announcedIfNew({
    ...{ claim: "MAT-01.owed", operation: "GET /transaction-matches" },
    ...{ event: "transaction.match.created", id: "/matchId" },
  }),
  // MAT-04: matches[].id is a bank transaction's id, as announced by banktransaction.created.
  resolves("MAT-04.resolves", "GET finds the bank transactions of a delivered match"),
  // MAT-11: Earlier removals of matches are reconciled by GET /transaction-matches.
  listedWhileThere({
    claim: "MAT-11.listed",
    operation: "GET /transaction-matches",
    announcedBy: (typed) =>
      allNamed(typed, "transaction.match.created").map(({ body, delivery }) => [
        body.matchId,
        delivery,
      ]),
    removedBy: retractedBy,
  }),
];
