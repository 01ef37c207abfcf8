import { once } from "node:events";
import type { Server } from "node:http";
import type { DatabaseSync } from "node:sqlite";
import { FileError, UsageError } from "../errors.ts";
import { listen } from "../listen.ts";
import { StorageRefusal } from "../world/refusal.ts";
import { sandboxApp } from "./app.ts";
import type { Control, SandboxAccount } from "./control/control.ts";
import { Engine, SECRETS_KEY } from "./engine.ts";
import { FaultInjector } from "./fault-injector.ts";
import { createHttpServer } from "./http/http-server.ts";
import { readOptions, type SandboxSettings, usageOf } from "./options.ts";
import type { Sandbox, SandboxOptions } from "./sandbox.ts";
import { createService } from "./service.ts";
import { openDatabase, storageRefusal } from "./store/database.ts";

/**
 * Starts the full service: the interface, its webhooks and the control API.
 *
 * @returns Resolves when the service accepts requests. Rejects with a TxfeedError after closing
 * everything: `usage` for an invalid option, `file` if the data can't be opened or saved, or
 * `port-in-use`.
 */
export async function createSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const settings = readOptions(options);
  const database = openDatabase(settings.data);
  try {
    return await start(database, settings);
  } catch (error) {
    const refusal = storageRefusal(database, error) ?? error;
    database.close();
    if (refusal instanceof StorageRefusal) {
      throw new FileError(refusal.message, { cause: error });
    }
    throw usageOf(error);
  }
}

async function start(database: DatabaseSync, settings: SandboxSettings): Promise<Sandbox> {
  const faults = new FaultInjector(settings.seed);
  const engine = new Engine(database, settings);
  refuseKnownSecrets(engine, settings);
  const parts = { engine, faults, world: settings.world };
  const service = createService(parts, (reason) => process.emitWarning(reason));
  const { control, dispatcher, scheduler, violations } = service;
  for (const endpoint of settings.webhooks) await control.addEndpoint(endpoint);

  const server = createHttpServer(sandboxApp(service));
  const baseUrl = await listen(server, settings);
  // After a crash, jobs and deliveries may be due. They start only now, because a sandbox that does
  // not start must not send anything.
  engine.onCommit(() => scheduler.wake());
  scheduler.wake();

  const accounts = () => engine.store.accounts() as [SandboxAccount, SandboxAccount];
  // They can be read after the database is closed.
  let lastAccounts: Sandbox["accounts"] | undefined;
  let closed: Promise<void> | undefined;
  const close = () => {
    if (closed) return closed;
    lastAccounts = accounts();
    Object.assign(sandbox, endedCalls(control));
    closed = stop(server, [dispatcher.close(), scheduler.stop()], database);
    return closed;
  };
  const sandbox: Sandbox = {
    ...control,
    baseUrl,
    controlUrl: `${baseUrl}/_sandbox`,
    get accounts() {
      return lastAccounts ?? accounts();
    },
    networks: settings.networks,
    violations,
    close,
    [Symbol.asyncDispose]: close,
  };
  return sandbox;
}

/** Methods like those of a control that reject, with a hint what to do. */
function endedCalls(control: Control): object {
  const methods = Object.keys(control).map((name) => {
    const remedy = "start another with createSandbox()";
    const message = `sandbox.${name}() was called after close(); ${remedy}`;
    return [name, async () => Promise.reject(new UsageError(message))] as const;
  });
  return Object.fromEntries(methods);
}

/** Refuses a file with seeded secrets if the host is not loopback and no seed is given. */
function refuseKnownSecrets({ store }: Engine, settings: SandboxSettings): void {
  const { data, host, hasRandomSecrets } = settings;
  if (!hasRandomSecrets || store.meta(SECRETS_KEY) !== undefined) return;
  const why = `the secrets in ${data} are derived from its seed, and ${host} is not loopback`;
  const advice = "use another file for random secrets, or give a seed to accept these";
  throw new UsageError(`${why}; ${advice}`);
}

async function stop(
  server: Server,
  underWay: readonly Promise<void>[],
  database: DatabaseSync,
): Promise<void> {
  const closed = once(server, "close");
  server.close();
  server.closeAllConnections();
  await Promise.all([closed, ...underWay]);
  database.close();
}
