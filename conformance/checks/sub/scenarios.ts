import { memberOf } from "../../../src/contract/pointer.ts";
import { Assertions, bodyOf, differences, type Message } from "../../assert.ts";
import { type Check, type Found, Skip } from "../../check.ts";
import { isBefore } from "../../observe/deliveries/order.ts";
import type { Session } from "../../run/session.ts";
import { allDeliveries, runScenarios, type Scenarios } from "../../scenarios/act.ts";
import { cleared, deactivated, enrolled, type SubscriptionStep } from "../../scenarios/cards.ts";
import { accepted } from "../../scenarios/feeds.ts";
import { distinctEvents, findEvents } from "../../scenarios/find-deliveries.ts";
import { cardFromLink, linked } from "../../scenarios/links.ts";
import { linkedLater, upgraded, upgradedAndCleared } from "../../scenarios/subscriptions.ts";
import type { Exchange } from "../../wire/exchange.ts";
import { CLEARED, ENROLLED, LINKED, UPGRADED } from "../shared/scenario-capabilities.ts";

/** Checks the start, changes and end of subscriptions. */
export const subscriptionChecks: readonly Check[] = [
  // SUB-04: A cardholder-single enrollment starts in reqSCA, a network-bulk or bank-feed one in
  // active; each sends cardsubscription.created.
  {
    requirement: "SUB-04",
    title: "a cardholder-single enrollment starts in reqSCA and is announced",
    requires: ENROLLED,
    run: async (session) => {
      const { result, deliveries, resource } = await enrolled(session);
      const assertions = new Assertions();
      const start = { "/enrollmentType": "cardholder-single", "/state": "reqSCA" };
      begins(assertions, deliveries, resource, { "/id": result.subscriptionId, ...start });
      return assertions.result("no card was enrolled");
    },
  },
  {
    requirement: "SUB-04",
    title: "a network-bulk enrollment starts in active and is announced",
    requires: ["verb:submitFeed", "verb:acceptFeed", "deliveries"],
    run: async (session) => {
      const assertions = new Assertions();
      const { completed: feeds, missing } = await accepted(session);
      for (const { feedId, result, deliveries, resource } of feeds) {
        const start = { "/enrollmentType": "network-bulk", "/state": "active" };
        for (const id of result.subscriptionIds) {
          begins(assertions, deliveries, resource, {
            "/id": id,
            ...start,
            "/networkBulkFeedId": feedId,
          });
        }
      }
      return assertions.result("no subscription was created by a bulk feed", missing);
    },
  },
  {
    requirement: "SUB-04",
    title: "a bank-feed enrollment starts in active and is announced",
    requires: LINKED,
    run: async (session) => {
      const { subscriptionId, bankAccountId } = await cardFromLink(session);
      const { deliveries, resource } = await linked(session);
      const assertions = new Assertions();
      const start = { "/enrollmentType": "bank-feed", "/state": "active" };
      const place = { "/bankAccountId": bankAccountId };
      begins(assertions, deliveries, resource, { "/id": subscriptionId, ...start, ...place });
      return assertions.result("no card was created");
    },
  },
  // SUB-05: State moves only reqSCA to active, active to deactivated, and active to reqSCA by the
  // in-place upgrade; other states are not shown.
  {
    requirement: "SUB-05",
    title: "a driven subscription changes state only as specified",
    requires: CLEARED,
    alternative: true,
    run: async (session) => {
      const assertions = new Assertions();
      const { completed: moves, missing } = await movesOf(session);
      for (const { from, step, id, state } of moves) {
        assertions.hasValues(step.resource, { "/state": state }, from);
        const updates = findEvents(step.deliveries, "cardsubscription.updated", { "/id": id });
        for (const update of updates) assertions.hasValues(update, { "/state": state }, from);
      }
      return assertions.result("the API shows no subscription", missing);
    },
  },
  // SUB-06: Enrolling a real card number on a bank-feed subscription upgrades it in place: state
  // reqSCA, enrollmentType cardholder-single, same id and bankAccountId, cardsubscription.updated
  // and no second created.
  {
    requirement: "SUB-06",
    title: "a real card number upgrades a bank-feed subscription in place",
    requires: UPGRADED,
    run: async (session) => {
      const { card, deliveries, resource, before } = await upgraded(session);
      const { subscriptionId, cardId, bankAccountId } = card;
      const assertions = new Assertions();
      const after = {
        ...{ "/id": subscriptionId, "/state": "reqSCA", "/bankAccountId": bankAccountId },
        "/enrollmentType": "cardholder-single",
      };
      deliveredAs(assertions, deliveries, resource, after, before);
      assertions.hasValues(resource, after, before);
      const second = findEvents(deliveries, "cardsubscription.created").filter(
        ({ json }) =>
          memberOf(json, "cardId") === cardId || memberOf(json, "bankAccountId") === bankAccountId,
      );
      assertions.atMost(0, second, "no second cardsubscription.created of an upgraded card");
      return assertions.result("nothing was upgraded");
    },
  },
  // SUB-07: Linking a card to a connected bank account later adds bankAccountId and the link,
  // does not change state and enrollmentType, and sends cardsubscription.updated.
  {
    requirement: "SUB-07",
    title: "a card that is linked later gains only its bank account",
    requires: [...LINKED, "verb:linkCard"],
    run: async (session) => {
      const assertions = new Assertions();
      const { completed: cards, missing } = await linkedLater(session);
      for (const step of cards) gains(assertions, { ...step, id: step.card.subscriptionId });
      return assertions.result("no card was linked", missing);
    },
  },
  {
    requirement: "SUB-07",
    title: "an enrolled card linked by a completion gains only its bank account",
    requires: LINKED,
    alternative: true,
    run: async (session) => {
      const { deliveries, before, after, card, creditId } = await linked(session);
      // BLK-04 checks that the card is found by its last 4 digits.
      if (memberOf(bodyOf(after), "bankAccountId") === undefined) {
        return new Skip("the completion of a bank link linked no enrolled card: see BLK-04");
      }
      const assertions = new Assertions();
      const id = card.subscriptionId;
      gains(assertions, { deliveries, before, resource: after, id, bankAccountId: creditId });
      return assertions.result("no card was linked");
    },
  },
  // SUB-09: One cardsubscription.created per subscription, before any updated; every later change
  // sends updated with the same shape.
  {
    requirement: "SUB-09",
    title: "a driven subscription is announced as created once, then as updated",
    requires: CLEARED,
    alternative: true,
    run: async (session) => changes(session),
  },
];

/** Asserts that a subscription is announced with its initial values. */
function begins(
  assertions: Assertions,
  deliveries: SubscriptionStep["deliveries"],
  owedBy: Exchange,
  { "/id": id, ...values }: { readonly "/id": string } & Readonly<Record<string, unknown>>,
): void {
  const created = findEvents(deliveries, "cardsubscription.created", { "/id": id });
  assertions.wasDelivered(created, `cardsubscription.created of ${id}`, owedBy, (one) =>
    differences(one, values),
  );
  if (memberOf(bodyOf(owedBy), "id") === id) assertions.hasValues(owedBy, values, ...created);
}

/** Asserts that one update has all these values. */
function deliveredAs(
  assertions: Assertions,
  deliveries: SubscriptionStep["deliveries"],
  resource: Exchange,
  values: { readonly "/id": string } & Readonly<Record<string, unknown>>,
  ...beside: Message[]
): void {
  const { "/id": id } = values;
  const updates = findEvents(deliveries, "cardsubscription.updated", { "/id": id });
  assertions.wasDelivered(updates, `cardsubscription.updated of ${id}`, resource, (update) =>
    differences(update, values, beside),
  );
}

interface Gain {
  readonly id: string;
  readonly deliveries: SubscriptionStep["deliveries"];
  readonly before: Exchange;
  readonly resource: Exchange;
  readonly bankAccountId: string;
}

/** Asserts that only the account and its link are added: state and type don't change (SUB-07). */
function gains(
  assertions: Assertions,
  { id, deliveries, before, resource, bankAccountId }: Gain,
): void {
  const was = bodyOf(before);
  const kept = was === undefined ? {} : { "/state": memberOf(was, "state") };
  const type = was === undefined ? {} : { "/enrollmentType": memberOf(was, "enrollmentType") };
  const after = { "/bankAccountId": bankAccountId, ...kept, ...type };
  const link = { "/_links/bankAccount/href": `/bank-accounts/${bankAccountId}` };
  deliveredAs(assertions, deliveries, resource, { "/id": id, ...after, ...link }, before);
  assertions.hasValues(resource, { ...after, ...link }, before);
  const second = findEvents(deliveries, "cardsubscription.created", { "/id": id });
  assertions.atMost(0, second, "no second cardsubscription.created of a linked card");
}

interface Move {
  readonly id: string;
  readonly state: string;
  readonly from: Exchange;
  readonly step: SubscriptionStep;
}

/** Every transition of a subscription that the driver can cause. */
async function movesOf(session: Session): Promise<Scenarios<Move>> {
  const verbs = new Set<string>(session.capabilities.verbs);
  const can = (needs: readonly string[]) =>
    needs.every((need) => !need.startsWith("verb:") || verbs.has(need.slice("verb:".length)));
  const first = async (): Promise<Move> => {
    const { result, resource: from } = await enrolled(session);
    return { id: result.subscriptionId, state: "active", from, step: await cleared(session) };
  };
  const end = async (): Promise<Move> => {
    const step = await deactivated(session);
    return { id: step.card.subscriptionId, state: "deactivated", from: step.before, step };
  };
  const again = async (): Promise<Move> => {
    const step = await upgradedAndCleared(session);
    return { id: step.card.subscriptionId, state: "active", from: step.before, step };
  };
  return runScenarios(
    first,
    ...(can(["verb:deactivate"]) ? [end] : []),
    ...(can(UPGRADED) ? [again] : []),
  );
}

/** Checks for one created event before any updated, and an updated for each change (SUB-09). */
async function changes(session: Session): Promise<Found | Skip> {
  const { completed: moves, missing } = await movesOf(session);
  const all = await allDeliveries(session);
  const assertions = new Assertions();
  for (const { id, step } of moves) {
    const updates = findEvents(step.deliveries, "cardsubscription.updated", { "/id": id });
    assertions.wasDelivered(updates, `cardsubscription.updated of ${id}`, step.resource);
  }
  for (const { id, step } of moves) {
    const created = findEvents(all, "cardsubscription.created", { "/id": id });
    const [first] = created;
    if (!first) continue;
    assertions.atMost(1, distinctEvents(created, all), `cardsubscription.created of ${id} once`);
    // The driver waits for each step's events, so no update was due before the creation.
    const update =
      findEvents(all, "cardsubscription.updated", { "/id": id })[0] ?? step.deliveries[0];
    if (!update) continue;
    assertions.check(!isBefore(update, first), {
      expected: "cardsubscription.created before any cardsubscription.updated",
      actual: "the opposite order",
      evidence: [first, update],
    });
  }
  return assertions.result("no subscription changed", missing);
}
