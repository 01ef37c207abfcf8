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
  LiveRun,
  type LiveRunOptions,
  noteActivity,
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
  const activity = { steps: 0, deliveries: 0 };
  for (const entry of entries) noteActivity(activity, entry);
  const ending = {
    ...(brokenOff !== undefined && { brokenOff }),
    ...(refusals && { refusals }),
  };
  return reportOf(run, { durationMs, ...ending, activity }, results);
}

function onlySkips(error: unknown): void {
  if (!(error instanceof Skip)) throw error;
}

function reportOf(
  { target, startedAt, means }: RunFacts,
  { activity, ...end }: RunEnd,
  results: CheckResults,
): Report {
  const isActive = means.deliveries && { activity };
  return { target, profile: means.profile, startedAt, ...end, ...isActive, ...results };
}

const MISSING = "the evidence does not contain it";

/** An entry that answers a request, a verb or a question for deliveries. */
type Answer = Entry<"exchange" | "unsent" | "mark" | "verb">;

/** Returns recorded responses, deliveries and results in the order of the evidence. */
class ReplayTransport implements Transport {
  /** The answers with their index in the evidence, by what they answer. */
  readonly #answers: ReadonlyMap<string, { readonly at: number; readonly entry: Answer }[]>;
  readonly #deliveries: readonly Delivery[];
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
    const answers = evidence.flatMap((entry, at) => ("scope" in entry ? [{ at, entry }] : []));
    // Identical requests get their responses in the order in which they were sent.
    const nrOf = (entry: Answer) => ("nr" in entry ? entry.nr : 0);
    const sorted = answers.toSorted((one, other) => nrOf(one.entry) - nrOf(other.entry));
    this.#answers = Map.groupBy(sorted, ({ entry }) => keyOf(entry));
    this.#deliveries = evidence.flatMap((entry) => {
      if (entry.kind !== "delivery") return [];
      const { kind, ...delivery } = entry;
      const json = parseJson(delivery.request.body);
      return [{ ...delivery, ...(json !== undefined && { json }) }];
    });
    const subscription = evidence
      .filter((entry) => entry.kind === "verb")
      .findLast(({ scope, verb }) => scope === RUN_SCOPE && verb === "subscribe");
    this.#undelivered = subscription && skipOf(subscription)?.reason;
  }

  async send(scope: string, request: RecordedRequest): Promise<Exchange> {
    const entry = await this.#take<"exchange" | "unsent">({ kind: "exchange", scope, request });
    if (entry.kind === "unsent") throw new Aborted(entry.reason);
    const { kind, scope: _, ...exchange } = entry;
    return withParsed(exchange);
  }

  async deliveries(scope: string): Promise<readonly Delivery[]> {
    if (this.#undelivered !== undefined) throw new Skip(this.#undelivered);
    const { deliveries } = await this.#take<"mark">({ kind: "mark", scope });
    return this.#deliveries.slice(0, deliveries);
  }

  async drive<V extends Verb>(scope: string, verb: V, params: VerbParams<V>) {
    const done = await this.#take<"verb">({ kind: "verb", scope, verb, params });
    const skipped = skipOf(done);
    if (skipped) throw skipped;
    return done.result as VerbResult<V>;
  }

  /** Returns the next answer. Waiting calls with earlier answers return first. */
  async #take<Kind extends Answer["kind"]>(asked: Asked): Promise<Entry<Kind>> {
    const recorded = this.#answers.get(keyOf(asked))?.shift();
    await this.#turns.take(recorded?.at ?? Number.POSITIVE_INFINITY);
    if (recorded) return recorded.entry as Entry<Kind>;
    this.#onMissing();
    throw new Aborted(this.#missing);
  }
}

/** What an entry answers. */
type Asked =
  | Pick<Entry<"exchange" | "unsent">, "kind" | "scope" | "request">
  | Pick<Entry<"mark">, "kind" | "scope">
  | Pick<Entry<"verb">, "kind" | "scope" | "verb" | "params">;

/** Identifies what is asked by scope and content: several requests may be in progress at once. */
function keyOf(asked: Asked): string {
  const { kind, scope } = asked;
  if (kind === "mark") return JSON.stringify([kind, scope]);
  if (kind === "verb") return JSON.stringify([kind, scope, asked.verb, asked.params]);
  const { method, url, headers, body } = asked.request;
  return JSON.stringify([scope, method, url, Object.entries(headers).sort(), body]);
}

function withParsed(exchange: Exchange): Exchange {
  const { response } = exchange;
  // Do not parse a truncated body: its beginning could be valid JSON.
  if (!response || response.cut !== undefined) return exchange;
  const json = parseJson(response.body);
  return { ...exchange, response: { ...response, ...(json !== undefined && { json }) } };
}
