import * as z from "zod";
import { durationMs } from "../../world/duration.ts";
import { notFound, Refusal, StorageRefusal } from "../../world/refusal.ts";
import { isKind, type Kind as KindName, kinds, type Resource } from "../../world/resources.ts";
import { type Of, readInput } from "../../world/schema.ts";
import { readParams, runVerb } from "../../world/verbs/index.ts";
import type { VerbName } from "../../world/verbs/names.ts";
import { ClockReading, ClockSetting, ClockStep } from "../clock.ts";
import { DeliveriesQuery, Delivery, deliveriesOf, replay } from "../delivery/deliveries.ts";
import {
  addEndpoint,
  Endpoint,
  EndpointParams,
  endpointsOf,
  removeEndpoint,
} from "../delivery/endpoints.ts";
import type { Engine } from "../engine.ts";
import { EventsQuery, eventsOf, LoggedEvent } from "../event-log.ts";
import { type FaultInjector, Faults, FaultsSetting } from "../fault-injector.ts";
import type { Scheduler } from "../scheduler.ts";
import { resetTo } from "../seed-data/reset.ts";
import { restoreSnapshot, snapshotNames, takeSnapshot } from "../store/snapshots.ts";
import { verbDescriptions } from "./descriptions.ts";
import { type OperationName, pathParameters } from "./routes.ts";
import {
  DryRun,
  DryRunParams,
  Kind,
  Replayed,
  ResetParams,
  ResourcesQuery,
  SandboxStatus,
  ShownResource,
  SnapshotName,
  type VerbCall,
  VerbDescription,
} from "./shapes.ts";

/** The parts of a sandbox that the operations control. */
export interface Parts {
  readonly engine: Engine;
  readonly scheduler: Scheduler;
  readonly faults: FaultInjector;
}

/** An operation of the control API; its method and path are in `routes.ts`. */
export interface Operation<Input extends z.ZodType, Result extends z.ZodType> {
  /** What the operation does, in a few words. */
  readonly summary: string;
  /** The schemas of the path's parameters, by name. Default: any text. */
  readonly path?: Readonly<Record<string, z.ZodType>>;
  /** The query of a GET, the body of another method. Default: nothing. */
  readonly input?: Input;
  readonly example?: z.input<Input>;
  /** The response. Default: none, with status 204. */
  readonly result?: Result;
  /** The status of the response. Default: 200. */
  readonly status?: number;
  /** Carries out the operation. Throws a Refusal if that is not possible. */
  readonly run: (
    parts: Parts,
    input: Of<Input>,
    ...path: string[]
  ) => Of<Result> | Promise<Of<Result>>;
}

/** An operation, whatever it takes and returns. */
export type AnyOperation = Operation<z.ZodType, z.ZodType>;

/** Declares an operation. */
function operation<Input extends z.ZodType = z.ZodVoid, Result extends z.ZodType = z.ZodVoid>(
  entry: Operation<Input, Result>,
): Operation<Input, Result> {
  return entry;
}

/** Every operation, in the order of the documentation. */
export const operations = {
  status: operation({
    summary: "Returns accounts, clock, and the number of each kind of resource",
    result: SandboxStatus,
    run: (parts) => statusOf(parts),
  }),
  verbs: operation({
    summary: "Lists the verbs, which trigger events",
    result: z.array(VerbDescription),
    run: () => verbDescriptions(),
  }),
  trigger: operation({
    summary: "Triggers a verb",
    // The parameters of each verb are in its own entry.
    input: z.unknown(),
    result: z.unknown(),
    run({ engine }, params, name) {
      const verb = name as VerbName;
      const given = readParams(verb, params);
      return engine.commit((work) => {
        const after = engine.store.lastEvent();
        const result = runVerb(work, verb, given);
        return { verb, result, events: eventsOf(engine.store, { after, limit: -1 }) };
      });
    },
  }),
  dryRun: operation({
    summary: "Tries verbs one by one, undoes each, and returns why it is refused",
    input: DryRunParams,
    example: { calls: [{ verb: "purchase", params: { amount: 12.5 } }] },
    result: z.array(DryRun),
    run: ({ engine }, { calls }) => calls.map((call) => dryRun(engine, call)),
  }),
  readClock: operation({
    summary: "Returns the state of the clock",
    result: ClockReading,
    run: (parts) => clockOf(parts),
  }),
  setClock: operation({
    summary: "Sets the mode and the time of the clock",
    input: ClockSetting,
    example: { mode: "frozen", now: "2026-01-05T09:00:00.000Z" },
    result: ClockReading,
    run(parts, { mode, now }) {
      const nowMs = now === undefined ? undefined : Date.parse(now);
      parts.engine.commit(() => parts.engine.clock.set(mode, nowMs));
      return clockOf(parts);
    },
  }),
  advance: operation({
    summary: "Advances the clock, and responds after every job and delivery that is due",
    input: ClockStep,
    example: { by: "3d" },
    result: ClockReading,
    async run(parts, { by }) {
      await parts.scheduler.advance(durationMs(by));
      parts.engine.keepClock();
      return clockOf(parts);
    },
  }),
  settle: operation({
    summary: "Responds after every job and delivery that is due",
    run: ({ scheduler }) => scheduler.settle(),
  }),
  events: operation({
    summary: "Lists the event log, the oldest event first",
    input: EventsQuery,
    example: { after: 12 },
    result: z.array(LoggedEvent),
    run: ({ engine }, query) => eventsOf(engine.store, query),
  }),
  resources: operation({
    summary: "Lists the latest resources of a kind, with their internal state",
    path: { kind: Kind },
    input: ResourcesQuery,
    example: { limit: 10 },
    result: z.array(ShownResource),
    run({ engine }, { accountId, limit = 100 }, kind) {
      return engine.store.latest(kindOf(kind), accountId, limit).map(shown);
    },
  }),
  resource: operation({
    summary: "Returns a resource with its internal state",
    path: { kind: Kind },
    result: ShownResource,
    run: ({ engine }, _input, kind, id = "") => shown(engine.store.find(kindOf(kind), id)),
  }),
  endpoints: operation({
    summary: "Lists the webhook endpoints",
    result: z.array(Endpoint),
    run: ({ engine }) => endpointsOf(engine.store),
  }),
  addEndpoint: operation({
    summary: "Registers a webhook endpoint for all future events",
    input: EndpointParams,
    example: { url: "http://127.0.0.1:8080/webhooks", events: ["transaction.created"] },
    result: Endpoint,
    status: 201,
    run: ({ engine }, params) => engine.commit((work) => addEndpoint(work, params)),
  }),
  removeEndpoint: operation({
    summary: "Removes a webhook endpoint and its pending deliveries",
    run: ({ engine }, _input, id = "") => engine.commit((work) => removeEndpoint(work, id)),
  }),
  deliveries: operation({
    summary: "Lists the latest deliveries with their attempts, the latest first",
    input: DeliveriesQuery,
    example: { state: "failed" },
    result: z.array(Delivery),
    run: ({ engine }, query) => deliveriesOf(engine.store, query),
  }),
  replay: operation({
    summary: "Sends a delivery again",
    result: Replayed,
    run: ({ engine }, _input, id = "") => {
      return { replayed: engine.commit((work) => replay(work, id)) };
    },
  }),
  replayAll: operation({
    summary: "Sends all completed deliveries again",
    result: Replayed,
    run: ({ engine }) => ({ replayed: engine.commit((work) => replay(work, "all")) }),
  }),
  faults: operation({
    summary: "Returns the injected faults and their remaining counts",
    result: Faults,
    run: ({ faults }) => faults.read(),
  }),
  setFaults: operation({
    summary: "Replaces all injected faults",
    input: FaultsSetting,
    example: { api: [{ kind: "429", path: "/transactions", times: 3 }] },
    result: Faults,
    run({ engine, faults }, setting) {
      faults.set(setting, engine.seed);
      return faults.read();
    },
  }),
  reset: operation({
    summary: "Resets the state to initial data and a seed; keeps webhook endpoints",
    input: ResetParams,
    example: { world: "empty", seed: 7 },
    result: SandboxStatus,
    run(parts, params) {
      resetTo(parts.engine, params);
      parts.faults.set({}, parts.engine.seed);
      return statusOf(parts);
    },
  }),
  snapshots: operation({
    summary: "Lists the names of the snapshots",
    result: z.array(z.string()),
    run: ({ engine }) => snapshotNames(engine.store),
  }),
  snapshot: operation({
    summary: "Takes a snapshot; replaces one of the same name",
    path: { name: SnapshotName },
    run({ engine }, _input, name) {
      const valid = readInput(SnapshotName, name, "name");
      engine.commit(({ store }) => takeSnapshot(store, valid));
    },
  }),
  restore: operation({
    summary: "Restores a snapshot",
    path: { name: SnapshotName },
    result: SandboxStatus,
    run(parts, _input, name = "") {
      parts.engine.replace((store) => restoreSnapshot(store, name));
      return statusOf(parts);
    },
  }),
} satisfies { readonly [Name in OperationName]: unknown };

/**
 * Carries out an operation of a sandbox.
 *
 * @param args the parameters of the path, in order, then the query or the body
 */
export async function carryOut(
  parts: Parts,
  name: OperationName,
  args: readonly unknown[],
): Promise<unknown> {
  const { input, run } = operations[name] as AnyOperation;
  const { length } = pathParameters(name);
  const path = args.slice(0, length) as string[];
  const [given = {}] = args.slice(length);
  return run(parts, input && readInput(input, given), ...path);
}

function statusOf(parts: Parts): SandboxStatus {
  const { store, settings } = parts.engine;
  const rows = store
    .sql(
      `SELECT kind, count(*) AS count FROM resources WHERE listed = 1 GROUP BY kind
       UNION ALL SELECT 'deliveries', count(*) FROM deliveries`,
    )
    .all();
  const none = kinds.map((kind) => [kind, 0]);
  const counted = rows.map(({ kind, count }) => [kind, count]);
  return {
    accounts: store.accounts(),
    networks: settings.networks,
    clock: clockOf(parts),
    // Single events are never removed, so the last number is the count. COUNT would read all.
    counts: { ...Object.fromEntries([...none, ...counted]), events: store.lastEvent() },
  };
}

function clockOf({ engine: { clock }, scheduler }: Parts): ClockReading {
  const dueMs = scheduler.nextDueMs();
  return {
    mode: clock.mode,
    now: new Date(clock.now()).toISOString(),
    nextDue: dueMs === undefined ? null : new Date(dueMs).toISOString(),
  };
}

function dryRun(engine: Engine, { verb, params }: VerbCall): DryRun {
  try {
    const given = readParams(verb, params ?? {});
    engine.dryRun((work) => runVerb(work, verb, given));
    return { refusal: null, remedy: null };
  } catch (error) {
    if (!(error instanceof Refusal) || error instanceof StorageRefusal) throw error;
    return { refusal: error.message, remedy: error.remedy ?? null };
  }
}

function kindOf(name = ""): KindName {
  if (isKind(name)) return name;
  throw notFound("kind of resource", name);
}

function shown({ kind, id, accountId, listed, body, internal: hidden }: Resource): ShownResource {
  return { kind, id, accountId, listed, body, hidden };
}
