import { type EventName, eventNames } from "../../../generated/events.ts";
import { eventSchemaNames } from "../../../generated/schema-index.ts";
import { memberOf } from "../../../src/contract/pointer.ts";
import { Assertions, ClaimAssertions, caseCheck } from "../../assert.ts";
import { type Breach, type Check, type Session, Skip } from "../../check.ts";
import { findEventsOf, isAnnounced, textAt } from "../../observe/deliveries/find.ts";
import { validatedDeliveriesOf } from "../../observe/deliveries/history.ts";
import { isForSecondSubscription, SECOND_PATH } from "../../observe/deliveries/reading.ts";
import type { ValidatedDelivery } from "../../observe/validation.ts";
import { ACCOUNT_EVENTS } from "../../scripts/accounts.ts";
import { CARD_WITH_BANK, PURCHASE_EVENTS } from "../../scripts/money.ts";
import { unlessSkipped } from "../../skip.ts";
import type { Capability } from "../../target.ts";
import { deliveriesSince, drive, hasVerbs, readTransaction } from "../../verbs/drive.ts";
import { playedScript, playedScripts, requiredBy } from "../../verbs/script-checks.ts";
import type { Delivery, Exchange } from "../../wire/exchange.ts";

const AUTHORIZED: readonly Capability[] = [...requiredBy(CARD_WITH_BANK), "verb:authorize"];

const NONE = new Skip("no delivery arrived", "let the target deliver during the run");

export const webhooks: readonly Check[] = [
  // WHK-01: A delivery is an HTTP request with a JSON body and the header webhook-event-type, one
  // of the 13 event names.
  caseCheck(["WHK-01.json-body"], {
    title: "a delivery is sent by POST, PUT or PATCH with a JSON body",
    ...{ requires: ["deliveries"], none: NONE },
    cases: validatedDeliveriesOf,
    find: bodyBreaches,
  }),
  caseCheck(["WHK-01.event-type"], {
    title: "webhook-event-type is one of the 13 event names",
    ...{ requires: ["deliveries"], none: NONE },
    cases: validatedDeliveriesOf,
    find: ({ delivery }) => {
      const { name } = delivery;
      if (Object.hasOwn(eventSchemaNames, name)) return [];
      const expected = "one of the 13 event names in webhook-event-type";
      return [{ expected, actual: name || "nothing", evidence: [delivery] }];
    },
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
      const { deliveries, resource, ...ids } = await subscribedToSomeEvents(session);
      const assertions = new ClaimAssertions();
      const there = deliveries.filter(isForSecondSubscription);
      const own: readonly string[] = [ids.transactionId, ids.messageId];
      for (const name of SUBSCRIBED_EVENTS) {
        const wanted = there.filter(({ name: its, json }) => {
          return its === name && own.includes(textAt(json, "/id") ?? "");
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
          findEventsOf(deliveries, "transaction.created", ids.transactionId),
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
      const { deliveries, transactionId, messageId } = await unsubscribed(session);
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
  // The interface does not specify the method.
  if (!["POST", "PUT", "PATCH"].includes(request.method)) {
    return [{ expected: "POST", actual: request.method, evidence }];
  }
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

/** A purchase while, or after, a second URL is subscribed. */
interface Subscribed {
  readonly transactionId: string;
  readonly messageId: string;
  readonly deliveries: readonly Delivery[];
  readonly resource: Exchange;
}

/** Makes and, if possible, clears a purchase while a second URL is subscribed to two events. */
function subscribedToSomeEvents(session: Session): Promise<Subscribed> {
  return session.share("two events are subscribed to", async (own) => {
    const url = `$TXFEED_RECEIVER${SECOND_PATH}some`;
    await own.drive("subscribe", { url, events: SUBSCRIBED_EVENTS });
    const since = (await own.deliveries()).length;
    const purchase = await authorize(
      own,
      { amount: 11.07, merchant: "HERBORISTERIA PUIG" },
      (deliveries) =>
        SUBSCRIBED_EVENTS.every((name) =>
          deliveries.some((one) => isForSecondSubscription(one) && one.name === name),
        ),
    );
    const { transactionId } = purchase;
    if (hasVerbs(own, "clear")) await drive(own, "clear", { transactionId });
    const deliveries = await deliveriesSince(own, since, (all) =>
      isAnnounced(all, "transaction.updated", transactionId),
    );
    if (hasVerbs(own, "unsubscribe")) await own.drive("unsubscribe", { url });
    return { ...purchase, deliveries };
  });
}

/** Uses the card once the subscription of the second URL has ended. */
function unsubscribed(session: Session): Promise<Subscribed> {
  return session.share("a subscription has ended", async (own) => {
    await subscribedToSomeEvents(own);
    await own.drive("settle", undefined);
    return authorize(own, { amount: 41.93, merchant: "CORDELERIE ROYALE" });
  });
}

async function authorize(
  session: Session,
  price: { readonly amount: number; readonly merchant: string },
  isAlsoEnough: (deliveries: readonly Delivery[]) => boolean = () => true,
): Promise<Subscribed> {
  const { world } = await playedScript(session, CARD_WITH_BANK);
  const since = (await session.deliveries()).length;
  const { cardId } = world.idsOf("card 1");
  const { transactionId, messageId } = await drive(session, "authorize", { cardId, ...price });
  const deliveries = await deliveriesSince(session, since, (all) => {
    return isAnnounced(all, "transaction.created", transactionId) && isAlsoEnough(all);
  });
  const resource = await readTransaction(session, transactionId);
  return { transactionId, messageId, deliveries, resource };
}

/** The deliveries while each event was subscribed to alone, beside the main subscription. */
interface SubscribedToEach {
  /** The events whose subscription the target accepted. */
  readonly names: readonly EventName[];
  readonly main: readonly Delivery[];
  /** The deliveries at the URL that is subscribed to one event. */
  readonly at: (name: EventName) => readonly Delivery[];
}

/** Scripts that together cause every event. */
const EVERY_EVENT = [...PURCHASE_EVENTS, ...ACCOUNT_EVENTS];

/** Subscribes a URL to each event. Then the events occur, and the subscriptions end. */
function subscribedToEach(session: Session): Promise<SubscribedToEach> {
  return session.share("each event is subscribed to alone", async (own) => {
    const pathOf = (name: EventName) => `${SECOND_PATH}${name}`;
    const names: EventName[] = [];
    for (const name of eventNames) {
      const url = `$TXFEED_RECEIVER${pathOf(name)}`;
      const isDone = own.drive("subscribe", { url, events: [name] }).then(() => name);
      names.push(...[await unlessSkipped(isDone)].flatMap((one) => one ?? []));
    }
    const since = (await own.deliveries()).length;
    let all: readonly Delivery[];
    try {
      const played = await playedScripts(own, EVERY_EVENT);
      const heard = await deliveriesSince(own, since, () => true);
      // An event that others cause may arrive between the starts, or the ends, of two
      // subscriptions.
      all = heard.filter((one) => played.some(({ world }) => world.isAbout(one)));
    } finally {
      for (const name of names) {
        await own.drive("unsubscribe", { url: `$TXFEED_RECEIVER${pathOf(name)}` });
      }
    }
    return {
      names,
      main: all.filter((one) => !isForSecondSubscription(one)),
      at: (name) => all.filter(({ request }) => request.path.endsWith(pathOf(name))),
    };
  });
}
