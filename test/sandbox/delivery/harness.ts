import type { EventName } from "../../../generated/events.ts";
import { DEFAULT_NETWORKS } from "../../../src/contract/index.ts";
import { make } from "../../../src/fixtures/index.ts";
import { accountsOf, openAccount } from "../../../src/sandbox/accounts.ts";
import type { ClockMode } from "../../../src/sandbox/clock.ts";
import type { Delivery } from "../../../src/sandbox/control/control.ts";
import { LocalControl } from "../../../src/sandbox/control/local-control.ts";
import { Dispatcher } from "../../../src/sandbox/delivery/dispatcher.ts";
import { Engine } from "../../../src/sandbox/engine.ts";
import { FaultInjector } from "../../../src/sandbox/fault-injector.ts";
import { Scheduler } from "../../../src/sandbox/scheduler.ts";
import { openDatabase } from "../../../src/sandbox/store/database.ts";
import type { UnitOfWork } from "../../../src/sandbox/unit-of-work.ts";
import { uuid } from "../../support/payloads.ts";

export const START_MS = Date.parse("2026-01-05T09:00:00.000Z");

/** The delivery part of a sandbox, without verbs and server. */
export class Harness {
  readonly engine: Engine;
  readonly dispatcher: Dispatcher;
  readonly scheduler: Scheduler;
  readonly control: LocalControl;
  readonly accounts: readonly string[];

  constructor({ file, clock = "frozen", seed = 1, validate = true }: HarnessOptions = {}) {
    const database = openDatabase(file);
    const faults = new FaultInjector(seed);
    const settings = { networks: DEFAULT_NETWORKS, validate, faults };
    const startMs = clock === "frozen" ? START_MS : undefined;
    this.engine = new Engine(database, { ...settings, seed, clock, startMs });
    this.dispatcher = new Dispatcher(this.engine, () => this.scheduler.wake());
    this.scheduler = new Scheduler(this.engine.clock, [this.dispatcher]);
    this.engine.onCommit(() => this.scheduler.wake());
    this.control = new LocalControl(this.engine, this.scheduler, faults);
    if (accountsOf(this.engine.store).length === 0) {
      this.engine.commit((work) => [openAccount(work), openAccount(work)]);
    }
    this.accounts = accountsOf(this.engine.store).map(({ accountId }) => accountId);
  }

  /** Announces an event whose body has the n-th id. Default: a resource of its own. */
  announce(n: number, { resource = `resource-${n}`, name, account = 0 }: Announcing = {}): string {
    const accountId = this.accounts[account] ?? "";
    this.engine.commit((work) => announceIn(work, n, { accountId, resource, name }));
    return uuid(n);
  }

  /** Announces several events of one resource in one change. */
  announceAll(numbers: readonly number[], resource: string): void {
    const [accountId = ""] = this.accounts;
    this.engine.commit((work) => {
      for (const n of numbers) announceIn(work, n, { accountId, resource });
    });
  }

  /** The time on the clock since the start. */
  get sinceStartMs(): number {
    return this.engine.clock.now() - START_MS;
  }

  /** Oldest first. */
  async log(): Promise<Delivery[]> {
    const deliveries = await this.control.deliveries({ limit: 100_000 });
    return deliveries.toReversed();
  }

  async states(): Promise<string[]> {
    return (await this.log()).map(({ state }) => state);
  }

  /** Closes it like a sandbox. */
  async close(): Promise<void> {
    await this.dispatcher.close();
    await this.scheduler.stop();
    this.engine.store.database.close();
  }
}

/** Announces an event whose body has the n-th id. */
export function announceIn(
  work: UnitOfWork,
  n: number,
  { name = "banktransaction.created", ...owner }: Announced,
): void {
  work.announce(name, owner, make(name, { id: uuid(n) } as object));
}

interface Announced {
  readonly accountId: string;
  readonly resource: string;
  readonly name?: EventName | undefined;
}

/** Options of a harness. */
export interface HarnessOptions {
  readonly file?: string | undefined;
  readonly clock?: ClockMode;
  readonly seed?: number;
  readonly validate?: boolean;
}

interface Announcing {
  readonly resource?: string;
  readonly name?: EventName;
  readonly account?: number;
}
