import type { RequirementId } from "../../../generated/requirements.ts";
import type { AnsweringOperation } from "../../../src/contract/validate.ts";
import { type Check, each } from "../../check.ts";
import { feedOf } from "../../feed/crawl.ts";
import { outcomeOf } from "../../wire/exchange.ts";

export const endpoints: readonly Check[] = [
  answers("EP-01", "GET /subaccounts"),
  answers("EP-02", "GET /cards"),
  answers("EP-03", "GET /transactions"),
  answers("EP-04", "GET /transactions/{transactionId}"),
  answers("EP-05", "GET /transaction-messages/{id}"),
  answers("EP-06", "GET /bank-links"),
  answers("EP-08", "GET /bank-accounts"),
  answers("EP-09", "GET /bank-transactions"),
  answers("EP-10", "GET /bank-transactions/{subaccountId}/{id}"),
  answers("EP-11", "GET /transaction-matches"),
  answers("EP-12", "GET /transaction-matches/{subaccountId}/{matchId}"),
  answers("EP-13", "GET /cards/{id}"),
  answers("EP-13", "GET /card-subscriptions/{id}"),
  answers("EP-13", "GET /network-bulk-feeds/{id}"),
  answers("EP-13", "GET /subaccounts/{id}"),
  answers("EP-13", "GET /bank-accounts/{id}"),
];

/**
 * A check that an endpoint answers 200 with JSON. What is wrong inside of it is told by the
 * requirement that it breaks, so that one fault fails one requirement.
 */
function answers(requirement: RequirementId, operation: AnsweringOperation): Check {
  return {
    requirement,
    title: `${operation} answers 200`,
    needs: [],
    run: async (session) => {
      const unseen = await session.unseen(`no answer links to a resource of ${operation}`);
      return each((await feedOf(session)).of(operation), unseen, ({ exchange, isJson }) =>
        isJson
          ? []
          : [{ expected: "200 with JSON", actual: outcomeOf(exchange), shownBy: [exchange] }],
      );
    },
  };
}
