import { type Driver, verbs } from "../../../conformance/driver.ts";
import type { EventName } from "../../../generated/events.ts";
import type { Delivery } from "../../../src/fixtures/index.ts";
import { type Choices, type Delivering, randomOf } from "./choices.ts";
import type { AlternativeServer } from "./server.ts";
import { Service } from "./service.ts";
import { abridged } from "./state.ts";

const OWNER = {
  accountId: "6f1d2c8e-93a4-4b07-8d25-7a1be0c4f3d9",
  subaccountId: "0e7f3a34-6d0c-4b1f-9b6e-5f0f5c1d7a11",
};

/** Creates a driver of the first account of a server, whose events change what the server shows. */
export function driverOf(
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
