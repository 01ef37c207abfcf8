/** Sends events at a constant rate and in a burst, with the sandbox or with node:http only. */
import { Agent, request } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import type { EventPayloads } from "../../generated/events.ts";
import { DEFAULT_NETWORKS } from "../../src/contract/index.ts";
import { Dispatcher } from "../../src/sandbox/delivery/dispatcher.ts";
import { addEndpoint } from "../../src/sandbox/delivery/endpoints.ts";
import { Engine } from "../../src/sandbox/engine.ts";
import { Scheduler } from "../../src/sandbox/scheduler.ts";
import { openDatabase } from "../../src/sandbox/store/database.ts";
import { openAccount } from "../../src/world/accounts.ts";
import { serveJob } from "../child.ts";
import { measuredPayloads } from "../payloads.ts";
import { template } from "../template.ts";

/** The events to send. */
export interface SenderJob {
  readonly url: string;
  /** `bare`: node:http only; otherwise a sandbox with its state in memory or in a file. */
  readonly way: "bare" | "memory" | "file";
  readonly file: string;
  readonly events: number;
  readonly eventsASecond: number;
  readonly burst: number;
}

/** The times of the events sent. */
export interface Sent {
  /** When each event was sent, by its id, by the monotonic clock. */
  readonly begunMs: ReadonlyMap<string, number>;
  /** Duration of the burst, from its first event to its last response. */
  readonly burstMs: number;
}

/** Sends events. */
interface Sender {
  send(body: Body): void;
  /** Resolves when every event has its response. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

const EVENT = "transaction.updated";
type Body = EventPayloads[typeof EVENT];

/** The number of connections of the sandbox. */
const CONNECTIONS = 32;

serveJob<SenderJob, Sent>(async (job) => {
  const { events, eventsASecond, burst } = job;
  const sender = job.way === "bare" ? bareSender(job) : sandboxSender(job);
  const textOf = template(JSON.stringify(measuredPayloads[EVENT].body));
  const begunMs = new Map<string, number>();
  const start = performance.now();
  for (let n = 0; n < events; n += 1) {
    const body = JSON.parse(textOf(n)) as Body;
    const aheadMs = start + (n * 1000) / eventsASecond - performance.now();
    if (aheadMs > 0) await wait(aheadMs);
    begunMs.set(body.id, Number(process.hrtime.bigint()) / 1e6);
    sender.send(body);
  }
  await sender.settle();

  const burstStart = performance.now();
  for (let n = events; n < events + burst; n += 1) sender.send(JSON.parse(textOf(n)));
  await sender.settle();
  const burstMs = performance.now() - burstStart;
  await sender.close();
  return { begunMs, burstMs };
});

function sandboxSender({ url, way, file }: SenderJob): Sender {
  const options = { networks: DEFAULT_NETWORKS, validate: false, seed: 1, clock: "real" } as const;
  const engine = new Engine(openDatabase(way === "file" ? file : undefined), options);
  const dispatcher = new Dispatcher(engine);
  const scheduler = new Scheduler(engine.clock, [dispatcher]);
  engine.onCommit(() => scheduler.wake());
  const accountId = engine.commit(openAccount);
  engine.commit((work) => addEndpoint(work, { url }));
  return {
    send: (body) => {
      engine.commit((work) => work.announce(EVENT, { accountId, resource: body.id }, body));
    },
    settle: () => scheduler.settle(),
    close: async () => {
      await dispatcher.close();
      await scheduler.stop();
      engine.store.database.close();
    },
  };
}

function bareSender({ url }: SenderJob): Sender {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const inFlight = new Set<Promise<void>>();
  const headers = { "content-type": "application/json", "webhook-event-type": EVENT };
  return {
    send: (body) => {
      const answered = new Promise<void>((resolve, reject) => {
        const sent = request(url, { method: "POST", agent, headers });
        sent.on("response", (response) => response.resume());
        sent.on("close", () => resolve(void inFlight.delete(answered))).on("error", reject);
        sent.end(JSON.stringify(body));
      });
      inFlight.add(answered);
    },
    settle: async () => void (await Promise.all(inFlight)),
    close: async () => agent.destroy(),
  };
}
