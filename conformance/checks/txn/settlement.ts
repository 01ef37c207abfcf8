import type { EventPayloads } from "../../../generated/events.ts";
import { type Breach, type Check, type Decides, decides, Skip } from "../../check.ts";
import { validatedDeliveriesOf } from "../../observe/deliveries/history.ts";
import { observationsOf } from "../../observe/observations.ts";
import { duplicatesIn, inheritanceIn, type SettlementResult } from "../../observe/settlements.ts";
import type { Capabilities } from "../../run/capabilities.ts";
import type { Hint } from "../../run/skip.ts";
import { TRANSACTIONS } from "../shared/events.ts";
import { withState } from "../shared/in-items.ts";

type Transaction = EventPayloads["transaction.created"];

/** Checks settlement in single snapshots, which need no complete history. */
export const settlement: readonly Check[] = [
  // TXN-12: A bank posting matched with high confidence settles a PENDING transaction: a
  // bank-sourced FINL_ADVC message is added that inherits transactionReference, approvalCode and
  // network of the authorization, and transaction.updated is sent.
  inSnapshots(
    ["TXN-12.inherits-reference", "TXN-12.inherits-approval-code", "TXN-12.inherits-network"],
    "a delivered bank settlement inherits the fields of its authorization",
    (body, capabilities) => inheritanceIn(body, capabilities.networks),
  ),
  // TXN-13: When the network's own clearing arrives on a SETTLED transaction it stays SETTLED, the
  // settled amounts may be revised, and the provisional bank message becomes superseded; the
  // transaction.updated that announces the duplicate also marks it.
  inSnapshots(
    ["TXN-13.supersedes"],
    "a delivered purchase is not settled by both the bank and the network",
    duplicatesIn,
  ),
];

function inSnapshots(
  what: Decides,
  title: string,
  inspect: (body: Transaction, capabilities: Capabilities) => SettlementResult,
): Check {
  return {
    ...decides(what),
    title,
    requires: ["deliveries"],
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
      if (assertions === 0) return new Skip("no delivered purchase was settled so");
      return { assertions, breaches };
    },
  };
}

/** Checks the settlement of purchases by their messages. */
export function settling(
  what: Decides,
  title: string,
  how: {
    readonly inspect: (
      body: Parameters<typeof duplicatesIn>[0],
      capabilities: Capabilities,
    ) => SettlementResult;
    readonly none: string;
    readonly hint: Hint;
  },
): Check {
  const { inspect, none, hint } = how;
  return withState(what, title, async (session) => {
    const sound = (await observationsOf(session)).transactions.filter(({ isSound }) => isSound);
    const results = sound.map(({ body, at, exchange }) => {
      const { assertions, wrong } = inspect(
        body as Parameters<typeof inspect>[0],
        session.capabilities,
      );
      const breaches = wrong.map((one): Breach => {
        return { ...one, path: `${at}${one.path}`, evidence: [exchange] };
      });
      return { assertions, breaches };
    });
    const assertions = results.reduce((sum, one) => sum + one.assertions, 0);
    if (assertions === 0) return session.skip(none, hint);
    return { assertions, breaches: results.flatMap(({ breaches }) => breaches) };
  });
}
