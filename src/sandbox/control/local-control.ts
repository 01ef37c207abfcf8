import type { VerbName, VerbParams } from "../../../generated/control-types.ts";
import { UsageError } from "../../errors.ts";
import { durationMs } from "../../world/duration.ts";
import { readInput } from "../../world/read-input.ts";
import { badRequest, notFound, Refusal, StorageRefusal } from "../../world/refusal.ts";
import { isKind, type Kind, kinds, type Resource } from "../../world/resources.ts";
import { verbDescriptions } from "../../world/verbs/descriptions.ts";
import { readParams, verbs } from "../../world/verbs/index.ts";
import { deliveriesOf, replay } from "../delivery/deliveries.ts";
import { addEndpoint, endpointsOf, removeEndpoint } from "../delivery/endpoints.ts";
import type { Engine } from "../engine.ts";
import { eventsOf } from "../event-log.ts";
import type { FaultInjector } from "../fault-injector.ts";
import type { Scheduler } from "../scheduler.ts";
import { resetTo } from "../seed-data/reset.ts";
import { restoreSnapshot, snapshotNames, takeSnapshot } from "../store/snapshots.ts";
import type {
  ClockReading,
  ClockSetting,
  Control,
  DeliveriesQuery,
  Delivery,
  DryRun,
  DryRunParams,
  Endpoint,
  EndpointParams,
  EventsQuery,
  Faults,
  LoggedEvent,
  Outcome,
  ResetParams,
  ResourcesQuery,
  SandboxAccount,
  SandboxStatus,
  ShownResource,
  VerbCall,
  VerbDescription,
} from "./control.ts";

/** Ten years: longer than any schedule. */
const MAX_ADVANCE_MS = 3650 * 86_400_000;

/**
 * Controls the sandbox in process. The control API calls it, too. It checks its inputs, so that
 * both refuse the same calls.
 */
export class LocalControl implements Control {
  readonly #engine: Engine;
  readonly #scheduler: Scheduler;
  readonly #faults: FaultInjector;

  /** The accounts. They can be read after the database is closed. */
  accounts: readonly [SandboxAccount, SandboxAccount];

  constructor(engine: Engine, scheduler: Scheduler, faults: FaultInjector) {
    this.#engine = engine;
    this.#scheduler = scheduler;
    this.#faults = faults;
    this.accounts = bothAccounts(engine);
  }

  async status(): Promise<SandboxStatus> {
    const { store, settings } = this.#engine;
    const rows = store
      .sql(
        `SELECT kind, count(*) AS count FROM resources WHERE listed = 1 GROUP BY kind
         UNION ALL SELECT 'deliveries', count(*) FROM deliveries`,
      )
      .all();
    const none = kinds.map((kind) => [kind, 0]);
    const counted = rows.map(({ kind, count }) => [kind, count]);
    return {
      accounts: [...store.accounts()],
      networks: settings.networks,
      clock: await this.readClock(),
      // Single events are never removed, so the last number is the count. COUNT would read all.
      counts: { ...Object.fromEntries([...none, ...counted]), events: store.lastEvent() },
    };
  }

  async verbs(): Promise<VerbDescription[]> {
    return verbDescriptions();
  }

  async trigger<Name extends VerbName>(
    verb: Name,
    params: VerbParams[Name] = {} as VerbParams[Name],
  ): Promise<Outcome<Name>> {
    const given = readParams(verb, params);
    const { store } = this.#engine;
    return this.#engine.commit((work) => {
      const after = store.lastEvent();
      const result = verbs[verb](work, given);
      return { verb, result, events: eventsOf(store, { after, limit: -1 }) };
    });
  }

  async dryRun(params: DryRunParams): Promise<DryRun[]> {
    const { calls } = readInput("DryRunParams", params);
    return calls.map((call) => this.#dryRun(call));
  }

  #dryRun({ verb, params }: VerbCall): DryRun {
    try {
      const given = readParams(verb, params ?? {});
      this.#engine.dryRun((work) => verbs[verb](work, given as never));
      return { refusal: null, remedy: null };
    } catch (error) {
      if (!(error instanceof Refusal) || error instanceof StorageRefusal) throw error;
      return { refusal: error.message, remedy: error.remedy ?? null };
    }
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

  async setClock(setting: ClockSetting): Promise<ClockReading> {
    const { mode, now } = readInput("ClockSetting", setting);
    const { clock } = this.#engine;
    const nowMs = now === undefined ? undefined : Date.parse(now);
    this.#engine.commit(() => clock.set(mode, nowMs));
    return this.readClock();
  }

  async advance(by: string): Promise<ClockReading> {
    const { by: duration } = readInput("ClockStep", { by });
    const byMs = durationMs(duration);
    if (byMs > MAX_ADVANCE_MS)
      throw badRequest("by: must be a duration such as 90s, 3d or 1d12h, of at most ten years");
    await this.#scheduler.advance(byMs);
    this.#engine.keepClock();
    return this.readClock();
  }

  async settle(): Promise<void> {
    await this.#scheduler.settle();
  }

  async events(query: EventsQuery = {}): Promise<LoggedEvent[]> {
    return eventsOf(this.#engine.store, readInput("EventsQuery", query));
  }

  async resources(kind: Kind, query: ResourcesQuery = {}): Promise<ShownResource[]> {
    if (!isKind(kind)) throw notFound("kind of resource", kind);
    const { accountId, limit = 100 } = readInput("ResourcesQuery", query);
    return this.#engine.store.latest(kind, accountId, limit).map(shown);
  }

  async resource(kind: Kind, id: string): Promise<ShownResource> {
    if (!isKind(kind)) throw notFound("kind of resource", kind);
    return shown(this.#engine.store.find(kind, id));
  }

  async endpoints(): Promise<Endpoint[]> {
    return endpointsOf(this.#engine.store);
  }

  async addEndpoint(params: EndpointParams): Promise<Endpoint> {
    const given = readInput("EndpointParams", params);
    return this.#engine.commit((work) => addEndpoint(work, given));
  }

  async removeEndpoint(id: string): Promise<void> {
    this.#engine.commit((work) => removeEndpoint(work, id));
  }

  async deliveries(query: DeliveriesQuery = {}): Promise<Delivery[]> {
    return deliveriesOf(this.#engine.store, readInput("DeliveriesQuery", query));
  }

  async replay(id: string | "all"): Promise<{ replayed: number }> {
    return { replayed: this.#engine.commit((work) => replay(work, id)) };
  }

  async faults(): Promise<Faults> {
    return this.#faults.read();
  }

  async setFaults(faults: Partial<Faults>): Promise<Faults> {
    const { api = [], deliveries = [], listLagMs = 0 } = readInput("FaultsSetting", faults);
    const incomplete = api.findIndex(
      ({ kind, delayMs }) => kind === "latency" && delayMs === undefined,
    );
    if (incomplete !== -1) {
      const path = `api.${incomplete}.delayMs`;
      throw badRequest(`${path}: latency requires its duration in milliseconds`);
    }
    this.#faults.set({ api, deliveries, listLagMs }, this.#engine.seed);
    return this.#faults.read();
  }

  async reset(params: ResetParams = {}): Promise<SandboxStatus> {
    resetTo(this.#engine, readInput("ResetParams", params));
    this.#faults.set({}, this.#engine.seed);
    this.accounts = bothAccounts(this.#engine);
    return this.status();
  }

  async snapshots(): Promise<string[]> {
    return snapshotNames(this.#engine.store);
  }

  async snapshot(name: string): Promise<void> {
    const valid = readInput("SnapshotName", name, "name");
    this.#engine.commit(({ store }) => takeSnapshot(store, valid));
  }

  async restore(name: string): Promise<SandboxStatus> {
    this.#engine.replace((store) => restoreSnapshot(store, name));
    this.accounts = bothAccounts(this.#engine);
    return this.status();
  }
}

/** Makes every method of a control reject, with a hint what to do. */
export function endCalls(control: LocalControl): void {
  for (const name of Object.getOwnPropertyNames(LocalControl.prototype)) {
    if (name === "constructor") continue;
    const remedy = "start another with createSandbox()";
    const message = `sandbox.${name}() was called after close(); ${remedy}`;
    const call = async () => Promise.reject(new UsageError(message));
    Object.defineProperty(control, name, { value: call });
  }
}

function shown({ kind, id, accountId, listed, body, internal: hidden }: Resource): ShownResource {
  return { kind, id, accountId, listed, body, hidden };
}

/** The two accounts of the seed data. */
function bothAccounts({ store }: Engine): [SandboxAccount, SandboxAccount] {
  return store.accounts() as [SandboxAccount, SandboxAccount];
}
