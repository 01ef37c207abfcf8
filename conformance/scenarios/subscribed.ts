import { type EventName, eventNames } from "../../generated/events.ts";
import type { Verb, VerbResult } from "../driver.ts";
import { isForSecondSubscription, SECOND_PATH } from "../observe/deliveries/reading.ts";
import type { Session } from "../run/session.ts";
import type { Delivery } from "../wire/exchange.ts";
import { deliveriesSince, driveAndWait, hasVerb, type IsComplete, runScenarios } from "./act.ts";
import { changesWithCards } from "./connections.ts";
import { accepted } from "./feeds.ts";
import { authorize, enriched, isCleared, type PurchaseStep } from "./purchases.ts";
import { rematched } from "./rematches.ts";
import { removed } from "./removals.ts";
import { linkedLater } from "./subscriptions.ts";

/** The events of the second URL's subscription. A purchase also sends updates. */
export const SUBSCRIBED_EVENTS: readonly EventName[] = [
  "transaction.created",
  "transactionmessage.created",
];

/** Makes and, if possible, clears a purchase while a second URL is subscribed to two events. */
export function subscribedToSomeEvents(
  session: Session,
): Promise<PurchaseStep<VerbResult<"authorize">>> {
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
    const then = hasVerb(own, "clear")
      ? await driveAndWait(own, "clear", { transactionId }, ({ messageId }) => (deliveries) => {
          return isCleared(deliveries, transactionId, messageId);
        })
      : { deliveries: [] };
    if (hasVerb(own, "unsubscribe")) await own.drive("unsubscribe", { url });
    return { ...step, deliveries: [...step.deliveries, ...then.deliveries] };
  });
}

/** Uses the card once the subscription of the second URL has ended. */
export function unsubscribed(session: Session): Promise<PurchaseStep<VerbResult<"authorize">>> {
  return session.share("scenario: a subscription has ended", async (own) => {
    await subscribedToSomeEvents(own);
    await own.drive("settle", undefined);
    return authorize(own, { amount: 41.93, merchant: "CORDELERIE ROYALE" });
  });
}

/** The deliveries while each event was subscribed to alone, beside the main subscription. */
export interface SubscribedToEach {
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
export function subscribedToEach(session: Session): Promise<SubscribedToEach> {
  return session.share("scenario: each event is subscribed to alone", async (own) => {
    const pathOf = (name: EventName) => `${SECOND_PATH}${name}`;
    const { completed: names } = await runScenarios(
      ...eventNames.map((name) => async () => {
        await own.drive("subscribe", { url: `$TXFEED_RECEIVER${pathOf(name)}`, events: [name] });
        return name;
      }),
    );
    const since = (await own.deliveries()).length;
    const known = OF_EVENTS.filter(([, ...verbs]) => verbs.every((verb) => hasVerb(own, verb)));
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
