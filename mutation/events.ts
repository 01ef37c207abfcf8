import { type EventName, eventNames } from "../generated/events.ts";
import { type DeliveryHook, type MutationHooks, parseJson, type SentDelivery } from "./mutation.ts";
import {
  always,
  Bodies,
  type Json,
  type Values,
  type When,
  type Where,
  whenOf,
} from "./rewrite.ts";

// Operations of mutations on events.

/** A delivery's context, and what can be done with the delivery. */
export interface Sending extends Where {
  readonly event: EventName;
  /** Sends the delivery. Default: as it is. */
  send(body?: Json, as?: EventName): Promise<void>;
  /** Defers the delivery until the sandbox settles. */
  defer(): void;
}

type Deliveries = Required<Pick<MutationHooks, "deliveries">>;

/** Events, by name; without a name, every event. */
export const event = (...names: readonly EventName[]) =>
  new Events(names.length > 0 ? names : eventNames);

class Events extends Bodies {
  readonly #names: readonly EventName[];

  constructor(names: readonly EventName[]) {
    super(names.length < eventNames.length ? names.join(" and ") : "events", (change) =>
      handleEvents(names, async (body, at) => at.send((await change(body, at)) ?? body)),
    );
    this.#names = names;
  }

  /** Sends the events otherwise, or not at all. */
  handle(handler: (body: Json, at: Sending) => unknown): Deliveries {
    return handleEvents(this.#names, handler);
  }

  /** Changes headers, method or the text of the body. */
  raw(write: (delivery: SentDelivery) => SentDelivery): Deliveries {
    return handleDeliveries(this.#names, (delivery, { send }) => send(write(delivery)));
  }

  /** Sends the events with another name in the header. */
  named(name: string): Deliveries {
    return this.raw(({ headers, ...delivery }) => {
      return { ...delivery, headers: { ...headers, "webhook-event-type": name } };
    });
  }

  /** Does not send the events. */
  silent(condition: When | Values = always): Deliveries {
    const when = whenOf(condition);
    return this.handle(async (body, at) => {
      if (!(await when(body, at))) await at.send();
    });
  }

  /** Sends the events as another event. */
  as(name: EventName, when = always): Deliveries {
    return this.handle(async (body, at) => {
      await ((await when(body, at)) ? at.send(body, name) : at.send());
    });
  }

  /** Sends each event again afterwards, unless the new body is undefined. */
  twice(again: (body: Json, where: Where) => Json | undefined, as?: EventName): Deliveries {
    return this.handle(async (body, at) => {
      await at.send();
      const more = await again(body, at);
      if (more !== undefined) await at.send(more, as);
    });
  }

  /** Delays the events until after the next event of another name. */
  late(after: EventName, when = always): Deliveries {
    return {
      deliveries: async (delivery, { send, defer, takeDeferred }, run) => {
        const name = delivery.name as EventName;
        const isMeant = this.#names.includes(name);
        if (isMeant && (await when(parseJson(delivery.body), { ...run, event: name })))
          return defer(delivery);
        await send(delivery);
        if (name === after) for (const deferred of takeDeferred()) await send(deferred);
      },
    };
  }
}

function handleEvents(
  names: readonly EventName[],
  handler: (body: Json, at: Sending) => unknown,
): Deliveries {
  return handleDeliveries(names, async (delivery, stream, run) => {
    const name = delivery.name as EventName;
    const sent = (body?: Json, as = name) =>
      body === undefined ? delivery : replaceEvent(delivery, as, body);
    await handler(parseJson(delivery.body), {
      ...{ ...run, event: name },
      send: (...other) => stream.send(sent(...other)),
      defer: () => stream.defer(delivery),
    });
  });
}

/** Handles deliveries of some events. All others are sent unchanged. */
function handleDeliveries(names: readonly string[], hook: DeliveryHook): Deliveries {
  return {
    deliveries: async (delivery, stream, run) => {
      await (names.includes(delivery.name) ? hook(delivery, stream, run) : stream.send(delivery));
    },
  };
}

function replaceEvent(delivery: SentDelivery, name: EventName, body: Json): SentDelivery {
  const headers = { ...delivery.headers, "webhook-event-type": name };
  return { ...delivery, name, headers, body: JSON.stringify(body) };
}
