import type { EventName, EventPayloads } from "../../generated/events.ts";
import { openAccount } from "./accounts.ts";
import { durationMs } from "./duration.ts";
import { jobHandlers } from "./job-handlers.ts";
import { type CallResult, type Playable, type ReadyCall, readyCalls } from "./script.ts";
import type { VerbName, VerbParams, VerbResults } from "./types.ts";
import type { UnitOfWork } from "./unit-of-work.ts";
import { runVerb } from "./verbs/index.ts";

/** An event that a world sent. */
export interface SentEvent<Name extends EventName = EventName> {
  /** Milliseconds since 1970. */
  readonly atMs: number;
  readonly name: Name;
  readonly body: EventPayloads[Name];
}

/** Default parameters of verbs. Those of a script win. */
export type VerbDefaults = { readonly [Name in VerbName]?: VerbParams[Name] };

interface WorldOptions {
  /** The start of its clock, in milliseconds since 1970. */
  readonly startMs: number;
  /** Default: a new account. */
  readonly accountId?: string | undefined;
  readonly defaults?: VerbDefaults | undefined;
  /** Whether jobs run when they are due. Default: true. */
  readonly runsJobs?: boolean | undefined;
}

/** An account and a clock of its own, for scripts. */
export class World {
  readonly #work: UnitOfWork;
  readonly #accountId: string;
  readonly #defaults: VerbDefaults;
  readonly #runsJobs: boolean;
  #nowMs: number;

  constructor(work: UnitOfWork, { startMs, accountId, defaults, runsJobs }: WorldOptions) {
    this.#work = work;
    this.#nowMs = startMs;
    this.#defaults = defaults ?? {};
    this.#runsJobs = runsJobs ?? true;
    work.turnTo(startMs);
    this.#accountId = accountId ?? openAccount(work);
  }

  /** Runs a verb. If it is refused, nothing has changed. */
  run<Name extends VerbName>(verb: Name, params: VerbParams[Name]): VerbResults[Name] {
    this.#work.turnTo(this.#nowMs);
    const accountId = this.#accountId;
    const given = { accountId, ...this.#defaults[verb], ...params } as VerbParams[Name];
    const { random, store } = this.#work;
    const { drawn } = random;
    try {
      return store.atomic(() => runVerb(this.#work, verb, given));
    } catch (error) {
      random.drawn = drawn;
      throw error;
    }
  }

  /** Advances the clock by a duration such as `3d`. */
  advance(by: string): void {
    const { store } = this.#work;
    const endMs = this.#nowMs + durationMs(by);
    for (;;) {
      const dueMs = this.#runsJobs ? store.nextDueMs() : undefined;
      if (dueMs === undefined || dueMs > endMs) break;
      this.#nowMs = Math.max(this.#nowMs, dueMs);
      this.#work.turnTo(this.#nowMs);
      const job = store.dueJob(this.#nowMs);
      if (!job) break;
      store.removeJob(job.seq);
      jobHandlers[job.name](this.#work, job.subject);
    }
    this.#nowMs = endMs;
  }

  /**
   * Plays a script.
   *
   * @param gap the time between steps, such as `1h`
   * @returns the events that it sent
   */
  play({ steps }: Playable, gap: string): SentEvent[] {
    const { settings, store } = this.#work;
    const results = new Map<string, CallResult>();
    const after = store.lastEvent();
    for (const step of steps) {
      const calls = readyCalls(step.calls, results, settings.networks);
      let turn = calls.next();
      while (!turn.done) turn = calls.next(this.#carryOut(turn.value));
      this.advance(gap);
    }
    return this.#sent(after);
  }

  #carryOut(call: ReadyCall): CallResult {
    const after = this.#work.store.lastEvent();
    const result = "verb" in call ? this.run(call.verb, call.params) : {};
    if ("advance" in call) this.advance(call.advance);
    return { result, events: this.#sent(after) };
  }

  /** The events after a number of the log. */
  #sent(after: number): SentEvent[] {
    const events = this.#work.store.eventsAfter(after);
    return events.map(
      ({ atMs, name, body }) => ({ atMs, name, body: JSON.parse(body) }) as SentEvent,
    );
  }
}
