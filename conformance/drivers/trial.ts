import { memberOf } from "../../src/contract/pointer.ts";
import { reasonOf } from "../../src/errors.ts";
import { assertDuration } from "../../src/options.ts";
import type { Session } from "../check.ts";
import { type Driver, type Verb, verbs } from "../driver.ts";
import { LiveRun, type LiveRunOptions } from "../run/live-run.ts";
import { unlessSkipped } from "../skip.ts";
import type { Target } from "../target.ts";
import { hasVerbs, shapeProblems } from "../verbs/drive.ts";
import { awaitOwed, bindAccounts, driveStep } from "../verbs/drive-step.ts";
import { deliveriesOf } from "../verbs/judge.ts";
import { type Name, namesIn, type Step, sourceOf } from "../verbs/step.ts";
import { applied, bindResult, meaningOf, owedBy } from "../verbs/table.ts";
import { bindCreatedCards, World } from "../verbs/world.ts";
import { isPlain, paramsOf, producerOf, TRIAL_PLAN, type TrialCall } from "./trial-plan.ts";

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

const NOTHING = { fields: [], events: [], problems: [] };

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
    const world = new World(capabilities);
    const underWay: UnderWay = { session, timed, receives, patienceMs, world, failed: new Map() };
    for (const call of TRIAL_PLAN) {
      const { verb } = call.step;
      if (!capabilities.verbs.includes(verb)) {
        noteFailure(underWay, call.step);
        continue;
      }
      if (options.signal?.aborted) break;
      onTrying(verb);
      await add(await tryCall(call, underWay));
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

/** The state of a trial under way. */
interface UnderWay {
  readonly session: Session;
  readonly timed: TimedDriver;
  readonly receives: boolean;
  readonly patienceMs: number;
  readonly world: World;
  /** The verb that failed or is missing, by the names of its step. */
  readonly failed: Map<Name, Verb>;
}

async function tryCall(call: TrialCall, underWay: UnderWay): Promise<TriedVerb> {
  const { session, timed, receives, world } = underWay;
  if (isPlain(call.step)) {
    const { verb } = call.step;
    if (call.needs !== undefined && !timed.hasWorked(call.needs)) {
      return { verb, ...NOTHING, untried: `needs a result of ${call.needs}` };
    }
    await unlessSkipped(session.drive(verb, paramsOf(call.step)));
    return timed.lastCallOf(verb);
  }
  const { note, instead = call.step } = call;
  const step = meaningOf(world.model, call.step) === "applies" ? call.step : instead;
  const of = { verb: step.verb, ...(note !== undefined && { note }) };
  const { uses } = namesIn(step);
  const unbound = uses.filter((name) => !world.ids.has(name));
  if (unbound.length > 0 || meaningOf(world.model, step) !== "applies") {
    const causes = (unbound.length > 0 ? unbound : uses).map(sourceOf);
    const failed = causes.flatMap((name) => underWay.failed.get(name) ?? [])[0];
    const producer = failed ?? producerOf(causes[0] as Name);
    return { ...of, ...NOTHING, untried: `needs a result of ${producer}` };
  }
  if (receives) world.heard = await session.deliveries();
  const result = await unlessSkipped(driveStep(session, world, step, "applies"));
  const tried = { ...timed.lastCallOf(step.verb), ...of };
  if (tried.problems.length > 0) {
    noteFailure(underWay, step);
    return tried;
  }
  bindResult(world, step, result);
  const heard = receives ? await unlessSkipped(hear(underWay, step, result)) : undefined;
  world.model = applied(world.model, step);
  const unresolved = await unresolvedIn(session, result);
  return {
    ...tried,
    events: heard?.events ?? [],
    problems: [...(heard?.late ?? []), ...unresolved],
  };
}

function noteFailure({ failed, world }: UnderWay, step: TrialCall["step"]): void {
  if (isPlain(step)) return;
  const { uses, gives } = namesIn(step);
  // If a resource does not exist, the verb that creates it is the cause.
  const existing = uses.filter((name) => world.ids.has(name));
  for (const name of [...existing, ...gives]) failed.set(name, step.verb);
}

/** The events that a step caused, and the problems with those that it owes. */
async function hear({ session, world, patienceMs }: UnderWay, step: Step, result: unknown) {
  const since = world.heard.length;
  const owed = owedBy(world, step, result);
  const { all } = await awaitOwed(session, world, step, {
    ...{ since, owed, isQuiet: false, isForbidding: false, judging: "effects" },
  });
  const deliveries = all.slice(since);
  world.take(deliveries);
  world.heard = all;
  if (step.verb === "completeLink") await bindAccounts(session, world, step, "effects");
  bindCreatedCards(world);
  const within = hasVerbs(session, "settle")
    ? "until the target had settled"
    : `within ${patienceMs / 1_000} s`;
  const late = owed.filter((one) => {
    return deliveriesOf(one, deliveries).length === 0 && one.unless?.() === undefined;
  });
  return {
    events: [...new Set(deliveries.map(({ name }) => name || "a delivery without a name"))],
    late: late.map(({ what }) => `no ${what} ${within}`),
  };
}

/** Where the API has the resources that results name. */
const PATHS: Readonly<Record<string, string>> = {
  subscriptionId: "/card-subscriptions",
  subscriptionIds: "/card-subscriptions",
  cardId: "/cards",
  bankAccountIds: "/bank-accounts",
  transactionId: "/transactions",
  messageId: "/transaction-messages",
  feedId: "/network-bulk-feeds",
};

/** The resources of a result that the API does not have. */
async function unresolvedIn(session: Session, result: unknown): Promise<string[]> {
  const links = Object.entries(PATHS).flatMap(([name, path]) =>
    [memberOf(result, name) ?? []].flat().map((id) => `${path}/${id}`),
  );
  const found = await Promise.all(
    links.map(async (link) => {
      const exchange = await unlessSkipped(session.follow(link));
      const status = exchange?.response?.status;
      if (status === 200) return [];
      return [`GET ${link} returned ${status ?? "nothing"}: the id must be that of the interface`];
    }),
  );
  return found.flat();
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
    return this.#calls.get(verb) ?? { verb, ...NOTHING, untried: "the run ended before" };
  }

  hasWorked(verb: Verb): boolean {
    return this.#calls.get(verb)?.problems.length === 0;
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
