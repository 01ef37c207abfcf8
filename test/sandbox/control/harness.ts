import { onTestFinished } from "vitest";
import { sandboxApp } from "../../../src/sandbox/app.ts";
import { createControlClient } from "../../../src/sandbox/control/client.ts";
import type { Control } from "../../../src/sandbox/control/control.ts";
import type { Engine } from "../../../src/sandbox/engine.ts";
import type { FaultInjector } from "../../../src/sandbox/fault-injector.ts";
import { createHttpServer } from "../../../src/sandbox/http/http-server.ts";
import { startServer } from "../../support/local-server.ts";
import { type RawResponse, sendRaw } from "../../support/raw-request.ts";
import {
  closeService,
  createTestService,
  dumpState,
  type TestServiceOptions,
} from "../test-service.ts";

/** A sandbox's control, in process and over HTTP, and its state. */
export interface Harness {
  readonly engine: Engine;
  readonly faults: FaultInjector;
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

/** Starts a control with a frozen clock. It closes with the test. */
export async function startHarness(options: TestServiceOptions = {}): Promise<Harness> {
  const service = createTestService(options);
  const { engine, control: local, faults, scheduler } = service;
  engine.onCommit(() => scheduler.wake());

  const server = createHttpServer(sandboxApp(service));
  const { origin, close } = await startServer(server);
  const port = Number(new URL(origin).port);
  onTestFinished(async () => {
    await close();
    await closeService(service);
  });

  const url = `${origin}/_sandbox`;
  return {
    engine,
    faults,
    local,
    remote: createControlClient(url),
    url,
    port,
    send: (method, path, headers, body) =>
      sendRaw(port, { method, path: `/_sandbox${path}`, headers, body }),
    dump: () => {
      const names = engine.store.sql("SELECT name FROM sqlite_schema").all();
      return JSON.stringify([dumpState(engine.store), names, faults.read(), engine.clock.state]);
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
