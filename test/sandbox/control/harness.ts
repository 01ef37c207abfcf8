import { Hono } from "hono";
import { onTestFinished } from "vitest";
import { DEFAULT_NETWORKS } from "../../../src/contract/index.ts";
import { controlApp } from "../../../src/sandbox/control/app.ts";
import { createControlClient } from "../../../src/sandbox/control/client.ts";
import type { Control, WorldName } from "../../../src/sandbox/control/control.ts";
import { LocalControl } from "../../../src/sandbox/control/local-control.ts";
import { Dispatcher } from "../../../src/sandbox/delivery/dispatcher.ts";
import { Engine } from "../../../src/sandbox/engine.ts";
import { FaultInjector } from "../../../src/sandbox/fault-injector.ts";
import { createHttpServer } from "../../../src/sandbox/http/http-server.ts";
import { jobHandlers } from "../../../src/sandbox/job-handlers.ts";
import { Jobs } from "../../../src/sandbox/jobs.ts";
import { Scheduler } from "../../../src/sandbox/scheduler.ts";
import { populate } from "../../../src/sandbox/seed-data/index.ts";
import { openDatabase } from "../../../src/sandbox/store/database.ts";
import { STATE_TABLES } from "../../../src/sandbox/store/schema.ts";
import { startServer } from "../../support/local-server.ts";
import { type RawResponse, sendRaw } from "../../support/raw-request.ts";

export const START = "2026-01-05T09:00:00.000Z";

/** A sandbox's control, in process and over HTTP, and its state. */
export interface Harness {
  readonly engine: Engine;
  readonly local: Control;
  readonly remote: Control;
  readonly url: string;
  readonly port: number;
  /** Sends a request unchanged to a path below `/_sandbox`. */
  send(
    method: string,
    path: string,
    headers?: Record<string, string>,
    body?: string | Buffer,
  ): Promise<RawResponse>;
  /** The whole state, with faults and snapshots, to detect changes. */
  dump(): string;
}

interface HarnessOptions {
  readonly seed?: number;
  readonly world?: WorldName;
}

/** Starts a control with a frozen clock. It closes with the test. */
export async function startHarness({
  seed = 1,
  world = "empty",
}: HarnessOptions = {}): Promise<Harness> {
  const faults = new FaultInjector(seed);
  const database = openDatabase();
  const engine = new Engine(database, {
    networks: DEFAULT_NETWORKS,
    validate: true,
    faults,
    seed,
    clock: "frozen",
    startMs: Date.parse(START),
  });
  const dispatcher = new Dispatcher(engine, () => scheduler.wake());
  const jobs = new Jobs(engine, jobHandlers, (why) => {
    throw new Error(why);
  });
  const scheduler = new Scheduler(engine.clock, [jobs, dispatcher]);
  engine.onCommit(() => scheduler.wake());
  const local = new LocalControl(engine, scheduler, faults);
  populate(engine, world);

  const app = new Hono();
  app.route("/_sandbox", controlApp({ engine, control: local, faults, violations: [] }));
  const server = createHttpServer(app);
  const { origin, close } = await startServer(server);
  const port = Number(new URL(origin).port);
  onTestFinished(async () => {
    await close();
    await dispatcher.close();
    await scheduler.stop();
    database.close();
  });

  const url = `${origin}/_sandbox`;
  return {
    engine,
    local,
    remote: createControlClient(url),
    url,
    port,
    send: (method, path, headers, body) =>
      sendRaw(port, { method, path: `/_sandbox${path}`, headers, body }),
    dump: () => {
      const tables = STATE_TABLES.map((table) => database.prepare(`SELECT * FROM ${table}`).all());
      const names = database.prepare("SELECT name FROM sqlite_schema").all();
      return JSON.stringify([tables, names, faults.read(), engine.clock.state]);
    },
  };
}

const AS_JSON = { "content-type": "application/json" };

/** Sends JSON. */
export function sendJson(
  harness: Harness,
  method: string,
  path: string,
  body: unknown,
): Promise<RawResponse> {
  return harness.send(method, path, AS_JSON, JSON.stringify(body));
}

/** Creates a purchase, its bank posting and pending work in an empty world. */
export async function playALittle(control: Control): Promise<void> {
  await control.trigger("open-subaccount");
  await control.trigger("enroll");
  await control.trigger("sca-pass");
  await control.trigger("link-start");
  await control.trigger("link-complete");
  await control.advance("1m");
  await control.trigger("purchase", { amount: 12.5 });
}
