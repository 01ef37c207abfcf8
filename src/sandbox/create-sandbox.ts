import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import { Hono } from "hono";
import { DEFAULT_NETWORKS } from "../contract/index.ts";
import { reasonOf, TxfeedError } from "../errors.ts";
import { accountsOf } from "./accounts.ts";
import { controlApp } from "./control/app.ts";
import type { SandboxAccount } from "./control/control.ts";
import { LocalControl } from "./control/local-control.ts";
import { Dispatcher } from "./delivery/dispatcher.ts";
import { Engine } from "./engine.ts";
import { FaultPlan } from "./faults.ts";
import { interfaceApp } from "./http/app.ts";
import { jobHandlers } from "./job-handlers.ts";
import { Jobs } from "./jobs.ts";
import type { Sandbox, SandboxOptions } from "./sandbox.ts";
import { Scheduler } from "./scheduler.ts";
import { openDatabase } from "./store/database.ts";
import { populate } from "./worlds/index.ts";

const FROZEN_START = "2026-01-05T09:00:00.000Z";

/**
 * Starts the whole service: the interface, its webhooks, and what drives it.
 *
 * @returns Resolves when it takes requests. Rejects with a TxfeedError: `port-in-use`, `file` where
 * the data can't be opened, or `usage` for an option that is out of its range.
 */
export async function createSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { host = "127.0.0.1", port = 0, seed = 1, world = "small", clock = "real" } = options;
  const { networks = DEFAULT_NETWORKS, validate = false, webhooks = [] } = options;
  const now = options.now ?? (clock === "frozen" ? FROZEN_START : undefined);
  const database = openDatabase(options.data);
  const startMs = now === undefined ? undefined : Date.parse(now);
  const faults = new FaultPlan(seed);
  const engine = new Engine(database, { networks, validate, faults, seed, clock, startMs });
  const dispatcher = new Dispatcher(engine, () => scheduler.wake());
  const scheduler = new Scheduler(engine.clock, [new Jobs(engine, jobHandlers), dispatcher]);
  engine.onCommit(() => scheduler.wake());
  const control = new LocalControl(engine, scheduler, faults);
  if (accountsOf(engine.store).length === 0) populate(engine, world);
  for (const endpoint of webhooks) await control.addEndpoint(endpoint);
  // What a crash left to do is due without any change that would bring it up.
  scheduler.wake();

  const service = { engine, control, faults, violations: [] };
  const app = new Hono();
  app.route("/_sandbox", controlApp(service));
  app.route("/", interfaceApp(service));
  const server = createAdaptorServer({ fetch: app.fetch }) as Server;
  const baseUrl = await listen(server, host, port);

  const close = async () => {
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await closed;
    await dispatcher.close();
    await scheduler.stop();
    database.close();
  };
  return Object.assign(control, {
    baseUrl,
    controlUrl: `${baseUrl}/_sandbox`,
    accounts: accountsOf(engine.store) as [SandboxAccount, SandboxAccount],
    networks,
    violations: service.violations,
    close,
    [Symbol.asyncDispose]: close,
  });
}

async function listen(server: Server, host: string, port: number): Promise<string> {
  try {
    server.listen(port, host);
    await once(server, "listening");
  } catch (error) {
    const isUsed = (error as NodeJS.ErrnoException).code === "EADDRINUSE";
    const why = isUsed ? "another program listens there" : reasonOf(error);
    const message = `port ${port} on ${host} can't be had: ${why}; choose another --port`;
    throw new TxfeedError("port-in-use", message, { cause: error });
  }
  const { address, family, port: actual } = server.address() as AddressInfo;
  return `http://${family === "IPv6" ? `[${address}]` : address}:${actual}`;
}
