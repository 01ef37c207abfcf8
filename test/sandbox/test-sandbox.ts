import { checkHistory, type HistoryFinding } from "../../src/contract/index.ts";
import type { LoggedEvent } from "../../src/sandbox/control/control.ts";
import type { VerbName, VerbParams, VerbResults } from "../../src/sandbox/control/types.ts";
import type { Engine } from "../../src/sandbox/engine.ts";
import { eventsOf } from "../../src/sandbox/event-log.ts";
import type { Scheduler } from "../../src/sandbox/scheduler.ts";
import { durationMs } from "../../src/world/duration.ts";
import type { Kind, Resource } from "../../src/world/resources.ts";
import { readParams, runVerb } from "../../src/world/verbs/index.ts";
import { createTestService, type TestServiceOptions } from "./test-service.ts";

/** The service without its server, on a frozen clock: verbs in, resources and events out. */
export class TestSandbox {
  readonly engine: Engine;
  readonly scheduler: Scheduler;

  constructor(options?: TestServiceOptions) {
    const { engine, scheduler } = createTestService(options);
    this.engine = engine;
    this.scheduler = scheduler;
  }

  /** Runs a verb one second later. */
  do<Name extends VerbName>(verb: Name, params?: VerbParams[Name]) {
    this.engine.clock.moveTo(this.engine.clock.now() + 1000);
    return this.run(verb, params);
  }

  /** Runs a verb now. */
  run<Name extends VerbName>(
    verb: Name,
    params: VerbParams[Name] = {} as VerbParams[Name],
  ): VerbResults[Name] & { events: LoggedEvent[] } {
    const { engine } = this;
    const before = engine.store.lastEvent();
    const read = readParams(verb, params);
    const result = engine.commit((work) => runVerb(work, verb, read));
    return { ...result, events: eventsOf(engine.store, { after: before, limit: 10_000 }) };
  }

  /** Advances the clock and returns the events sent meanwhile. */
  async advance(by: string): Promise<readonly LoggedEvent[]> {
    const before = this.engine.store.lastEvent();
    await this.scheduler.advance(durationMs(by));
    return eventsOf(this.engine.store, { after: before, limit: 10_000 });
  }

  get<K extends Kind>(kind: K, id: string): Resource<K> {
    return this.engine.store.find(kind, id);
  }

  /** All events sent. */
  events(): LoggedEvent[] {
    return eventsOf(this.engine.store, { limit: 1_000_000 });
  }

  /** The contract's findings on all events sent, without notices. */
  async faults(): Promise<HistoryFinding[]> {
    const deliveries = this.events().map(({ at, name, body }) => ({
      receivedAt: at,
      headers: { "webhook-event-type": name },
      body,
    }));
    const { findings } = await checkHistory(deliveries, { complete: true });
    return findings.filter(({ level }) => level !== "notice");
  }
}
