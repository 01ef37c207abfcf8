import { once } from "node:events";
import { memberOf } from "../../src/contract/pointer.ts";
import { reasonOf } from "../../src/errors.ts";
import { assertDuration } from "../../src/options.ts";
import type { Session } from "../check.ts";
import { type Driver, shapeProblems, type Verb, verbs } from "../driver.ts";
import { LiveRun, type LiveRunOptions } from "../run/live-run.ts";
import { unlessSkipped } from "../skip.ts";
import type { Target } from "../target.ts";
import { hasVerbs } from "../verbs/drive.ts";
import { awaitOwed, bindAccounts, driveStep } from "../verbs/drive-step.ts";
import { deliveriesOf } from "../verbs/judge.ts";
import { type Name, namesIn, type Step, sourceOf } from "../verbs/step.ts";
import { applied, bindResult, meaningOf, owedBy } from "../verbs/table.ts";
import { bindCreatedCards, World } from "../verbs/world.ts";
import { deadline } from "../wire/deadline.ts";

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
  const calls = new Map<Verb, TriedVerb>();
  const timed = timedDriver(driver, verbMs, calls);
  const run = await LiveRun.open({ ...target, driver: timed }, { ...others, patienceMs });
  const { session } = run;
  const { capabilities } = session;
  let { deliveries: receives } = capabilities;
  let brokenOff: string | undefined;
  try {
    if (driver.subscribe) {
      const subscription = lastOf(calls, "subscribe");
      receives = subscription.problems.length === 0;
      await add(subscription);
    }
    const world = new World(capabilities);
    const underWay: UnderWay = { session, calls, receives, patienceMs, world, failed: new Map() };
    for (const call of TRIAL_PLAN) {
      const [step] = call;
      const { verb } = step;
      if (!capabilities.verbs.includes(verb)) {
        noteFailure(underWay, step);
        continue;
      }
      if (options.signal?.aborted) break;
      onTrying(verb);
      await add(await tryCall(call, underWay));
    }
  } finally {
    ({ brokenOff } = await run.close());
  }
  const isSubscribed = driver.subscribe && receives;
  if (isSubscribed && driver.unsubscribe) await add(lastOf(calls, "unsubscribe"));
  const missing = verbs.filter((verb) => driver[verb] === undefined);
  const end = brokenOff === undefined ? {} : { brokenOff };
  return { target: run.facts.target, tried, missing, receives, ...end };
}

/** The state of a trial under way. */
interface UnderWay {
  readonly session: Session;
  /** The last call of each verb. */
  readonly calls: ReadonlyMap<Verb, TriedVerb>;
  readonly receives: boolean;
  readonly patienceMs: number;
  readonly world: World;
  /** The verb that failed or is missing, by the names of its step. */
  readonly failed: Map<Name, Verb>;
}

async function tryCall([planned, note]: TrialCall, underWay: UnderWay): Promise<TriedVerb> {
  const { session, calls, receives, world } = underWay;
  if (isPlain(planned)) {
    const { verb } = planned;
    if (verb === "restore" && calls.get("snapshot")?.problems.length !== 0) {
      return { verb, ...NOTHING, untried: "needs a result of snapshot" };
    }
    const params = verb === "settle" ? undefined : { name: "txfeed-driver-check" };
    await unlessSkipped(session.drive(verb, params));
    return lastOf(calls, verb);
  }
  const isMeant = meaningOf(world.model, planned) === "applies";
  const step = isMeant ? planned : withoutCards(planned);
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
  const tried = { ...lastOf(calls, step.verb), ...of };
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

function noteFailure({ failed, world }: UnderWay, step: Step | PlainCall): void {
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

function lastOf(calls: ReadonlyMap<Verb, TriedVerb>, verb: Verb): TriedVerb {
  return calls.get(verb) ?? { verb, ...NOTHING, untried: "the run ended before" };
}

/** A driver whose calls are noted, and end after a timeout. */
function timedDriver(driver: Driver, limitMs: number, calls: Map<Verb, TriedVerb>): Driver {
  const own = driver as Record<Verb, (params: unknown) => unknown>;
  const limit = `it did not resolve within ${limitMs / 1_000} s`;
  const call = async (verb: Verb, params: unknown) => {
    const start = performance.now();
    const note = (problems: readonly string[], fields: readonly string[] = []) => {
      const ms = Math.round(performance.now() - start);
      calls.set(verb, { verb, ms, fields, events: [], problems });
    };
    const { signal, clear } = deadline(limitMs, () => new Error(limit));
    const late = once(signal, "abort").then(() => Promise.reject(signal.reason));
    try {
      const result = await Promise.race([(async () => own[verb](params))(), late]);
      note(shapeProblems(verb, result), Object.keys(Object(result)));
      return result;
    } catch (error) {
      const reason = reasonOf(error).split("\n")[0] ?? "";
      note([reason === limit ? reason : `it rejected: ${reason}`]);
      throw error;
    } finally {
      clear();
    }
  };
  const has = verbs.filter((verb) => typeof driver[verb] === "function");
  return Object.fromEntries(has.map((verb) => [verb, (params: unknown) => call(verb, params)]));
}

/** A call of a verb that no script uses. */
type PlainCall = { readonly verb: "settle" | "snapshot" | "restore" };

/** A call of a trial, and what distinguishes it from other calls of the verb. */
type TrialCall = readonly [step: Step | PlainCall, note?: string];

const PRICE = { amount: 31.19, merchant: "KIOSK MORGENROT" };
const MOVEMENT = { account: "account 1", amount: 47.83, merchant: "LATERNA BOOKS" };
const TWICE = { account: "account 1", amount: 19.43, merchant: "OPTIK LINDQVIST" };
const DEBIT = { account: "account 1", purchase: "purchase 1", ...PRICE };
const LATE = { card: "card 1", posting: "posting 2", amount: 47.83, merchant: "LATERNA BOOKS" };
const ACCOUNTS = [
  { as: "account 1", type: "credit", card: "card 1" },
  { as: "account 2", type: "credit" },
  { as: "account 3", type: "depository" },
] as const;

const OTHER_ACCOUNT = { as: "account 4", type: "depository" } as const;

/** The calls of a trial. Later ones use what earlier ones returned. */
const TRIAL_PLAN: readonly TrialCall[] = [
  [{ verb: "settle" }],
  [{ verb: "enroll", as: "card 1" }],
  [{ verb: "clearSca", card: "card 1" }],
  [{ verb: "startLink", as: "link 1", accounts: ACCOUNTS }],
  [{ verb: "completeLink", link: "link 1", by: "notification" }, "notification"],
  [{ verb: "authorize", as: "purchase 1", card: "card 1", ...PRICE }],
  [{ verb: "enrich", purchase: "purchase 1", message: "authorization" }],
  [{ verb: "postAtBank", as: "posting 1", ...DEBIT }, "the debit of a purchase"],
  [{ verb: "rematch", purchase: "purchase 1" }],
  [{ verb: "clear", purchase: "purchase 1" }],
  [{ verb: "postAtBank", as: "posting 2", ...MOVEMENT }, "a movement without a purchase"],
  [{ verb: "tellLate", as: "purchase 2", ...LATE, confidence: "HIGH" }],
  [{ verb: "removeAtProvider", posting: "posting 2" }],
  [{ verb: "postAtBank", as: "posting 3", ...TWICE }, "a movement"],
  [{ verb: "postAtBank", as: "posting 4", ...TWICE }, "its duplicate"],
  [{ verb: "retireDuplicate", posting: "posting 4" }],
  [{ verb: "enroll", as: "card 2" }, "another card"],
  [{ verb: "clearSca", card: "card 2" }, "another card"],
  [{ verb: "linkCard", card: "card 2", account: "account 3" }],
  [{ verb: "deactivate", card: "card 2" }],
  [{ verb: "upgrade", card: "card of account 2" }],
  [{ verb: "expireConsent", account: "account 3" }],
  [{ verb: "disconnect", account: "account 3" }],
  [{ verb: "recover", account: "account 3" }],
  [{ verb: "submitFeed", as: "feed 1", expectedCardCount: 3 }, "with a count"],
  [{ verb: "acceptFeed", feed: "feed 1" }],
  [{ verb: "submitFeed", as: "feed 2" }, "without a count"],
  [{ verb: "rejectFeed", feed: "feed 2" }],
  [{ verb: "startLink", as: "link 2", accounts: [OTHER_ACCOUNT] }, "for polling"],
  [{ verb: "completeLink", link: "link 2", by: "polling" }, "polling"],
  [{ verb: "advance", seconds: 60 }],
  [{ verb: "snapshot" }],
  [{ verb: "restore" }],
];

function isPlain(step: Step | PlainCall): step is PlainCall {
  return step.verb === "settle" || step.verb === "snapshot" || step.verb === "restore";
}

/** A link shows none of the enrolled cards if an earlier verb failed. */
function withoutCards(step: Step): Step {
  if (step.verb !== "startLink") return step;
  return { ...step, accounts: step.accounts.map(({ card, ...account }) => account) };
}

/** The verb whose result names a resource. */
function producerOf(name: Name): Verb {
  const source = sourceOf(name);
  const isMeant = ([step]: TrialCall) => !isPlain(step) && namesIn(step).gives.includes(source);
  return TRIAL_PLAN.find(isMeant)?.[0].verb as Verb;
}
