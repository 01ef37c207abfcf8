import { type Breach, type Check, type Decides, decides } from "../../check.ts";
import { reconcile } from "../../observe/bank-transactions.ts";
import { inResponses } from "../../observe/body-checks.ts";

export const bankTransactions: readonly Check[] = [
  // BTX-03: In the event category is a string or null; on the REST resource it is an array of
  // provider categories.
  inResponses(["BTX-03.rest"], "category is an array on the REST resource"),
  // BTX-07: Deletions from before the event existed are reconciled by GET /bank-transactions.
  reconciles(
    ["BTX-07.of-listed-match"],
    "GET /bank-transactions lists the bank transactions of listed matches",
  ),
];

/**
 * Checks that every bank transaction of a listed match is listed too. A breach does not show which
 * of the two lists is wrong.
 */
export function reconciles(what: Decides, title: string): Check {
  return {
    ...decides(what),
    title,
    requires: ["state"],
    run: async (session) => {
      const { compared, unreconciled } = await reconcile(session);
      if (compared === 0) return session.skip("no listed match names a bank transaction");
      const breaches = unreconciled.map(({ id, page, at, list }): Breach => {
        const expected = "a listed bank transaction, or no such match";
        return { path: at, expected, actual: `${id}, not listed`, evidence: [page, list] };
      });
      return { assertions: compared, breaches };
    },
  };
}
