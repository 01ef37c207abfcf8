import { reasonOf } from "../../src/errors.ts";
import { assertDuration } from "../../src/options.ts";
import type { Session } from "../check.ts";
import { type Driver, type Verb, verbs } from "../driver.ts";
import { findEvents } from "../observe/deliveries/find.ts";
import { LiveRun, type LiveRunOptions } from "../run/live-run.ts";
import { Skip } from "../skip.ts";
import type { Target } from "../target.ts";
import { deliveriesSince, shapeProblems } from "../verbs/drive.ts";
import type { Delivery } from "../wire/exchange.ts";
import { type Known, type Owed, PRODUCERS, TRIAL_PLAN, type TrialStep } from "./trial-plan.ts";

/** What a call of a verb showed. */
export interface TriedVerb {
  readonly verb: Verb;
  /** Distinguishes it from other calls of the verb. */
  readonly note?: string;
  /** How long the verb took; omitted if it was not called. */
  readonly ms?: number;
  /** The names of the result's fields. */
  readonly fields: readonly string[];
  /** The names of the events that were delivered, each once. */
  readonly events: readonly string[];
  /** What is wrong; empty if the verb works. */
  readonly problems: readonly string[];
  /** Why it was not called. */
  readonly untried?: string;
}

/** The result of trying a driver. */
export interface Trial {
  readonly target: string;
  readonly tried: readonly TriedVerb[];
  /** The verbs that the driver lacks. */
  readonly missing: readonly Verb[];
  /** Whether events could be received. */
  readonly receives: boolean;
  /** Why the trial stopped early. */
  readonly brokenOff?: string;
}

/** Options of a trial. */
export interface TrialOptions extends Pick<LiveRunOptions, "signal" | "onListening"> {
  /** Timeout of a response and for deliveries, in milliseconds; default: 10,000. */
  readonly patienceMs?: number;
  /** Timeout of a verb, in milliseconds; default: 30,000. */
  readonly verbMs?: number;
  /** Called before each verb, after the subscription. */
  readonly onTrying?: (verb: Verb) => void;
  /** Called after each verb. */
  readonly onTried?: (tried: TriedVerb) => Promise<void> | void;
}

/** The state of a trial under way. */
interface UnderWay {
  readonly session: Session;
  readonly timed: TimedDriver;
  readonly receives: boolean;
  readonly patienceMs: number;
  readonly known: Known;
}

/**
 * Calls each verb of a driver, in an order in which later verbs can use what earlier ones returned.
 *
 * @returns Resolves also if verbs reject, never resolve or return anything.
 * @throws {TxfeedError} `unreachable` if the target can't be reached, `port-in-use` if it can't
 * receive deliveries, `usage` if the target is invalid.
 */
export async function tryDriver(target: Target, options: TrialOptions = {}): Promise<Trial> {
  const {
    patienceMs = 10_000,
    verbMs = 30_000,
    onTrying = () => {},
    onTried = () => {},
    ...others
  } = options;
  assertDuration("verbMs", verbMs);
  const { driver = {} } = target;
  const tried: TriedVerb[] = [];
  const add = async (one: TriedVerb) => {
    tried.push(one);
    await onTried(one);
  };
  const timed = new TimedDriver(driver, verbMs);
  const run = await LiveRun.open({ ...target, driver: timed.driver }, { ...others, patienceMs });
  const { session } = run;
  const { capabilities } = session;
  let { deliveries: receives } = capabilities;
  let brokenOff: string | undefined;
  try {
    if (driver.subscribe) {
      const subscription = timed.lastCallOf("subscribe");
      receives = subscription.problems.length === 0;
      await add(subscription);
    }
    const underWay = { session, timed, receives, patienceMs, known: {} };
    for (const step of TRIAL_PLAN.filter(({ verb }) => capabilities.verbs.includes(verb))) {
      if (options.signal?.aborted) break;
      onTrying(step.verb);
      await add(await tryStep(step, underWay));
    }
  } finally {
    ({ brokenOff } = await run.close());
  }
  if (driver.subscribe && driver.unsubscribe && receives)
    await add(timed.lastCallOf("unsubscribe"));
  const missing = verbs.filter((verb) => driver[verb] === undefined);
  const end = brokenOff === undefined ? {} : { brokenOff };
  return { target: run.facts.target, tried, missing, receives, ...end };
}

async function tryStep(step: TrialStep, underWay: UnderWay): Promise<TriedVerb> {
  const { session, timed, receives, patienceMs } = underWay;
  const { verb, note, needs = [], params, owes, shows, learn } = step;
  const known = underWay.known as Required<Known>;
  const of = note ? { note } : {};
  const lacking = needs.find((name) => known[name] === undefined);
  if (lacking !== undefined) {
    const untried = `needs a result of ${PRODUCERS[lacking]}`;
    return { verb, ...of, fields: [], events: [], problems: [], untried };
  }
  const since = receives ? (await session.deliveries()).length : 0;
  const result = await session.drive(verb, params(known)).catch(ignoreSkip);
  const call = { ...timed.lastCallOf(verb), ...of };
  if (call.problems.length > 0) return call;
  const due = owes?.(result as never, known) ?? [];
  const isMissing = (deliveries: readonly Delivery[]) => (event: Owed) =>
    findEvents(deliveries, event.name, event.values).length === 0;
  const deliveries = receives
    ? await deliveriesSince(session, since, (all) => !due.some(isMissing(all))).catch(ignoreSkip)
    : undefined;
  learnFrom(underWay.known, learn?.(result as never, known, deliveries ?? []));
  const late = deliveries ? due.filter(isMissing(deliveries)) : [];
  const within = session.capabilities.verbs.includes("settle")
    ? "until the target had settled"
    : `within ${patienceMs / 1_000} s`;
  return {
    ...call,
    events: [...new Set(deliveries?.map(({ name }) => name ?? "a delivery without a name"))],
    problems: [
      ...late.map((event) => `no ${describeOwed(event)} ${within}`),
      ...(await unresolved(session, shows?.(result as never) ?? [])),
    ],
  };
}

function learnFrom(known: Known, more: Known = {}): void {
  Object.assign(known, more);
}

function describeOwed({ name, values }: Owed): string {
  const [value] = Object.values(values);
  return value === undefined ? name : `${name} of ${value}`;
}

/** The resources that the API does not have. */
async function unresolved(session: Session, links: readonly string[]): Promise<string[]> {
  const found = await Promise.all(
    links.map(async (link) => {
      const exchange = await session.follow(link).catch(ignoreSkip);
      const status = exchange?.response?.status;
      if (status === 200) return [];
      return [`GET ${link} returned ${status ?? "nothing"}: the id must be that of the interface`];
    }),
  );
  return found.flat();
}

function ignoreSkip(error: unknown): undefined {
  if (!(error instanceof Skip)) throw error;
}

/** A driver whose calls are timed, and end after a timeout. */
class TimedDriver {
  readonly driver: Driver;
  readonly #calls = new Map<Verb, TriedVerb>();

  constructor(driver: Driver, limitMs: number) {
    const timed = verbs
      .filter((verb) => typeof driver[verb] === "function")
      .map((verb) => [verb, (params: unknown) => this.#call(driver, verb, params, limitMs)]);
    this.driver = Object.fromEntries(timed);
  }

  /** The last call of a verb. */
  lastCallOf(verb: Verb): TriedVerb {
    const untried = "the run ended before";
    return this.#calls.get(verb) ?? { verb, fields: [], events: [], problems: [], untried };
  }

  async #call(driver: Driver, verb: Verb, params: unknown, limitMs: number): Promise<unknown> {
    const start = performance.now();
    const note = (problems: readonly string[], fields: readonly string[] = []) => {
      const ms = Math.round(performance.now() - start);
      this.#calls.set(verb, { verb, ms, fields, events: [], problems });
    };
    const own = driver as Record<Verb, (params: unknown) => unknown>;
    const { promise: timeout, reject } = Promise.withResolvers<never>();
    const limit = `it did not resolve within ${limitMs / 1_000} s`;
    const timer = setTimeout(() => reject(new Error(limit)), limitMs);
    try {
      const result = await Promise.race([own[verb](params), timeout]);
      const isObject = typeof result === "object" && result !== null;
      note(shapeProblems(verb, result), isObject ? Object.keys(result) : []);
      return result;
    } catch (error) {
      const reason = reasonOf(error).split("\n")[0] ?? "";
      note([reason === limit ? reason : `it rejected: ${reason}`]);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }
}
