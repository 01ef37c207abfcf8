import { type EventName, eventNames } from "../../../generated/events.ts";
import { eventSchemaNames } from "../../../generated/schema-index.ts";
import { memberOf } from "../../../src/contract/pointer.ts";
import { Assertions, ClaimAssertions, each } from "../../assert.ts";
import { type Breach, type Check, type Session, Skip } from "../../check.ts";
import type { Verb, VerbResult } from "../../driver.ts";
import { validatedDeliveriesOf } from "../../observe/deliveries/history.ts";
import { isForSecondSubscription, SECOND_PATH } from "../../observe/deliveries/reading.ts";
import type { ValidatedDelivery } from "../../observe/validation.ts";
import {
  AUTHORIZED,
  deliveriesSince,
  driveAndWait,
  hasVerbs,
  type IsComplete,
  runScenarios,
} from "../../scenarios/act.ts";
import { changesWithCards } from "../../scenarios/connections.ts";
import { accepted } from "../../scenarios/enrollment.ts";
import { findEvents, isAnnounced, textAt } from "../../scenarios/find-deliveries.ts";
import { authorize, enriched, isCleared, type PurchaseStep } from "../../scenarios/purchases.ts";
import { rematched } from "../../scenarios/rematches.ts";
import { removed } from "../../scenarios/removals.ts";
import { linkedLater } from "../../scenarios/subscriptions.ts";
import type { Delivery } from "../../wire/exchange.ts";
import { announcedIfNew } from "../shared/announced-resources.ts";

const NONE = new Skip("no delivery arrived", "let the target deliver during the run");

export const webhooks: readonly Check[] = [
  // WHK-01: A delivery is an HTTP request with a JSON body and the header webhook-event-type, one
  // of the 13 event names.
  {
    claims: ["WHK-01.json-body"],
    title: "a delivery is sent by POST, PUT or PATCH",
    requires: ["deliveries"],
    run: async (session) =>
      each(await validatedDeliveriesOf(session), NONE, ({ delivery }) => {
        const { method } = delivery.request;
        // The interface does not specify the method.
        if (["POST", "PUT", "PATCH"].includes(method)) return [];
        return [{ expected: "POST", actual: method, evidence: [delivery] }];
      }),
  },
  {
    claims: ["WHK-01.json-body"],
    title: "a delivery has a JSON body and no other content type",
    requires: ["deliveries"],
    run: async (session) => each(await validatedDeliveriesOf(session), NONE, bodyBreaches),
  },
  {
    claims: ["WHK-01.event-type"],
    title: "webhook-event-type is one of the 13 event names",
    requires: ["deliveries"],
    run: async (session) =>
      each(await validatedDeliveriesOf(session), NONE, ({ delivery }) => {
        const { name } = delivery;
        if (Object.hasOwn(eventSchemaNames, name)) return [];
        const expected = "one of the 13 event names in webhook-event-type";
        return [{ expected, actual: name || "nothing", evidence: [delivery] }];
      }),
  },
  // WHK-05: transaction.created comes once per transaction and before its first transaction.updated
  // as the state describes it; both carry the same shape.
  announcedIfNew({
    ...{ claim: "WHK-05.owed", operation: "GET /transactions" },
    ...{ event: "transaction.created", id: "/id" },
  }),
];

/** Checks of the events per subscribed URL. */
export const independenceChecks: readonly Check[] = [
  // WHK-06: Events are subscribed to independently.
  {
    claims: ["WHK-06.subscribed", "WHK-06.not-subscribed", "WHK-06.independent"],
    title: "a URL subscribed to some events receives exactly those events",
    requires: [...AUTHORIZED, "verb:subscribe"],
    run: async (session) => {
      const { deliveries, result, resource } = await subscribedToSomeEvents(session);
      const assertions = new ClaimAssertions();
      const there = deliveries.filter(isForSecondSubscription);
      const ids: readonly string[] = [result.transactionId, result.messageId];
      for (const name of SUBSCRIBED_EVENTS) {
        const wanted = there.filter(({ name: its, json }) => {
          return its === name && ids.includes(textAt(json, "/id") ?? "");
        });
        assertions
          .of("WHK-06.subscribed")
          .wasDelivered(wanted, `${name} at the URL subscribed to it`, resource);
      }
      const others = there.filter(({ name }) => !SUBSCRIBED_EVENTS.some((one) => one === name));
      const only = SUBSCRIBED_EVENTS.join(" and ");
      assertions
        .of("WHK-06.not-subscribed")
        .atMost(0, others, `only ${only} at the URL subscribed to them`);
      assertions
        .of("WHK-06.independent")
        .wasDelivered(
          findEvents(deliveries, "transaction.created", { "/id": result.transactionId }),
          "transaction.created at the URL subscribed to all events",
          resource,
        );
      return assertions.result("no event was subscribed to");
    },
  },
  {
    claims: ["WHK-06.ended"],
    title: "a URL whose subscription ended receives nothing",
    // Without "verb:settle", the subscription may end after the next step.
    requires: [...AUTHORIZED, "verb:subscribe", "verb:unsubscribe", "verb:settle"],
    run: async (session) => {
      const { deliveries, result } = await unsubscribed(session);
      const { transactionId, messageId } = result;
      if (!isAnnounced(deliveries, "transaction.created", transactionId)) {
        return new Skip("the purchase after the end of the subscription was not announced");
      }
      const undue = deliveries.filter((one) => {
        const id = textAt(one.json, "/id");
        return isForSecondSubscription(one) && (id === transactionId || id === messageId);
      });
      const assertions = new Assertions();
      assertions.atMost(0, undue, "no delivery at the URL whose subscription ended");
      return assertions.result("no subscription ended");
    },
  },
  {
    claims: ["WHK-06.subscribed", "WHK-06.not-subscribed", "WHK-06.independent"],
    title: "a URL subscribed to one event receives exactly that event",
    // Without "verb:settle", a delivery may belong to the time before the subscription.
    requires: [...AUTHORIZED, "verb:subscribe", "verb:unsubscribe", "verb:settle"],
    run: async (session) => {
      const { names, main, at } = await subscribedToEach(session);
      const assertions = new ClaimAssertions();
      for (const name of names) {
        const own = at(name);
        const known = new Set(own.map(subjectOf));
        const wanted = main.filter((one) => one.name === name);
        const keys = new Set(wanted.map(subjectOf));
        for (const one of wanted) {
          assertions.of("WHK-06.subscribed").check(known.has(subjectOf(one)), {
            expected: `this ${name} at the URL subscribed to it alone`,
            ...{ actual: "not delivered", evidence: [one, ...own.slice(0, 1)] },
          });
        }
        if (wanted.length === 0) continue;
        const others = own.filter((one) => one.name !== name);
        assertions
          .of("WHK-06.not-subscribed")
          .atMost(0, others, `only ${name} at the URL subscribed to it`);
        const more = own.filter((one) => one.name === name && !keys.has(subjectOf(one)));
        assertions
          .of("WHK-06.independent")
          .atMost(0, more, `each ${name} at the URL subscribed to all events too`);
      }
      return assertions.result("no event was delivered");
    },
  },
];

/** The resource of an event, and its state. Other members may differ between two deliveries. */
function subjectOf({ json }: Delivery): string {
  const names = ["id", "matchId", "bankLinkId", "bankAccountId", "state", "newState"];
  return names.map((name) => String(memberOf(json, name))).join();
}

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json$/i;

/** Checks for a complete JSON body. A missing content type is accepted. */
function bodyBreaches({ delivery }: ValidatedDelivery): Breach[] {
  const { cut, json, request } = delivery;
  const evidence = [delivery] as const;
  const expected = "a JSON body";
  if (cut !== undefined) return [{ expected, actual: cut, evidence }];
  if (json === undefined) {
    const actual = request.body === "" ? "an empty body" : "a body that is not JSON";
    return [{ expected, actual, evidence }];
  }
  // Every event is an object: a JSON string means that the body was encoded twice.
  if (typeof json === "string") return [{ expected, actual: "a JSON string", evidence }];
  const type = request.headers["content-type"]?.split(";")[0]?.trim();
  if (type === undefined || type === "" || JSON_TYPE.test(type)) return [];
  return [{ expected: "content type application/json", actual: type, evidence }];
}

/** The events of the second URL's subscription. A purchase also sends updates. */
const SUBSCRIBED_EVENTS: readonly EventName[] = [
  "transaction.created",
  "transactionmessage.created",
];

/** Makes and, if possible, clears a purchase while a second URL is subscribed to two events. */
function subscribedToSomeEvents(session: Session): Promise<PurchaseStep<VerbResult<"authorize">>> {
  return session.share("scenario: two events are subscribed to", async (own) => {
    const url = `$TXFEED_RECEIVER${SECOND_PATH}some`;
    await own.drive("subscribe", { url, events: SUBSCRIBED_EVENTS });
    const price = { amount: 11.07, merchant: "HERBORISTERIA PUIG" };
    const isAlsoComplete: IsComplete = (deliveries) =>
      SUBSCRIBED_EVENTS.every((name) =>
        deliveries.some((one) => isForSecondSubscription(one) && one.name === name),
      );
    const step = await authorize(own, price, { isAlsoComplete });
    const { transactionId } = step;
    const then = hasVerbs(own, "clear")
      ? await driveAndWait(own, "clear", { transactionId }, ({ messageId }) => (deliveries) => {
          return isCleared(deliveries, transactionId, messageId);
        })
      : { deliveries: [] };
    if (hasVerbs(own, "unsubscribe")) await own.drive("unsubscribe", { url });
    return { ...step, deliveries: [...step.deliveries, ...then.deliveries] };
  });
}

/** Uses the card once the subscription of the second URL has ended. */
function unsubscribed(session: Session): Promise<PurchaseStep<VerbResult<"authorize">>> {
  return session.share("scenario: a subscription has ended", async (own) => {
    await subscribedToSomeEvents(own);
    await own.drive("settle", undefined);
    return authorize(own, { amount: 41.93, merchant: "CORDELERIE ROYALE" });
  });
}

/** The deliveries while each event was subscribed to alone, beside the main subscription. */
interface SubscribedToEach {
  /** The events whose subscription the target accepted. */
  readonly names: readonly EventName[];
  readonly main: readonly Delivery[];
  /** The deliveries at the URL that is subscribed to one event. */
  readonly at: (name: EventName) => readonly Delivery[];
}

/** The scenarios of all events, which other checks use too, and the verbs that each needs. */
const OF_EVENTS: readonly (readonly [
  (session: Session) => Promise<unknown>,
  ...(readonly Verb[]),
])[] = [
  [rematched, "postAtBank", "rematch"],
  [removed, "postAtBank", "removeAtProvider"],
  [enriched, "enrich"],
  [linkedLater, "linkCard"],
  [accepted, "submitFeed", "acceptFeed"],
  [changesWithCards, "expireConsent", "disconnect", "recover"],
];

/** Subscribes a URL to each event. Then the events occur, and the subscriptions end. */
function subscribedToEach(session: Session): Promise<SubscribedToEach> {
  return session.share("scenario: each event is subscribed to alone", async (own) => {
    const pathOf = (name: EventName) => `${SECOND_PATH}${name}`;
    const { completed: names } = await runScenarios(
      ...eventNames.map((name) => async () => {
        await own.drive("subscribe", { url: `$TXFEED_RECEIVER${pathOf(name)}`, events: [name] });
        return name;
      }),
    );
    const since = (await own.deliveries()).length;
    const known = OF_EVENTS.filter(([, ...verbs]) => hasVerbs(own, ...verbs));
    await runScenarios(...known.map(([scenario]) => scenario.bind(undefined, own)));
    const all = await deliveriesSince(own, since, () => true);
    for (const name of names) {
      await own.drive("unsubscribe", { url: `$TXFEED_RECEIVER${pathOf(name)}` });
    }
    return {
      names,
      main: all.filter((one) => !isForSecondSubscription(one)),
      at: (name) => all.filter(({ request }) => request.path.endsWith(pathOf(name))),
    };
  });
}
