import type { EventName } from "../../../generated/events.ts";
import { Assertions } from "../../assert.ts";
import { type Check, type Found, type Session, Skip } from "../../check.ts";
import { areInverted, findEvents, isAnnounced } from "../../observe/deliveries/find.ts";
import { isOrdered } from "../../observe/deliveries/order.ts";
import { readDeliveries } from "../../observe/deliveries/reading.ts";
import { CARD_WITH_BANK } from "../../scripts/money.ts";
import { allDeliveries, deliveriesSince, drive } from "../../verbs/drive.ts";
import { playedScript, requiredBy } from "../../verbs/script-checks.ts";
import type { Delivery } from "../../wire/exchange.ts";

/** Checks of resources that change before their creation is delivered. A script waits for it. */
export const immediateChecks: readonly Check[] = [
  // WHK-05: transaction.created comes once per transaction and before its first transaction.updated
  // as the state describes it; both carry the same shape.
  {
    claims: ["WHK-05.before-updated"],
    title: "an immediate clearing is announced after the purchase's creation",
    requires: [...requiredBy(CARD_WITH_BANK), "verb:authorize", "verb:clear"],
    run: (session) =>
      inOrder(session, "transaction", async (price) => {
        const { world } = await playedScript(session, CARD_WITH_BANK);
        const { cardId } = world.idsOf("card 1");
        const { transactionId } = await drive(session, "authorize", { cardId, ...price });
        await drive(session, "clear", { transactionId });
        return transactionId;
      }),
  },
  // SUB-09: One cardsubscription.created per subscription, before any updated; every later change
  // sends updated with the same shape.
  {
    claims: ["SUB-09.created-first"],
    title: "an immediate change is announced after the subscription's creation",
    requires: ["verb:enroll", "verb:clearSca", "deliveries"],
    run: (session) =>
      inOrder(session, "cardsubscription", async () => {
        const { subscriptionId } = await drive(session, "enroll", undefined);
        await drive(session, "clearSca", { subscriptionId });
        return subscriptionId;
      }),
  },
];

/** Two, because the order of a single pair of deliveries is inconclusive. */
const PRICES = [
  { amount: 13.03, merchant: "CAFE SPERL" },
  { amount: 17.89, merchant: "MUSEUM BOIJMANS" },
] as const;

async function inOrder(
  session: Session,
  kind: "transaction" | "cardsubscription",
  change: (price: (typeof PRICES)[number]) => Promise<string>,
): Promise<Found | Skip> {
  const names: readonly [EventName, EventName] = [`${kind}.created`, `${kind}.updated`];
  const pairs: (readonly [Delivery, Delivery])[] = [];
  for (const price of PRICES) {
    const since = (await session.deliveries()).length;
    const id = await change(price);
    const sent = await deliveriesSince(session, since, (all) =>
      names.every((name) => isAnnounced(all, name, id)),
    );
    const [created, updated] = names.map((name) => findEvents(sent, name, { "/id": id })[0]);
    if (created && updated) pairs.push([created, updated]);
  }
  const [pair] = pairs;
  if (!pair) return new Skip("no resource was announced as created and then as updated");
  const { typed } = readDeliveries(await allDeliveries(session), session.capabilities);
  if (!isOrdered(typed)) return new Skip("too few deliveries arrive in one order");
  const assertions = new Assertions();
  assertions.check(!areInverted(pairs), {
    expected: names.join(", then "),
    actual: `the opposite order, ${pairs.length} of ${pairs.length} times`,
    evidence: pair,
  });
  return assertions.result("");
}
