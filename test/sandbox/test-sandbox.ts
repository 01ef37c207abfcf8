import { onTestFinished } from "vitest";
import type { EventName, EventPayloads } from "../../generated/events.ts";
import { checkHistory, DEFAULT_NETWORKS, type HistoryFinding } from "../../src/contract/index.ts";
import { make } from "../../src/fixtures/index.ts";
import type { ClockMode } from "../../src/sandbox/clock.ts";
import type {
  Control,
  Delivery,
  LoggedEvent,
  WorldName,
} from "../../src/sandbox/control/control.ts";
import type { VerbName, VerbParams, VerbResults } from "../../src/sandbox/control/types.ts";
import { Engine } from "../../src/sandbox/engine.ts";
import { eventsOf } from "../../src/sandbox/event-log.ts";
import { FaultInjector } from "../../src/sandbox/fault-injector.ts";
import type { Scheduler } from "../../src/sandbox/scheduler.ts";
import { createService, type ServiceParts } from "../../src/sandbox/service.ts";
import { openDatabase } from "../../src/sandbox/store/database.ts";
import { STATE_TABLES } from "../../src/sandbox/store/schema.ts";
import { durationMs } from "../../src/world/duration.ts";
import type { Kind, Resource } from "../../src/world/resources.ts";
import { type CallResult, readyCalls, type ScriptCall } from "../../src/world/script.ts";
import type { UnitOfWork } from "../../src/world/unit-of-work.ts";
import { readParams, runVerb } from "../../src/world/verbs/index.ts";
import { uuid } from "../support/payloads.ts";

/** The start of a frozen clock. */
export const START = "2026-01-05T09:00:00.000Z";
export const START_MS = Date.parse(START);

export interface TestSandboxOptions {
  /** The data file. Default: in memory. */
  readonly file?: string | undefined;
  readonly clock?: ClockMode;
  readonly seed?: number;
  /** Whether the service validates its responses and events. Default: true. */
  readonly validate?: boolean;
  readonly world?: WorldName;
}

interface Announced {
  /** The ordering key. Default: a resource of its own. */
  readonly resource?: string;
  readonly name?: EventName;
  /** The position of the account. */
  readonly account?: number;
}

/** The service without its server, on a frozen clock. A failed job is an error. */
export class TestSandbox {
  readonly service: ServiceParts;
  readonly engine: Engine;
  readonly scheduler: Scheduler;
  readonly control: Control;
  readonly accountIds: readonly [string, string];
  readonly #results = new Map<string, CallResult>();

  constructor(options: TestSandboxOptions = {}) {
    const { file, clock = "frozen", seed = 1, validate = true, world = "empty" } = options;
    const startMs = clock === "frozen" ? START_MS : undefined;
    const settings = { networks: DEFAULT_NETWORKS, validate, seed, clock, startMs };
    const engine = new Engine(openDatabase(file), settings);
    const parts = { engine, faults: new FaultInjector(seed), world };
    this.service = createService(parts, (reason) => {
      throw new Error(reason);
    });
    this.engine = engine;
    this.scheduler = this.service.scheduler;
    this.control = this.service.control;
    const [first, second] = engine.store.accounts();
    this.accountIds = [first?.accountId ?? "", second?.accountId ?? ""];
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

  /** Plays calls of a script, each one second after the other. Returns the events of the last. */
  async play(...calls: readonly ScriptCall[]): Promise<readonly LoggedEvent[]> {
    let last: readonly LoggedEvent[] = [];
    const ready = readyCalls(calls, this.#results, DEFAULT_NETWORKS);
    let turn = ready.next();
    while (!turn.done) {
      const call = turn.value;
      const { events, ...result } =
        "advance" in call
          ? { events: await this.advance(call.advance) }
          : this.do(call.verb, call.params);
      last = events;
      turn = ready.next({ result, events: events as CallResult["events"] });
    }
    return last;
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

  /** The bodies of all events with a name. */
  sent<Name extends EventName>(name: Name): EventPayloads[Name][] {
    return eventsOf(this.engine.store, { name }).map(({ body }) => body as EventPayloads[Name]);
  }

  /** The contract's findings on all events sent. */
  findings(): Promise<HistoryFinding[]> {
    return findingsOf(this.events());
  }

  /** Announces an event whose body has the n-th id. Returns that id. */
  announce(n: number, options?: Announced): string {
    this.engine.commit((work) => this.announceIn(work, n, options));
    return uuid(n);
  }

  /** Announces an event within a change. */
  announceIn(
    work: UnitOfWork,
    n: number,
    { resource = `resource-${n}`, name = "banktransaction.created", account = 0 }: Announced = {},
  ): void {
    const accountId = this.accountIds[account] ?? "";
    work.announce(name, { accountId, resource }, make(name, { id: uuid(n) } as object));
  }

  /** All deliveries, oldest first. */
  async log(): Promise<Delivery[]> {
    return (await this.control.deliveries({ limit: 100_000 })).toReversed();
  }

  async states(): Promise<string[]> {
    return (await this.log()).map(({ state }) => state);
  }

  /** The whole state, to detect changes. */
  dump(): string {
    const { store } = this.engine;
    return JSON.stringify(STATE_TABLES.map((table) => store.sql(`SELECT * FROM ${table}`).all()));
  }

  /** Closes it like a sandbox, once. */
  async close(): Promise<void> {
    const { dispatcher, scheduler, engine } = this.service;
    if (!engine.store.database.isOpen) return;
    await dispatcher.close();
    await scheduler.stop();
    engine.store.database.close();
  }
}

/** Starts a service whose due work runs by itself. It closes with the test. */
export function startSandbox(options?: TestSandboxOptions): TestSandbox {
  const sandbox = new TestSandbox(options);
  sandbox.engine.onCommit(() => sandbox.scheduler.wake());
  onTestFinished(() => sandbox.close());
  return sandbox;
}

/** The contract's findings on all events of a log, without notices. */
export async function findingsOf(events: readonly LoggedEvent[]): Promise<HistoryFinding[]> {
  const deliveries = events.map(({ at, name, body }) => {
    return { receivedAt: at, headers: { "webhook-event-type": name }, body };
  });
  const { findings } = await checkHistory(deliveries, { complete: true });
  return findings.filter(({ level }) => level !== "notice");
}

/** The names of events, in order. */
export function namesOf(events: readonly LoggedEvent[]): string[] {
  return events.map(({ name }) => name);
}
