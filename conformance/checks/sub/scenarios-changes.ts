import type { ClaimId, Situation } from "../../../generated/requirements.ts";
import { memberOf } from "../../../src/contract/pointer.ts";
import { Assertions, bodyOf, ClaimAssertions, differences, type Message } from "../../assert.ts";
import type { Check } from "../../check.ts";
import { isBefore } from "../../observe/deliveries/order.ts";
import { allDeliveries, CLEARED, hasVerbs, runScenarios, UPGRADED } from "../../scenarios/act.ts";
import {
  contentOf,
  distinctEvents,
  findEvents,
  undueEvents,
} from "../../scenarios/find-deliveries.ts";
import {
  changedThrice,
  ended,
  repeated,
  upgradedAgain,
  upgradedWhileExpired,
} from "../../scenarios/subscription-changes.ts";
import { upgraded, upgradedAndCleared } from "../../scenarios/subscriptions.ts";
import type { Delivery } from "../../wire/exchange.ts";
import { accountValues } from "./scenarios-links.ts";

const UPDATED = "cardsubscription.updated" as const;
const CREATED = "cardsubscription.created" as const;

/** Checks the changes of subscriptions: upgrades and their events. */
export const subscriptionChangeChecks: readonly Check[] = [
  // SUB-06: Enrolling a real card number on a bank-feed subscription upgrades it in place: state
  // reqSCA, enrollmentType cardholder-single, same id and bankAccountId, cardsubscription.updated
  // and no second created.
  {
    claims: [
      ...(["SUB-06.state", "SUB-06.type", "SUB-06.same-id"] as const),
      ...(["SUB-06.same-account", "SUB-06.updated", "SUB-06.no-created"] as const),
    ],
    title: "a real card number upgrades a bank-feed subscription in place",
    requires: UPGRADED,
    run: async (session) => {
      const assertions = new ClaimAssertions();
      const { completed, missing } = await runScenarios(
        async () => {
          const step = await upgraded(session);
          const situations: readonly Situation[] = ["first"];
          return { ...step, id: step.card.subscriptionId, situations };
        },
        async () => {
          const { card, upgrade } = await upgradedAgain(session);
          return { ...upgrade, card };
        },
        ...(hasVerbs(session, "expireConsent", "recover")
          ? [() => upgradedWhileExpired(session)]
          : []),
      );
      for (const { id, card, deliveries, resource, before, situations } of completed) {
        const { cardId, bankAccountId } = card;
        const updates = findEvents(deliveries, UPDATED, { "/id": id });
        // An upgrade in place creates nothing.
        const created = memberOf(bodyOf(before), "createdAt");
        const createdAt = created === undefined ? {} : { "/createdAt": created };
        const expected: readonly (readonly [ClaimId, Readonly<Record<string, unknown>>])[] = [
          ["SUB-06.state", { "/state": "reqSCA" }],
          ["SUB-06.type", { "/enrollmentType": "cardholder-single" }],
          ["SUB-06.same-id", { "/id": id, "/cardId": cardId, ...createdAt }],
          ["SUB-06.same-account", accountValues(bankAccountId)],
        ];
        const what = `cardsubscription.updated of ${id}`;
        const owed = assertions.of("SUB-06.updated", ...situations);
        owed.wasDelivered(updates, what, resource, (one) => {
          return expected.flatMap(([, values]) => differences(one, values, [before]));
        });
        for (const [claim, values] of expected) {
          const alone = assertions.of(claim, "alone", ...situations);
          alone.hasValues(resource, values, before);
          if (updates.length === 0) continue;
          const delivered = assertions.of(claim, "delivered", ...situations);
          delivered.wasDelivered(updates, what, resource, (one) => {
            return differences(one, values, [before]);
          });
        }
        const all = findEvents(await allDeliveries(session), CREATED).filter(
          ({ json }) =>
            memberOf(json, "cardId") === cardId ||
            memberOf(json, "bankAccountId") === bankAccountId,
        );
        const none = "no second cardsubscription.created of an upgraded card";
        assertions.of("SUB-06.no-created").atMost(1, distinct(all), none);
      }
      return assertions.result("nothing was upgraded", missing);
    },
  },
  {
    claims: ["SUB-06.same-account"],
    title: "an upgraded subscription keeps its bank account when it is active",
    requires: UPGRADED,
    run: async (session) => {
      const { card, deliveries, resource, before } = await upgradedAndCleared(session);
      const values = accountValues(card.bankAccountId);
      const assertions = new Assertions();
      const kept = assertions.of("SUB-06.same-account", "after-sca");
      kept.hasValues(resource, values, before);
      for (const one of findEvents(deliveries, UPDATED, { "/id": card.subscriptionId })) {
        kept.hasValues(one, values, before);
      }
      return assertions.result("nothing was upgraded");
    },
  },
  // SUB-09: One cardsubscription.created per subscription, before any updated; every later change
  // sends updated with the same shape.
  {
    claims: ["SUB-09.every-change", "SUB-09.timestamps"],
    title: "each change of a subscription is announced as updated",
    requires: CLEARED,
    run: async (session) => {
      const { completed, missing } = await changedThrice(session);
      const assertions = new ClaimAssertions();
      for (const step of completed) {
        const { id, deliveries, before, resource, situations } = step;
        const updates = findEvents(deliveries, UPDATED, { "/id": id });
        const owed = assertions.of("SUB-09.every-change", ...situations);
        owed.wasDelivered(updates, `cardsubscription.updated of ${id}`, resource);
        const times = assertions.of("SUB-09.timestamps", ...situations);
        keepsTime(times, before, resource);
        const createdAt = memberOf(bodyOf(before), "createdAt");
        if (createdAt === undefined) continue;
        for (const one of updates) times.hasValues(one, { "/createdAt": createdAt }, before);
      }
      return assertions.result("no subscription changed", missing);
    },
  },
  {
    claims: ["SUB-09.one-created", "SUB-09.created-first"],
    title: "a driven subscription is announced as created once, then as updated",
    requires: CLEARED,
    run: async (session) => {
      const { completed, missing } = await runScenarios(
        () => changedThrice(session),
        ...(session.capabilities.verbs.includes("deactivate") ? [() => ended(session)] : []),
      );
      const steps = completed.flatMap((each) => each.completed);
      const all = await allDeliveries(session);
      const assertions = new ClaimAssertions();
      for (const { id, deliveries, situations } of steps) {
        const created = findEvents(all, CREATED, { "/id": id });
        const [first] = created;
        // SUB-04 reports a missing event.
        if (!first) continue;
        const once = assertions.of("SUB-09.one-created", ...situations);
        once.atMost(1, distinctEvents(created, all), `cardsubscription.created of ${id} once`);
        // The driver waits for each step's events, so no update was due before the creation.
        const update = findEvents(all, UPDATED, { "/id": id })[0] ?? deliveries[0];
        if (!update) continue;
        assertions.of("SUB-09.created-first").check(!isBefore(update, first), {
          expected: "cardsubscription.created before any cardsubscription.updated",
          actual: "the opposite order",
          evidence: [first, update],
        });
      }
      return assertions.result("no subscription changed", missing);
    },
  },
  {
    claims: ["SUB-09.no-empty-update"],
    title: "a verb without effect sends no cardsubscription.updated",
    requires: CLEARED,
    run: async (session) => {
      const { completed, missing } = await repeated(session);
      const all = await allDeliveries(session);
      const assertions = new Assertions();
      for (const { verb, id, earlier, deliveries, resource } of completed) {
        const sent = findEvents(deliveries, UPDATED, { "/id": id });
        const [more] = undueEvents(sent, earlier, all);
        assertions.of("SUB-09.no-empty-update", "repeated-verb").check(more === undefined, {
          expected: `no cardsubscription.updated of ${id} when ${verb} is repeated`,
          actual: "one was delivered",
          evidence: [more ?? resource],
        });
      }
      return assertions.result("no verb was repeated", missing);
    },
  },
];

/** Asserts that createdAt stays and updatedAt does not go back. */
function keepsTime(assertions: Assertions, before: Message, resource: Message): void {
  const [was, is] = [bodyOf(before), bodyOf(resource)];
  const createdAt = memberOf(was, "createdAt");
  const [from, to] = [memberOf(was, "updatedAt"), memberOf(is, "updatedAt")];
  if (createdAt !== undefined) {
    assertions.hasValues(resource, { "/createdAt": createdAt }, before);
  }
  if (typeof from !== "string" || typeof to !== "string") return;
  assertions.check(from <= to, {
    path: "/updatedAt",
    expected: `${from} or later`,
    actual: to,
    evidence: [resource, before],
  });
}

/** Removes duplicates: a sender may repeat a delivery (WHK-04). */
function distinct(events: readonly Delivery[]): Delivery[] {
  return [...new Map(events.map((one) => [contentOf(one), one])).values()];
}
