import { each } from "../../assert.ts";
import { type Check, Skip } from "../../check.ts";
import { inDeliveries } from "../../observe/body-checks.ts";
import { differencesOf, pick } from "../../observe/deliveries/difference.ts";
import { referencedResources, unexplained } from "../../observe/deliveries/referenced-resources.ts";
import { allNamed, isNamed } from "../../observe/deliveries/typed-delivery.ts";
import { byId, countEvents, countSteps, subscriptionsIn } from "../shared/delivery-cases.ts";
import { SUBSCRIPTIONS, withEvent } from "../shared/events.ts";
import { inHistory } from "../shared/in-history.ts";

const NONE = "no subscription was delivered";

/** The fields whose changes are announced. */
const FIELDS = [
  ...["id", "subaccountId", "cardId", "enrollmentType", "state", "networkBulkFeedId"],
  ...["bankAccountId", "customerReferenceId", "createdAt"],
];

export const cardSubscriptions: readonly Check[] = [
  // SUB-01: A card subscription has the fields of its table; enrollmentType is cardholder-single,
  // network-bulk or bank-feed.
  inDeliveries("SUB-01", "a delivered subscription has the fields of its kind"),
  // SUB-02: networkBulkFeedId is set, and _links.networkBulkFeed is present, exactly for
  // network-bulk; otherwise the id is null and the link is absent.
  inDeliveries(
    "SUB-02",
    "networkBulkFeedId and its link are delivered exactly for network-bulk",
    withEvent(SUBSCRIPTIONS),
    NONE,
  ),
  // SUB-03: bankAccountId and _links.bankAccount are both present or both absent; bank-feed always
  // has them.
  inDeliveries("SUB-03", "bankAccountId and its link are delivered together or not at all"),
  // SUB-04: A cardholder-single enrollment starts in reqSCA, a network-bulk or bank-feed one in
  // active; each sends cardsubscription.created.
  inHistory("SUB-04", "an enrollment is announced in the initial state of its type", {
    cases: ({ complete: whole }) => countEvents(whole, "cardsubscription.created"),
    skipReason: "no enrollment that was created in this run",
  }),
  // SUB-05: State moves only reqSCA to active, active to deactivated, and active to reqSCA by the
  // in-place upgrade; other states are not shown.
  inHistory("SUB-05", "subscription states in deliveries change only as specified", {
    cases: (history) =>
      countSteps(subscriptionsIn(history), (before, now) => before.body.state !== now.body.state),
    skipReason: "no subscription changed its state",
  }),
  // SUB-06: Enrolling a real card number on a bank-feed subscription upgrades it in place: state
  // reqSCA, enrollmentType cardholder-single, same id and bankAccountId, cardsubscription.updated
  // and no second created.
  inHistory("SUB-06", "a real card number on a bank-feed subscription upgrades it", {
    cases: (history) =>
      countSteps(
        subscriptionsIn(history),
        (before, now) =>
          before.body.enrollmentType === "bank-feed" && now.body.enrollmentType !== "bank-feed",
      ),
    skipReason: "no bank-feed subscription was upgraded",
  }),
  // SUB-07: Linking a card to a connected bank account later adds bankAccountId and the link,
  // does not change state and enrollmentType, and sends cardsubscription.updated.
  inHistory("SUB-07", "linking a card later does not change state and enrollmentType", {
    cases: (history) =>
      countSteps(
        subscriptionsIn(history),
        (before, now) =>
          before.body.bankAccountId === undefined && now.body.bankAccountId !== undefined,
      ),
    skipReason: "no card was linked to a bank account after its enrollment",
  }),
  // SUB-09: One cardsubscription.created per subscription, before any updated; every later change
  // sends updated with the same shape.
  inHistory("SUB-09", "cardsubscription.created is sent once, before any update", {
    cases: (history) => countSteps(subscriptionsIn(history), () => true),
    skipReason: "no subscription created in this run changed",
  }),
  {
    requirement: "SUB-09",
    title: "GET of a subscription equals its last event",
    requires: ["deliveries", "state"],
    alternative: true,
    run: async (session) => {
      const { history, at } = await referencedResources(session);
      const requested = byId(allNamed(history.reading.typed, ...SUBSCRIPTIONS)).flatMap((all) => {
        const latest = all.reduce((one, other) =>
          other.body.updatedAt >= one.body.updatedAt ? other : one,
        );
        const { exchange, response } = at(latest.body._links.self.href) ?? {};
        if (!exchange || !response?.isJson) return [];
        // Other checks report an invalid shape, and the API may lag behind its events.
        const served = exchange.response?.json as typeof latest.body;
        const isBroken = response.findings.some(({ level }) => level === "error");
        if (isBroken || served.updatedAt < latest.body.updatedAt) return [];
        const differences = all
          .filter(({ body }) => body.updatedAt === latest.body.updatedAt)
          .map(({ body }) => differencesOf(pick(body, FIELDS), pick(served, FIELDS)));
        const isAnnounced = differences.some((found) => found.length === 0);
        const evidence = [exchange, latest.delivery] as const;
        const found = isAnnounced ? [] : (differences.at(-1) ?? []);
        return [{ id: latest.body.id, breaches: found.map((one) => ({ ...one, evidence })) }];
      });
      const wrong = requested.filter(({ breaches }) => breaches.length > 0);
      const remaining = new Set(
        await unexplained(session, wrong, ({ id }, later) =>
          later.some((one) => isNamed(one, ...SUBSCRIPTIONS) && one.body.id === id),
        ),
      );
      return each(requested, new Skip(NONE), (one) => (remaining.has(one) ? one.breaches : []));
    },
  },
];
