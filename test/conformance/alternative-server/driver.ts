import { type Driver, verbs } from "../../../conformance/driver.ts";
import type { Target } from "../../../conformance/target.ts";
import type { EventName } from "../../../generated/events.ts";
import type { Delivery } from "../../../src/fixtures/index.ts";
import type { Choices } from "./enrollment.ts";
import { type AlternativeServer, abridged, type Manners, SDK } from "./server.ts";
import { Service } from "./service.ts";

const OWNER = {
  accountId: "6f1d2c8e-93a4-4b07-8d25-7a1be0c4f3d9",
  subaccountId: "0e7f3a34-6d0c-4b1f-9b6e-5f0f5c1d7a11",
};

/** Creates a driver of the first account of a server, whose events change what the server shows. */
function driverOf(
  server: AlternativeServer,
  { repeats = false, shuffles = false, ...choices }: Choices & Delivering = {},
): Driver {
  let hooks: { readonly url: string; readonly events?: readonly EventName[] | undefined }[] = [];
  let sending: Promise<unknown> = Promise.resolve();
  const snapshots = new Map<string, () => void>();
  let unsent: Delivery[] = [];
  const random = randomOf(1);

  const send = (delivery: Delivery) => {
    const name = delivery.headers["webhook-event-type"];
    const body = JSON.stringify(delivery.body);
    const headers = { "webhook-event-type": name, "content-type": "application/json" };
    for (const { url } of hooks.filter(({ events }) => events?.includes(name) ?? true)) {
      const times = repeats && random() < 0.25 ? 2 : 1;
      for (let i = 0; i < times; i += 1) {
        sending = sending.then(() => fetch(url, { method: "POST", headers, body }).catch(() => {}));
      }
    }
  };
  const flush = () => {
    const keyed = unsent.map((delivery) => ({ delivery, key: shuffles ? random() : 0 }));
    unsent = [];
    for (const { delivery } of keyed.toSorted((one, other) => one.key - other.key)) send(delivery);
  };
  const service = new Service(OWNER, choices, {
    emit: (name, whole, resourceId) => {
      const isShort = server.manners.abridged && name === "transactionmessage.created";
      const body = isShort ? abridged(whole) : whole;
      const metadata = { source: "alternative", ...(resourceId && { resourceId }) };
      const headers = { "webhook-event-type": name };
      const delivery = { headers, body: { ...body, metadata } } as unknown as Delivery;
      server.take(delivery);
      unsent.push(delivery);
    },
    show: (kind, id) => server.show(kind, id),
    now: () => server.now(),
  });
  server.onPatch = (bankLinkId) => {
    service.complete(bankLinkId);
    flush();
  };

  const control: Driver = {
    subscribe: async (to) => void hooks.push(to),
    unsubscribe: async ({ url }) => {
      hooks = hooks.filter((one) => one.url !== url);
    },
    settle: async () => void (await sending),
    advance: async ({ seconds }) => {
      server.offsetMs += seconds * 1_000;
      service.runDue();
      flush();
    },
    snapshot: async ({ name }) => {
      const restoreServer = server.snapshot();
      const { state } = structuredClone({ state: service.state });
      const subscribed = [...hooks];
      snapshots.set(name, () => {
        restoreServer();
        service.state = structuredClone(state);
        hooks = [...subscribed];
      });
    },
    restore: async ({ name }) => {
      await sending;
      snapshots.get(name)?.();
    },
  };
  const called = verbs.flatMap((verb) => {
    if (verb in control) return [];
    const run = (service as unknown as Record<string, (params: unknown) => unknown>)[verb];
    const runAndSend = async (params: unknown) => {
      try {
        return run?.call(service, params);
      } finally {
        flush();
      }
    };
    return [[verb, runAndSend] as const];
  });
  return { ...Object.fromEntries(called), ...control };
}

/** A server as a target with every capability. */
export function targetOf(server: AlternativeServer, how: AllChoices): Target {
  const { baseUrl } = server;
  const [credentials, secondAccount] = server.accounts;
  return {
    ...{ baseUrl, credentials, secondAccount, sdkCredentials: SDK, profile: "full" },
    ...{ writes: true, webhooks: { host: "127.0.0.1", port: 0 } },
    driver: driverOf(server, how),
  };
}

/** How a service delivers: the interface guarantees neither the order nor that events come once. */
interface Delivering {
  /** Whether a quarter of the deliveries is sent twice, at random. */
  readonly repeats?: boolean;
  /** Whether the deliveries of a step are sent in any order. */
  readonly shuffles?: boolean;
}

type AllChoices = Manners & Choices & Delivering;

/** Returns a generator of numbers from 0 to 1, the same for each seed. */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    // mulberry32
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Draws choices, the same for each seed. */
export function choicesOf(seed: number): AllChoices {
  const random = randomOf(seed);
  const bit = () => random() < 0.5;
  const oneOf = <T>(...all: T[]) => all[Math.floor(random() * all.length)] as T;
  return {
    ...{ style: oneOf("offset", "cursor"), projection: seed % 4 !== 3, exactSelf: bit() },
    ...{ abridged: bit(), remembers: bit(), upperCase: bit(), billing: oneOf("EUR", "USD") },
    ...{ refusesRepeats: bit(), mintsNoCards: !(bit() || bit()), knowsExpiry: bit() },
    ...oneOf({}, { cardsOfFeed: 0 }, { cardsOfFeed: 2 }),
    ...oneOf({}, { unequal: "MEDIUM" as const }, { unequal: "LOW" as const }),
    ...{ matchesLate: bit(), waitsForLegs: bit(), pendingParts: bit(), hidesDuplicates: bit() },
    ...{ supersedesNetted: bit(), keepsHold: bit(), reopens: bit(), rematchesNothing: bit() },
    ...{ repeats: bit(), shuffles: seed % 4 === 0 },
    ...{ ignoresWishes: bit(), creditsAreMovements: bit() },
  };
}
