import type { Check } from "../../check.ts";
import { allNamed, retractedBy, type TypedDelivery } from "../../observe/deliveries/reading.ts";
import { announcedIfNew, listedWhileThere } from "../shared/announced-resources.ts";
import { resolves } from "../shared/served-resources.ts";

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
    listed: "MAT-11.listed",
    unlisted: "MAT-11.unlisted",
    operation: "GET /transaction-matches",
    announcedBy: (typed) =>
      allNamed(typed, "transaction.match.created").map(({ body, delivery }) => [
        body.matchId,
        delivery,
      ]),
    removedBy: retractedBy,
  }),
  // MAT-07: A forced re-match creates new match ids; the old id is announced deleted with
  // rematch_superseded.
  listedWhileThere({
    unlisted: "MAT-07.old-unlisted",
    operation: "GET /transaction-matches",
    announcedBy: () => [],
    removedBy: replacedBy,
  }),
];

/** The ids of the matches that a re-match replaced. */
function replacedBy(typed: readonly TypedDelivery[]): ReadonlySet<string> {
  const retractions = allNamed(typed, "transaction.match.deleted");
  const replaced = retractions.filter(({ body }) => body.reason === "rematch_superseded");
  return new Set(replaced.map(({ body }) => body.matchId));
}
