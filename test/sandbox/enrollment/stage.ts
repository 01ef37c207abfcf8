import type { EventName, EventPayloads } from "../../../generated/events.ts";
import { DEFAULT_NETWORKS } from "../../../src/contract/index.ts";
import { accountsOf } from "../../../src/sandbox/accounts.ts";
import type { LoggedEvent } from "../../../src/sandbox/control/control.ts";
import { Engine } from "../../../src/sandbox/engine.ts";
import { enrollmentVerbs } from "../../../src/sandbox/enrollment/verbs.ts";
import { eventsOf, lastEventSeq } from "../../../src/sandbox/event-log.ts";
import { jobHandlers } from "../../../src/sandbox/job-handlers.ts";
import { Jobs } from "../../../src/sandbox/jobs.ts";
import type { Ledger } from "../../../src/sandbox/ledger.ts";
import { Refusal } from "../../../src/sandbox/refusal.ts";
import { Scheduler } from "../../../src/sandbox/scheduler.ts";
import { openDatabase } from "../../../src/sandbox/store/database.ts";
import type { Kind, Resource } from "../../../src/sandbox/store/resources.ts";
import { STATE_TABLES } from "../../../src/sandbox/store/schema.ts";
import type { VerbParams, VerbResults } from "../../../src/sandbox/verbs/params.ts";
import type { Verb } from "../../../src/sandbox/verbs/verb.ts";
import { populate } from "../../../src/sandbox/worlds/index.ts";

/** The verbs of the enrollment side. */
export type EnrollmentVerb = keyof typeof enrollmentVerbs;

/** When every stage begins; nothing moves its clock but the test. */
export const START = "2026-01-05T09:00:00.000Z";

/** A sandbox without its server: two accounts with nothing in them, each event validated. */
export class Stage {
  readonly engine: Engine;
  readonly scheduler: Scheduler;
  readonly accountIds: readonly [string, string];

  constructor(seed = 1) {
    this.engine = new Engine(openDatabase(), {
      networks: DEFAULT_NETWORKS,
      validate: true,
      seed,
      clock: "frozen",
      startMs: Date.parse(START),
    });
    const jobs = new Jobs(this.engine, jobHandlers, (why) => {
      throw new Error(why);
    });
    this.scheduler = new Scheduler(this.engine.clock, [jobs]);
    populate(this.engine, "empty");
    const [first, second] = accountsOf(this.engine.store);
    this.accountIds = [first?.accountId ?? "", second?.accountId ?? ""];
  }

  /** Carries a verb out, with the params that its schema lets through. */
  run<Name extends EnrollmentVerb>(
    verb: Name,
    params = {} as VerbParams[Name],
  ): VerbResults[Name] & { events: LoggedEvent[] } {
    const { engine } = this;
    const { params: schema, run } = enrollmentVerbs[verb] as unknown as Verb<Name>;
    const read = schema.parse(params);
    const after = lastEventSeq(engine.store);
    const result = engine.commit((ledger: Ledger) => run(ledger, read));
    return { ...result, events: eventsOf(engine.store, { after }) };
  }

  /** What a verb is refused with, when nothing may change; undefined where it was carried out. */
  refusal<Name extends EnrollmentVerb>(verb: Name, params?: VerbParams[Name]): Refusal | undefined {
    const before = this.dump();
    try {
      this.run(verb, params);
      return undefined;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (this.dump() !== before) throw new Error(`${verb} was refused and changed something`);
      return error;
    }
  }

  get<K extends Kind>(kind: K, id: string): Resource<K> {
    return this.engine.store.find(kind, id);
  }

  /** The bodies that an account's events of a name had. */
  sent<Name extends EventName>(name: Name, accountId = ""): EventPayloads[Name][] {
    const events = eventsOf(this.engine.store, { name, accountId });
    return events.map(({ body }) => body as EventPayloads[Name]);
  }

  /** All of the state, as text. */
  dump(): string {
    const { store } = this.engine;
    return JSON.stringify(STATE_TABLES.map((table) => store.sql(`SELECT * FROM ${table}`).all()));
  }
}

/** The names of events, in order. */
export const namesOf = (events: readonly LoggedEvent[]) => events.map(({ name }) => name);
