import { memberOf } from "../../src/contract/pointer.ts";
import { amountsDiffer } from "../../src/contract/rules/sum.ts";
import { AUTHORIZATION, SETTLEMENT } from "../../src/contract/rules/vocabulary.ts";
import { Assertions, bodyOf, breachAt } from "../assert.ts";
import type { Found, Skip } from "../check.ts";
import type { Session } from "../run/session.ts";
import { hasVerb, runScenarios } from "./act.ts";
import { listAt, messageIdsOf } from "./find-deliveries.ts";
import { purchaseInParts } from "./parts.ts";
import { clearedByNetwork, type PurchaseStep, settled } from "./purchases.ts";
import { cardless } from "./standalones.ts";

const AMOUNTS = [
  ["transactionSettledAmount", "transactionAmount", "transactionCurrency"],
  ["cardholderBillingSettledAmount", "cardholderBillingAmount", "cardholderBillingCurrency"],
] as const;

type Summed = Pick<PurchaseStep, "resource" | "messages">;

/** Checks TXN-09 by the single messages, so it doesn't need the projection. */
export async function settledSums(session: Session): Promise<Found | Skip> {
  const cleared = [
    () => clearedByNetwork(session),
    async () => (await purchaseInParts(session)).purchase,
  ];
  const { completed: steps } = await runScenarios<Summed>(
    () => settled(session),
    () => cardless(session),
    ...(hasVerb(session, "clear") ? cleared : []),
  );
  const assertions = new Assertions();
  for (const step of steps) sum(assertions, step);
  return assertions.result("no driven purchase has amounts that are clearly a sum");
}

function sum(assertions: Assertions, { resource, messages }: Summed): void {
  const transaction = bodyOf(resource);
  const superseded = listAt(transaction, "supersededMessageIds");
  const bodies = messages.map(bodyOf);
  const types = bodies.map((body) => memberOf(body, "messageType"));
  // With other results or types, or a missing response, the sum is undefined.
  const isPlain =
    messageIdsOf(transaction).length === bodies.length &&
    bodies.every((body) => memberOf(body, "result") === "APPROVED") &&
    types.every((type) => type === AUTHORIZATION || type === SETTLEMENT) &&
    types.includes(SETTLEMENT);
  if (!isPlain) return;
  const inForce = bodies.filter(
    (body) =>
      memberOf(body, "messageType") === SETTLEMENT && !superseded.includes(memberOf(body, "id")),
  );
  for (const [total, part, currency] of AMOUNTS) {
    const settledAmount = memberOf(transaction, total);
    const parts = inForce.map((body) => memberOf(body, part));
    const isInOne = inForce.every(
      (body) => memberOf(body, currency) === memberOf(transaction, currency),
    );
    const isComparable = [settledAmount, ...parts].every((amount) => typeof amount === "number");
    if (!isInOne || !isComparable) continue;
    const expected = (parts as number[]).reduce((all, amount) => all + amount, 0);
    const isRight = !amountsDiffer(settledAmount as number, expected);
    const words = `${Number(expected.toFixed(4))}, the sum of the messages in force`;
    assertions.check(isRight, breachAt(resource, `/${total}`, words, ...messages));
  }
}
