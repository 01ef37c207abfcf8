import type { EventPayloads } from "../../../generated/events.ts";
import type { RequirementId } from "../../../generated/requirements.ts";
import { type Breach, type Check, Skip } from "../../check.ts";
import { validatedDeliveriesOf } from "../../observe/deliveries/arrivals.ts";
import { duplicatesIn, inheritanceIn, type SettlementResult } from "../../observe/settlements.ts";
import type { Capabilities } from "../../run/capabilities.ts";
import { TRANSACTIONS } from "../shared/events.ts";

type Transaction = EventPayloads["transaction.created"];

/** Checks settlement in single snapshots, which need no complete history. */
export const settlement: readonly Check[] = [
  // TXN-12: A bank posting matched with high confidence settles a PENDING transaction: a
  // bank-sourced FINL_ADVC message is added that inherits transactionReference, approvalCode and
  // network of the authorization, and transaction.updated is sent.
  inSnapshots(
    "TXN-12",
    "a delivered bank settlement inherits the fields of its authorization",
    (body, capabilities) => inheritanceIn(body, capabilities.networks),
  ),
  // TXN-13: When the network's own clearing arrives on a SETTLED transaction it stays SETTLED, the
  // settled amounts may be revised, and the provisional bank message becomes superseded; the
  // transaction.updated that announces the duplicate also marks it.
  inSnapshots(
    "TXN-13",
    "a delivered purchase is not settled by both the bank and the network",
    duplicatesIn,
  ),
];

function inSnapshots(
  requirement: RequirementId,
  title: string,
  inspect: (body: Transaction, capabilities: Capabilities) => SettlementResult,
): Check {
  return {
    requirement,
    title,
    requires: ["deliveries"],
    alternative: true,
    run: async (session) => {
      const names: readonly string[] = TRANSACTIONS;
      const sound = (await validatedDeliveriesOf(session)).filter(
        ({ delivery: { name, json }, findings }) =>
          names.includes(name) && json && findings.every(({ level }) => level !== "error"),
      );
      const results = sound.map(({ delivery }) => {
        return { delivery, ...inspect(delivery.json as Transaction, session.capabilities) };
      });
      const assertions = results.reduce((sum, one) => sum + one.assertions, 0);
      const breaches = results.flatMap(({ delivery, wrong }) =>
        wrong.map((one): Breach => ({ ...one, evidence: [delivery] })),
      );
      // A snapshot can't prove that the update was sent, so the check can't pass.
      return breaches.length > 0
        ? { assertions, breaches }
        : new Skip("single snapshots show no violation, but cannot prove the requirement");
    },
  };
}
