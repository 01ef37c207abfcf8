import { type Check, Session } from "../check.ts";
import { checks as allChecks } from "../checks/index.ts";
import type { Verb, VerbParams, VerbResult } from "../driver.ts";
import type { Report } from "../report/report.ts";
import { Aborted, Skip } from "../skip.ts";
import type { Target } from "../target.ts";
import { type Entry, type Evidence, FairQueue, RUN_SCOPE, skipOf } from "../wire/evidence.ts";
import {
  type Delivery,
  type Exchange,
  parseJson,
  type RecordedRequest,
  type Transport,
} from "../wire/exchange.ts";
import { refuseCredentials } from "../wire/tokens.ts";
import {
  ActivityCounter,
  LiveRun,
  type LiveRunOptions,
  type RunEnd,
  type RunFacts,
} from "./live-run.ts";
import { type CheckResults, type CheckRunOptions, runChecks } from "./run-checks.ts";
import { onlyOption } from "./usage.ts";

/** Options of a run. */
export interface RunOptions
  extends LiveRunOptions,
    Pick<CheckRunOptions, "only" | "strict" | "onProgress"> {}

/**
 * Runs the checks against a target.
 *
 * @returns Resolves to the report, also if the run was broken off.
 * @throws {TxfeedError} `unreachable` if the target can't be reached, `refused-credentials` if it
 * refuses the credentials, `port-in-use` if the run can't receive deliveries, `usage` if the target
 * or an option is invalid. What `onEvidence` throws ends the run too.
 */
export async function runConformance(
  target: Target,
  options: RunOptions = {},
  checks: readonly Check[] = allChecks,
): Promise<Report> {
  const only = onlyOption(options.only);
  const run = await LiveRun.open(target, options, only);
  let end: RunEnd;
  let results: CheckResults;
  try {
    const beforeCompare = () => run.collect();
    results = await runChecks(checks, run.session, { ...options, only, beforeCompare });
  } finally {
    end = await run.close();
  }
  return reportOf(run.facts, end, results);
}

/** Options of a replay. */
interface ReplayOptions extends Pick<RunOptions, "only" | "strict" | "onProgress"> {
  /** Called when a check asks for something that the evidence does not contain. */
  readonly onMissing?: (() => void) | undefined;
}

/**
 * Runs the checks on the evidence of an earlier run.
 *
 * @param evidence The entries that `onEvidence` received, in order.
 * @throws {TxfeedError} `refused-credentials` if the run ended with this error.
 */
export async function replayEvidence(
  evidence: Iterable<Evidence>,
  options: ReplayOptions = {},
  checks: readonly Check[] = allChecks,
): Promise<Report> {
  const selected = onlyOption(options.only);
  const entries = [...evidence];
  const run = entries.find((entry) => entry.kind === "run");
  if (!run) throw new TypeError('evidence must start with an entry of kind "run"');
  const end = entries.findLast((entry) => entry.kind === "end");
  const { durationMs = 0, brokenOff = end ? undefined : "the evidence is incomplete" } = end ?? {};
  const { refusals } = end ?? {};
  const transport = new ReplayTransport(entries, brokenOff, options.onMissing);
  const session = new Session({ baseUrl: run.target, capabilities: run.means, transport });
  // As a live run does, which then has no verdicts.
  await session.tokenExchange().then(refuseCredentials, onlySkips);
  const { strict, onProgress } = options;
  const only = selected ?? run.only;
  const results = await runChecks(checks, session, { only, strict, onProgress });
  const counter = new ActivityCounter();
  for (const entry of entries) counter.note(entry);
  const activity = counter.result();
  const ending = {
    ...(brokenOff !== undefined && { brokenOff }),
    ...(refusals && { refusals }),
    ...(activity && { activity }),
  };
  return reportOf(run, { durationMs, ...ending }, results);
}

function onlySkips(error: unknown): void {
  if (!(error instanceof Skip)) throw error;
}

function reportOf(run: RunFacts, end: RunEnd, results: CheckResults): Report {
  const { target, startedAt, means } = run;
  return { target, profile: means.profile, startedAt, ...end, ...results };
}

const MISSING = "the evidence does not contain it";

/** An entry and its index in the evidence. Entries are returned in this order. */
interface Recorded<T> {
  readonly at: number;
  readonly entry: T;
}

/** Returns recorded responses, deliveries and results in the order of the evidence. */
class ReplayTransport implements Transport {
  readonly #requests = new Queues<Entry<"exchange" | "unsent">>();
  readonly #marks = new Queues<Entry<"mark">>();
  readonly #verbs = new Queues<Entry<"verb">>();
  readonly #deliveries: Delivery[] = [];
  readonly #turns = new FairQueue();
  readonly #missing: string;
  readonly #onMissing: () => void;
  readonly #undelivered: string | undefined;

  /**
   * @param missing The skip reason for requests that are not in the evidence.
   */
  constructor(evidence: readonly Evidence[], missing = MISSING, onMissing = () => {}) {
    this.#missing = missing;
    this.#onMissing = onMissing;
    const sent: Recorded<Entry<"exchange" | "unsent">>[] = [];
    let subscription: Entry<"verb"> | undefined;
    for (const [at, entry] of evidence.entries()) {
      if (entry.kind === "exchange" || entry.kind === "unsent") sent.push({ at, entry });
      else if (entry.kind === "mark") this.#marks.add(entry.scope, { at, entry });
      else if (entry.kind === "verb") {
        if (entry.scope === RUN_SCOPE && entry.verb === "subscribe") subscription = entry;
        this.#verbs.add(keyOfVerb(entry.scope, entry.verb, entry.params), { at, entry });
      } else if (entry.kind === "delivery") {
        const { kind, ...delivery } = entry;
        const json = parseJson(delivery.request.body);
        this.#deliveries.push({ ...delivery, ...(json !== undefined && { json }) });
      }
    }
    // Identical requests get their responses in the order in which they were sent.
    for (const { at, entry } of sent.sort((a, b) => a.entry.nr - b.entry.nr)) {
      this.#requests.add(keyOf(entry.scope, entry.request), { at, entry });
    }
    this.#undelivered = subscription && skipOf(subscription)?.reason;
  }

  async send(scope: string, request: RecordedRequest): Promise<Exchange> {
    const entry = await this.#take(this.#requests, keyOf(scope, request));
    if (entry.kind === "unsent") throw new Aborted(entry.reason);
    const { kind, scope: _, ...exchange } = entry;
    return withParsed(exchange);
  }

  async deliveries(scope: string): Promise<readonly Delivery[]> {
    if (this.#undelivered !== undefined) throw new Skip(this.#undelivered);
    const { deliveries } = await this.#take(this.#marks, scope);
    return this.#deliveries.slice(0, deliveries);
  }

  async drive<V extends Verb>(scope: string, verb: V, params: VerbParams<V>) {
    const done = await this.#take(this.#verbs, keyOfVerb(scope, verb, params));
    const skipped = skipOf(done);
    if (skipped) throw skipped;
    return done.result as VerbResult<V>;
  }

  /** Returns the next entry of a key. Waiting calls with earlier entries return first. */
  async #take<T>(queues: Queues<T>, key: string): Promise<T> {
    const recorded = queues.take(key);
    await this.#turns.take(recorded?.at ?? Number.POSITIVE_INFINITY);
    if (recorded) return recorded.entry;
    this.#onMissing();
    throw new Aborted(this.#missing);
  }
}

/** Identifies a request by scope and content, because several may be in progress at once. */
function keyOf(scope: string, { method, url, headers, body = "" }: RecordedRequest): string {
  return [scope, method, url, JSON.stringify(Object.entries(headers).sort()), body].join("\n");
}

function keyOfVerb(scope: string, verb: Verb, params: unknown): string {
  return `${scope} ${verb} ${JSON.stringify(params)}`;
}

function withParsed(exchange: Exchange): Exchange {
  const { response } = exchange;
  // Do not parse a truncated body: its beginning could be valid JSON.
  if (!response || response.cut !== undefined) return exchange;
  const json = parseJson(response.body);
  return { ...exchange, response: { ...response, ...(json !== undefined && { json }) } };
}

/** Queues by key. */
class Queues<T> {
  readonly #queues = new Map<string, Recorded<T>[]>();

  add(key: string, recorded: Recorded<T>): void {
    const queue = this.#queues.get(key);
    if (queue) queue.push(recorded);
    else this.#queues.set(key, [recorded]);
  }

  take(key: string): Recorded<T> | undefined {
    return this.#queues.get(key)?.shift();
  }
}
