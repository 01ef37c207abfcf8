import { memberOf } from "../../../src/contract/pointer.ts";
import { Assertions, differences } from "../../assert.ts";
import { type Check, Skip } from "../../check.ts";
import type { Session } from "../../run/session.ts";
import { runScenarios } from "../../scenarios/act.ts";
import { areInverted, findEvents } from "../../scenarios/find-deliveries.ts";
import { noLongerListed } from "../../scenarios/listed.ts";
import { NO_MATCH, type Removal, removed, retired } from "../../scenarios/removals.ts";
import { cardless, type Standalone, standalone } from "../../scenarios/standalones.ts";
import { POSTED, REMOVED, STANDALONE } from "../shared/scenario-capabilities.ts";

const RETIRED = [...POSTED, "verb:retireDuplicate"] as const;

/** Checks of the deletion of bank transactions and their matches. */
export const deletionChecks: readonly Check[] = [
  deletion("a posting that the provider removes is announced as deleted", removed, REMOVED),
  deletion("a retired duplicate posting is announced as deleted", retired, RETIRED),
  retraction("the match of a removed posting is announced as deleted", removed, REMOVED),
  retraction("the match of a retired duplicate is announced as deleted", retired, RETIRED),
  // BTX-05: If the deleted bank transaction had a match, transaction.match.deleted follows with
  // reason bank_transaction_retired.
  {
    requirement: "BTX-05",
    title: "the retraction of a match is sent after the deletion of its posting",
    requires: [...REMOVED, "verb:retireDuplicate"],
    run: async (session) => {
      const { completed: removals, missing } = await runScenarios(
        () => removed(session),
        () => retired(session),
      );
      const pairs = removals.flatMap(({ deliveries, bankTransactionId: id }) => {
        const [gone] = findEvents(deliveries, "banktransaction.deleted", { "/id": id });
        const [match] = findEvents(deliveries, "transaction.match.deleted", {
          "/bankTransactionId": id,
        });
        return gone && match ? ([[gone, match]] as const) : [];
      });
      const [pair] = pairs;
      if (!pair) return new Skip(NO_MATCH);
      const assertions = new Assertions();
      assertions.check(!areInverted(pairs), {
        expected: "banktransaction.deleted, then transaction.match.deleted",
        actual: `the opposite order, ${pairs.length} of ${pairs.length} times`,
        evidence: [pair[1], pair[0]],
      });
      return assertions.result(NO_MATCH, missing);
    },
  },
];

/** Checks that a removed bank transaction disappears from its list. */
export const removalChecks: readonly Check[] = [
  // BTX-07: Deletions from before the event existed are reconciled by GET /bank-transactions.
  {
    requirement: "BTX-07",
    title: "a removed posting is no longer listed",
    requires: REMOVED,
    alternative: true,
    run: async (session) => {
      const { transactions, deliveries } = await removed(session);
      return noLongerListed(
        transactions,
        deliveries,
        "GET /bank-transactions did not list the posting before its removal",
      );
    },
  },
];

/** Checks that postings are announced. */
export const postingChecks: readonly Check[] = [
  // BTX-01: banktransaction.created has the fields of the bank transaction table; date is
  // YYYY-MM-DD, transactionType debit or credit.
  {
    requirement: "BTX-01",
    title: "a bank posting is announced with its account, amount and type",
    requires: STANDALONE,
    alternative: true,
    run: async (session) => {
      const assertions = new Assertions();
      const { completed: steps, missing } = await runScenarios<Standalone>(
        () => standalone(session),
        () => cardless(session),
      );
      for (const step of steps) {
        const { deliveries, bankTransactionId, bankAccountId, amount, resource } = step;
        assertions.wasDelivered(
          findEvents(deliveries, "banktransaction.created", { "/id": bankTransactionId }),
          `banktransaction.created of ${bankTransactionId}`,
          resource,
          (one) =>
            differences(one, {
              ...{ "/bankAccountId": bankAccountId, "/amount": amount },
              ...{ "/transactionType": "debit", "/pending": false },
            }),
        );
      }
      return assertions.result("the bank posted nothing", missing);
    },
  },
];

type RemovalScenario = (session: Session) => Promise<Removal>;

function deletion(title: string, scenario: RemovalScenario, needs: Check["requires"]): Check {
  return {
    requirement: "BTX-04",
    title,
    requires: needs,
    run: async (session) => {
      const {
        deliveries,
        bankTransactionId: id,
        bankAccountId,
        reason,
        resource,
      } = await scenario(session);
      const assertions = new Assertions();
      assertions.wasDelivered(
        findEvents(deliveries, "banktransaction.deleted", { "/id": id }),
        `banktransaction.deleted of ${id}`,
        resource,
        (one) => differences(one, { "/bankAccountId": bankAccountId, "/reason": reason }),
      );
      return assertions.result("nothing was removed");
    },
  };
}

function retraction(title: string, scenario: RemovalScenario, needs: Check["requires"]): Check {
  return {
    requirement: "BTX-05",
    title,
    requires: needs,
    run: async (session) => {
      const { deliveries, match, bankTransactionId } = await scenario(session);
      if (!match) return new Skip(NO_MATCH);
      const matchId = memberOf(match.json, "matchId");
      const assertions = new Assertions();
      assertions.wasDelivered(
        findEvents(deliveries, "transaction.match.deleted", {
          "/bankTransactionId": bankTransactionId,
        }),
        `transaction.match.deleted of ${matchId}`,
        match,
        (one) =>
          differences(one, { "/matchId": matchId, "/reason": "bank_transaction_retired" }, [match]),
      );
      return assertions.result(NO_MATCH);
    },
  };
}
