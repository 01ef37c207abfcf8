import { each } from "../../assert.ts";
import { type Check, type Decides, decides, Skip } from "../../check.ts";
import { inDeliveries } from "../../observe/body-checks.ts";
import {
  differencesOf,
  pick,
  referencedResources,
  unexplained,
} from "../../observe/deliveries/api-lookups.ts";
import { allNamed, isNamed } from "../../observe/deliveries/reading.ts";
import {
  byId,
  countEvents,
  countSteps,
  SUBSCRIPTIONS,
  subscriptionsIn,
  withEvent,
} from "../shared/delivery-cases.ts";
import { bySituations, inHistory } from "../shared/factories.ts";

const NONE = "no subscription was delivered";

/** What the deliveries of an upgrade show. */
const SUB_06 = ["SUB-06.state", "SUB-06.type", "SUB-06.same-account", "SUB-06.no-created"] as const;

/** The fields whose changes are announced. */
const FIELDS = [
  ...["id", "subaccountId", "cardId", "enrollmentType", "state", "networkBulkFeedId"],
  ...["bankAccountId", "customerReferenceId", "createdAt"],
];

export const subscriptionDeliveryChecks: readonly Check[] = [
  // SUB-01: A card subscription has the fields of its table; enrollmentType is cardholder-single,
  // network-bulk or bank-feed.
  inDeliveries(
    ["SUB-01.fields", "SUB-01.enrollment-type", "SUB-01.customer-reference"],
    "a delivered subscription has the fields of its kind",
  ),
  // SUB-02: networkBulkFeedId is set, and _links.networkBulkFeed is present, exactly for
  // network-bulk; otherwise the id is null and the link is absent.
  bySituations(
    inDeliveries(
      ["SUB-02.set-bulk", "SUB-02.null-others"],
      "networkBulkFeedId and its link are delivered exactly for network-bulk",
      withEvent(SUBSCRIPTIONS),
      NONE,
    ),
    {
      "SUB-02.set-bulk": ["network-bulk"],
      "SUB-02.null-others": ["cardholder-single", "bank-feed"],
    },
  ),
  // SUB-03: bankAccountId and _links.bankAccount are both present or both absent; bank-feed always
  // has them.
  bySituations(
    inDeliveries(
      ["SUB-03.together", "SUB-03.bank-feed"],
      "bankAccountId and its link are delivered together or not at all",
    ),
    { "SUB-03.bank-feed": ["bank-feed"] },
  ),
  // SUB-04: A cardholder-single enrollment starts in reqSCA, a network-bulk or bank-feed one in
  // active; each sends cardsubscription.created.
  bySituations(
    inHistory(
      ["SUB-04.single-starts", "SUB-04.bulk-starts", "SUB-04.feed-starts"],
      "an enrollment is announced in the initial state of its type",
      {
        cases: ({ complete: whole }) => countEvents(whole, "cardsubscription.created"),
        events: ["cardsubscription.created"],
        skipReason: "no enrollment that was created in this run",
      },
    ),
    {
      "SUB-04.single-starts": ["cardholder-single"],
      "SUB-04.bulk-starts": ["network-bulk"],
      "SUB-04.feed-starts": ["bank-feed"],
    },
  ),
  // SUB-05: State moves only reqSCA to active, active to deactivated, and active to reqSCA by the
  // in-place upgrade; other states are not shown.
  inHistory(
    ["SUB-05.no-other-move"],
    "subscription states in deliveries change only as specified",
    {
      cases: (history) =>
        countSteps(subscriptionsIn(history), (before, now) => before.body.state !== now.body.state),
      skipReason: "no subscription changed its state",
    },
  ),
  // SUB-06: Enrolling a real card number on a bank-feed subscription upgrades it in place: state
  // reqSCA, enrollmentType cardholder-single, same id and bankAccountId, cardsubscription.updated
  // and no second created.
  inHistory(SUB_06, "a real card number on a bank-feed subscription upgrades it", {
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
  inHistory(
    ["SUB-07.state-kept", "SUB-07.type-kept"],
    "linking a card later does not change state and enrollmentType",
    {
      cases: (history) =>
        countSteps(
          subscriptionsIn(history),
          (before, now) =>
            before.body.bankAccountId === undefined && now.body.bankAccountId !== undefined,
        ),
      skipReason: "no card was linked to a bank account after its enrollment",
    },
  ),
  // SUB-09: One cardsubscription.created per subscription, before any updated; every later change
  // sends updated with the same shape.
  inHistory(
    ["SUB-09.one-created", "SUB-09.created-first"],
    "cardsubscription.created is sent once, before any update",
    {
      cases: (history) => countSteps(subscriptionsIn(history), () => true),
      events: ["cardsubscription.created"],
      skipReason: "no subscription created in this run changed",
    },
  ),
  // SUB-01: A card subscription has the fields of its table; enrollmentType is cardholder-single,
  // network-bulk or bank-feed.
  servedAsAnnounced(["SUB-01.same-as-event"], "GET of a subscription equals its last event", {
    view: (body) => pick(body, FIELDS),
    // The API may lag behind its events, but each change is announced.
    isComparable: (served, announced) => served >= announced,
  }),
];

/**
 * Creates a check that a GET of a subscription equals its last event.
 *
 * @param compared.view The part to compare.
 * @param compared.isComparable Whether to compare a resource with an event, by their `updatedAt`.
 */
export function servedAsAnnounced(
  what: Decides,
  title: string,
  compared: {
    readonly view: (body: unknown) => unknown;
    readonly isComparable: (served: string, announced: string) => boolean;
  },
): Check {
  const { view, isComparable } = compared;
  return {
    ...decides(what),
    title,
    requires: ["deliveries", "state"],
    run: async (session) => {
      const { history, at } = await referencedResources(session);
      const requested = byId(allNamed(history.reading.typed, ...SUBSCRIPTIONS)).flatMap((all) => {
        const latest = all.reduce((one, other) =>
          other.body.updatedAt >= one.body.updatedAt ? other : one,
        );
        const { exchange, response } = at(latest.body._links.self.href) ?? {};
        if (!exchange || !response?.isJson) return [];
        // Other checks report an invalid shape.
        const served = exchange.response?.json as typeof latest.body;
        const isBroken = response.findings.some(({ level }) => level === "error");
        if (isBroken || !isComparable(served.updatedAt, latest.body.updatedAt)) return [];
        const differences = all
          .filter(({ body }) => body.updatedAt === latest.body.updatedAt)
          .map(({ body }) => differencesOf(view(body), view(served)));
        const isAnnounced = differences.some((found) => found.length === 0);
        const evidence = [exchange, latest.delivery] as const;
        const found = isAnnounced ? [] : (differences.at(-1) ?? []);
        const breaches = found.map((one) => ({ ...one, evidence }));
        return [{ id: latest.body.id, type: latest.body.enrollmentType, breaches }];
      });
      const wrong = requested.filter(({ breaches }) => breaches.length > 0);
      const remaining = new Set(
        await unexplained(session, wrong, ({ id }, later) =>
          later.some((one) => isNamed(one, ...SUBSCRIPTIONS) && one.body.id === id),
        ),
      );
      return each(
        requested,
        new Skip(NONE),
        (one) => (remaining.has(one) ? one.breaches : []),
        ({ type }) => [type],
      );
    },
  };
}
