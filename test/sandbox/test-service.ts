import { DEFAULT_NETWORKS } from "../../src/contract/index.ts";
import type { ClockMode } from "../../src/sandbox/clock.ts";
import type { WorldName } from "../../src/sandbox/control/control.ts";
import { Engine } from "../../src/sandbox/engine.ts";
import { FaultInjector } from "../../src/sandbox/fault-injector.ts";
import { createService, type ServiceParts } from "../../src/sandbox/service.ts";
import { openDatabase } from "../../src/sandbox/store/database.ts";
import { STATE_TABLES } from "../../src/sandbox/store/schema.ts";
import type { SqliteStore } from "../../src/sandbox/store/store.ts";

/** The start of a frozen clock. */
export const START = "2026-01-05T09:00:00.000Z";
export const START_MS = Date.parse(START);

/** Options of a test's service. */
export interface TestServiceOptions {
  /** The data file. Default: in memory. */
  readonly file?: string | undefined;
  readonly clock?: ClockMode;
  readonly seed?: number;
  /** Whether the service validates its responses and events. Default: true. */
  readonly validate?: boolean;
  readonly world?: WorldName;
}

/** A service with seed data and a frozen clock. A failed job is an error. */
export function createTestService(options: TestServiceOptions = {}): ServiceParts {
  const { file, clock = "frozen", seed = 1, validate = true, world = "empty" } = options;
  const startMs = clock === "frozen" ? START_MS : undefined;
  const faults = new FaultInjector(seed);
  const settings = { networks: DEFAULT_NETWORKS, validate, seed, clock, startMs };
  const engine = new Engine(openDatabase(file), settings);
  return createService({ engine, faults, world }, (reason) => {
    throw new Error(reason);
  });
}

/** Closes a service like a sandbox. */
export async function closeService({ dispatcher, scheduler, engine }: ServiceParts): Promise<void> {
  await dispatcher.close();
  await scheduler.stop();
  engine.store.database.close();
}

/** The whole state, to detect changes. */
export function dumpState(store: SqliteStore): string {
  return JSON.stringify(STATE_TABLES.map((table) => store.sql(`SELECT * FROM ${table}`).all()));
}
