import { memberOf } from "../../../src/contract/pointer.ts";
import { Assertions } from "../../assert.ts";
import { type Check, type Found, Skip } from "../../check.ts";
import { allDeliveries } from "../../scenarios/act.ts";
import {
  areInverted,
  distinctEvents,
  findEvents,
  isForSecondSubscription,
  textAt,
} from "../../scenarios/find-deliveries.ts";
import {
  activatedImmediately,
  clearedImmediately,
  type ImmediateChange,
} from "../../scenarios/immediate-changes.ts";
import { settled } from "../../scenarios/purchases.ts";
import { SUBSCRIBED_EVENTS, subscribedToSomeEvents } from "../../scenarios/subscribed.ts";
import { AUTHORIZED, CLEARED, POSTED } from "../shared/scenario-capabilities.ts";

/** Checks the order of a transaction's events and the events per subscribed URL. */
export const eventChecks: readonly Check[] = [
  // WHK-05: transaction.created comes once per transaction and before its first transaction.updated
  // as the state describes it; both carry the same shape.
  {
    claims: ["WHK-05.once", "WHK-05.before-updated"],
    title: "a driven transaction is announced as created once, before updates",
    requires: POSTED,
    run: async (session) => {
      const { transactionId, resource } = await settled(session);
      const all = await allDeliveries(session);
      const assertions = new Assertions();
      const created = findEvents(all, "transaction.created", { "/id": transactionId });
      assertions.wasDelivered(created, `transaction.created of ${transactionId}`, resource);
      assertions.atMost(
        1,
        distinctEvents(created, all),
        `transaction.created of ${transactionId} once`,
      );
      const pairs = created.flatMap((one) => {
        const id = textAt(one.json, "/id");
        return findEvents(all, "transaction.updated", { "/id": id }).map(
          (two) => [one, two] as const,
        );
      });
      const [pair] = pairs;
      if (pair) {
        assertions.check(!areInverted(pairs), {
          expected: "transaction.created before the first transaction.updated",
          actual: "after all updates",
          evidence: pair,
        });
      }
      return assertions.result("no transaction was created");
    },
  },
  // WHK-06: Events are subscribed to independently.
  {
    claims: ["WHK-06.subscribed", "WHK-06.not-subscribed", "WHK-06.independent"],
    title: "a URL subscribed to some events receives exactly those events",
    requires: [...AUTHORIZED, "verb:subscribe"],
    run: async (session) => {
      const { deliveries, result, resource } = await subscribedToSomeEvents(session);
      const assertions = new Assertions();
      const there = deliveries.filter(isForSecondSubscription);
      const ids: readonly string[] = [result.transactionId, result.messageId];
      for (const name of SUBSCRIBED_EVENTS) {
        const wanted = there.filter(({ name: its, json }) => {
          return its === name && ids.includes(textAt(json, "/id") ?? "");
        });
        assertions.wasDelivered(wanted, `${name} at the URL subscribed to it`, resource);
      }
      const others = there.filter(({ name }) => !SUBSCRIBED_EVENTS.some((one) => one === name));
      const only = SUBSCRIBED_EVENTS.join(" and ");
      assertions.atMost(0, others, `only ${only} at the URL subscribed to them`);
      assertions.wasDelivered(
        findEvents(deliveries, "transaction.created", { "/id": result.transactionId }),
        "transaction.created at the URL subscribed to all events",
        resource,
      );
      return assertions.result("no event was subscribed to");
    },
  },
];

/** The fields of the aggregate table. The projection may be off (TXN-10). */
const TRANSACTION = [
  ...["id", "subaccountId", "cardId", "network", "status", "descriptor", "acceptor"],
  ...["transactionCurrency", "cardholderBillingCurrency", "transactionHoldAmount"],
  ...["transactionSettledAmount", "cardholderBillingHoldAmount", "transactionType"],
  ...["cardholderBillingSettledAmount", "supersededMessageIds", "createdAt", "updatedAt", "_links"],
];

const SUBSCRIPTION = [
  ...["id", "subaccountId", "cardId", "enrollmentType", "state", "networkBulkFeedId"],
  ...["customerReferenceId", "effectiveDate", "expirationDate", "createdAt", "updatedAt", "_links"],
];

const NOTHING = "no resource was announced as created and then as updated";

/** Checks the events of resources that change immediately after their creation. */
export const orderChecks: readonly Check[] = [
  // WHK-05: transaction.created comes once per transaction and before its first transaction.updated
  // as the state describes it; both carry the same shape.
  {
    claims: ["WHK-05.before-updated"],
    title: "an immediate clearing is announced after the purchase's creation",
    requires: [...AUTHORIZED, "verb:clear"],
    run: async (session) => inOrder(await clearedImmediately(session), "transaction", TRANSACTION),
  },
  // SUB-09: One cardsubscription.created per subscription, before any updated; every later change
  // sends updated with the same shape.
  {
    claims: ["SUB-09.created-first", "SUB-09.same-shape"],
    title: "an immediate change is announced after the subscription's creation",
    requires: CLEARED,
    run: async (session) =>
      inOrder(await activatedImmediately(session), "cardsubscription", SUBSCRIPTION),
  },
];

/** Checks that the update comes after the creation and has the same fields. */
function inOrder(
  { ids, deliveries }: ImmediateChange,
  kind: "transaction" | "cardsubscription",
  fields: readonly string[],
): Found | Skip {
  const pairs = ids.flatMap((id) => {
    const [created] = findEvents(deliveries, `${kind}.created`, { "/id": id });
    const [updated] = findEvents(deliveries, `${kind}.updated`, { "/id": id });
    return created && updated ? ([[created, updated]] as const) : [];
  });
  const [pair] = pairs;
  if (!pair) return new Skip(NOTHING);
  const assertions = new Assertions();
  assertions.check(!areInverted(pairs), {
    expected: `${kind}.created, then ${kind}.updated`,
    actual: `the opposite order, ${pairs.length} of ${pairs.length} times`,
    evidence: pair,
  });
  for (const [created, updated] of pairs) {
    const has = (one: typeof created, name: string) => memberOf(one.json, name) !== undefined;
    const missing = fields.filter((name) => has(created, name) && !has(updated, name));
    assertions.check(missing.length === 0, {
      expected: "the shape of the created event",
      actual: `the same without ${missing.join(", ")}`,
      evidence: [updated, created],
    });
  }
  return assertions.result(NOTHING);
}
