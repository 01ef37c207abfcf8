import type { VerbName, VerbParams, VerbResults } from "../../generated/control-types.ts";
import type { EventName, EventPayloads } from "../../generated/events.ts";
import { openAccount } from "./accounts.ts";
import { durationMs } from "./duration.ts";
import { jobHandlers } from "./job-handlers.ts";
import type { Random } from "./random.ts";
import { type Outcome, resolved, type Script } from "./script.ts";
import type { Store } from "./store.ts";
import { type EmittedEvent, UnitOfWork, type WorldSettings } from "./unit-of-work.ts";
import { verbs } from "./verbs/index.ts";

/** An event that a world sent. */
export interface SentEvent<Name extends EventName = EventName> {
  /** Milliseconds since 1970. */
  readonly atMs: number;
  readonly name: Name;
  readonly body: EventPayloads[Name];
}

/** Default parameters of verbs. Those of a script win. */
export type VerbDefaults = { readonly [Name in VerbName]?: VerbParams[Name] };

/** Plays scripts with one account and a clock of its own. */
export class World {
  readonly #store: Store;
  readonly #work: UnitOfWork;
  readonly #defaults: VerbDefaults;
  readonly #events: EmittedEvent[] = [];
  #nowMs: number;

  /** @param store an empty store */
  constructor(
    store: Store,
    random: Random,
    settings: WorldSettings & { readonly startMs: number; readonly defaults?: VerbDefaults },
  ) {
    this.#nowMs = settings.startMs;
    this.#defaults = settings.defaults ?? {};
    this.#store = store;
    this.#work = new UnitOfWork(store, settings, {
      random,
      clock: { now: () => this.#nowMs },
      onEvent: (event) => this.#events.push(event),
    });
    this.#work.begin();
    openAccount(this.#work);
  }

  /** Runs a verb. */
  run<Name extends VerbName>(verb: Name, params: VerbParams[Name]): VerbResults[Name] {
    this.#work.begin();
    const given = { ...this.#defaults[verb], ...params } as VerbParams[Name];
    return verbs[verb](this.#work, given);
  }

  /** Advances the clock, and runs the jobs that are due meanwhile. */
  advance(byMs: number): void {
    const endMs = this.#nowMs + byMs;
    for (let dueMs = this.#store.nextDueMs(); dueMs !== undefined && dueMs <= endMs; ) {
      this.#nowMs = Math.max(this.#nowMs, dueMs);
      this.#work.begin();
      const job = this.#store.dueJob(this.#nowMs);
      if (job) {
        this.#store.removeJob(job.seq);
        jobHandlers[job.name](this.#work, job.subject);
      }
      dueMs = this.#store.nextDueMs();
    }
    this.#nowMs = endMs;
  }

  /**
   * Plays a script.
   *
   * @param gap the time between steps, such as `1h`
   * @returns the events that it sent
   */
  play({ steps }: Script, gap: string): SentEvent[] {
    const outcomes = new Map<string, Outcome>();
    const after = this.#events.length;
    for (const { calls } of steps) {
      for (const call of calls) {
        if ("advance" in call) {
          this.advance(durationMs(call.advance));
          continue;
        }
        const before = this.#events.length;
        const { networks } = this.#work.settings;
        const params = resolved(call.params ?? {}, outcomes, networks);
        const result = this.run(call.verb, params as never);
        if (call.as) outcomes.set(call.as, { result, events: this.#sent(before) });
      }
      this.advance(durationMs(gap));
    }
    return this.#sent(after);
  }

  /** The events after a number of others. */
  #sent(after: number): SentEvent[] {
    return this.#events
      .slice(after)
      .map(({ atMs, name, body }) => ({ atMs, name, body: JSON.parse(body) }) as SentEvent);
  }
}
