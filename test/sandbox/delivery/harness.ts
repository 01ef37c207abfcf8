import type { EventName } from "../../../generated/events.ts";
import { make } from "../../../src/fixtures/index.ts";
import type { Control, Delivery } from "../../../src/sandbox/control/control.ts";
import type { Engine } from "../../../src/sandbox/engine.ts";
import type { Scheduler } from "../../../src/sandbox/scheduler.ts";
import type { ServiceParts } from "../../../src/sandbox/service.ts";
import type { UnitOfWork } from "../../../src/world/unit-of-work.ts";
import { uuid } from "../../support/payloads.ts";
import {
  closeService,
  createTestService,
  START_MS,
  type TestServiceOptions,
} from "../test-service.ts";

/** A service that delivers announced events. */
export class Harness {
  readonly service: ServiceParts;
  readonly engine: Engine;
  readonly scheduler: Scheduler;
  readonly control: Control;
  readonly accounts: readonly string[];

  constructor(options: TestServiceOptions = {}) {
    const service = createTestService(options);
    this.service = service;
    this.engine = service.engine;
    this.scheduler = service.scheduler;
    this.control = service.control;
    this.engine.onCommit(() => this.scheduler.wake());
    this.accounts = this.engine.store.accounts().map(({ accountId }) => accountId);
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
    await closeService(this.service);
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

interface Announcing {
  readonly resource?: string;
  readonly name?: EventName;
  readonly account?: number;
}
