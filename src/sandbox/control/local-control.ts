import { accountsOf } from "../accounts.ts";
import { durationMs } from "../clock.ts";
import { deliveriesOf, replay } from "../delivery/deliveries.ts";
import { addEndpoint, endpointsOf, removeEndpoint } from "../delivery/endpoints.ts";
import type { Engine } from "../engine.ts";
import { eventsOf, lastEventSeq } from "../event-log.ts";
import type { FaultPlan } from "../faults.ts";
import { badRequest } from "../refusal.ts";
import type { Scheduler } from "../scheduler.ts";
import type { Kind } from "../store/resources.ts";
import { restoreSnapshot, snapshotNames, takeSnapshot } from "../store/snapshots.ts";
import { verbs } from "../verbs/index.ts";
import type { VerbName, VerbParams } from "../verbs/params.ts";
import { paramsOf } from "../verbs/read-params.ts";
import { resetTo } from "../worlds/index.ts";
import type {
  ClockReading,
  ClockSetting,
  Control,
  DeliveriesQuery,
  Delivery,
  Endpoint,
  EndpointParams,
  EventsQuery,
  Faults,
  LoggedEvent,
  Outcome,
  SandboxStatus,
  ShownResource,
  WorldName,
} from "./control.ts";

/** What drives the sandbox from within its process. */
export class LocalControl implements Control {
  readonly #engine: Engine;
  readonly #scheduler: Scheduler;
  readonly #faults: FaultPlan;

  constructor(engine: Engine, scheduler: Scheduler, faults: FaultPlan) {
    this.#engine = engine;
    this.#scheduler = scheduler;
    this.#faults = faults;
  }

  async status(): Promise<SandboxStatus> {
    const { store, settings } = this.#engine;
    const rows = store
      .sql(
        `SELECT kind, count(*) AS count FROM resources WHERE listed = 1 GROUP BY kind
         UNION ALL SELECT 'events', count(*) FROM events
         UNION ALL SELECT 'deliveries', count(*) FROM deliveries`,
      )
      .all();
    const counted = rows.map(({ kind, count }) => [kind, count]);
    return {
      accounts: accountsOf(store),
      networks: settings.networks,
      clock: await this.readClock(),
      counts: Object.fromEntries(counted),
    };
  }

  async trigger<Name extends VerbName>(
    verb: Name,
    params: VerbParams[Name] = {} as VerbParams[Name],
  ): Promise<Outcome<Name>> {
    const read = paramsOf(verb, params);
    const before = lastEventSeq(this.#engine.store);
    const result = this.#engine.commit((ledger) => verbs[verb].run(ledger, read));
    return { verb, result, events: eventsOf(this.#engine.store, { after: before }) };
  }

  async readClock(): Promise<ClockReading> {
    const { clock } = this.#engine;
    const dueMs = this.#scheduler.nextDueMs();
    return {
      mode: clock.mode,
      now: new Date(clock.now()).toISOString(),
      nextDue: dueMs === undefined ? null : new Date(dueMs).toISOString(),
    };
  }

  async setClock({ mode, now }: ClockSetting): Promise<ClockReading> {
    this.#engine.clock.set(mode, now === undefined ? undefined : Date.parse(now));
    this.#engine.keepClock();
    this.#scheduler.wake();
    return this.readClock();
  }

  async advance(by: string): Promise<ClockReading> {
    const byMs = durationMs(by);
    if (byMs === undefined) {
      throw badRequest(`by takes a duration such as 90s, 3d or 1d12h, not '${by}'`);
    }
    await this.#scheduler.advance(byMs);
    this.#engine.keepClock();
    return this.readClock();
  }

  async settle(): Promise<void> {
    await this.#scheduler.settle();
  }

  async events(query: EventsQuery = {}): Promise<LoggedEvent[]> {
    return eventsOf(this.#engine.store, query);
  }

  async resources(
    kind: Kind,
    { accountId, limit = 100 }: { accountId?: string; limit?: number } = {},
  ): Promise<ShownResource[]> {
    const found = this.#engine.store.latest(kind, accountId, limit);
    return found.map(({ id, accountId: owner, listed, body, hidden }) => {
      return { kind, id, accountId: owner, listed, body, hidden };
    });
  }

  async endpoints(): Promise<Endpoint[]> {
    return endpointsOf(this.#engine.store);
  }

  async addEndpoint(params: EndpointParams): Promise<Endpoint> {
    return this.#engine.commit((ledger) => addEndpoint(ledger, params));
  }

  async removeEndpoint(id: string): Promise<void> {
    this.#engine.commit((ledger) => removeEndpoint(ledger, id));
  }

  async deliveries(query: DeliveriesQuery = {}): Promise<Delivery[]> {
    return deliveriesOf(this.#engine.store, query);
  }

  async replay(id: string | "all"): Promise<{ replayed: number }> {
    return { replayed: this.#engine.commit((ledger) => replay(ledger, id)) };
  }

  async faults(): Promise<Faults> {
    return this.#faults.read();
  }

  async setFaults(faults: Partial<Faults>): Promise<Faults> {
    this.#faults.set(faults);
    return this.#faults.read();
  }

  async reset(params: { world?: WorldName; seed?: number } = {}): Promise<SandboxStatus> {
    resetTo(this.#engine, params);
    return this.status();
  }

  async snapshots(): Promise<string[]> {
    return snapshotNames(this.#engine.store);
  }

  async snapshot(name: string): Promise<void> {
    this.#engine.commit(({ store }) => takeSnapshot(store, name));
  }

  async restore(name: string): Promise<SandboxStatus> {
    this.#engine.commit(({ store }) => restoreSnapshot(store, name));
    this.#engine.reload();
    return this.status();
  }
}
