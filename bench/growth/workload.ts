import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { EVENT } from "../receiver/delivery.ts";
import { bodyText, type Fill, type GrowthStore } from "./store.ts";

const IN_FLIGHT = 64;
/** The transactions of the deliveries, unless all are of one lane. */
const TRANSACTIONS = 500;

/** Handling ends after this time, however many deliveries are left. */
const LIMIT_MS = 10_000;

/** What was measured in one round. */
export interface Speeds {
  readonly receivedASecond: number;
  readonly handledASecond: number;
  readonly healthMs: number;
}

/** Receives deliveries, then handles as many. */
export async function measureStore(
  store: GrowthStore,
  deliveries: number,
  { others }: Fill,
): Promise<Speeds> {
  await store.clearEffects();

  const { receiver, end } = store.start(false);
  const started = performance.now();
  await receiver.health();
  const healthMs = performance.now() - started;
  let next = 0;
  const send = async () => {
    while (next < deliveries) {
      next += 1;
      const headers = {
        "content-type": "application/json",
        "webhook-event-type": EVENT,
        "webhook-id": randomUUID(),
      };
      const body = bodyText(others > 0 ? next % TRANSACTIONS : 0);
      const init = { method: "POST", headers, body };
      const { status } = await receiver(new Request("https://shop.example/", init));
      if (status !== 202) throw new Error(`a delivery was not stored: ${status}`);
    }
  };
  const receiving = performance.now();
  await Promise.all(Array.from({ length: IN_FLIGHT }, send));
  const receivedASecond = (deliveries / (performance.now() - receiving)) * 1000;
  await end();

  const handling = performance.now();
  const worker = store.start({ concurrency: 3, pollMs: 5 });
  let count = 0;
  while (count < deliveries && performance.now() < handling + LIMIT_MS) {
    await sleep(10);
    count = await store.countEffects();
  }
  const handledASecond = (count / (performance.now() - handling)) * 1000;
  await worker.end();
  return { receivedASecond, handledASecond, healthMs };
}
