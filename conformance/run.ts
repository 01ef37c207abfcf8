import { setTimeout as sleep } from "node:timers/promises";
import { reasonOf, TxfeedError } from "../src/errors.ts";
import type { Check } from "./check.ts";
import { checks as allChecks } from "./checks/index.ts";
import type { Delivery } from "./deliveries/delivery.ts";
import { type Receiver, type Refusals, startReceiver } from "./deliveries/receiver.ts";
import { pathProblem, randomPath } from "./deliveries/receiver-path.ts";
import { type Judgement, type JudgeOptions, judge, type Progress } from "./judge.ts";
import { type Means, meansOf, type Target } from "./means.ts";
import type { Report } from "./reports/report.ts";
import { Session } from "./session.ts";
import type { Evidence } from "./wire/evidence.ts";
import { LiveWire } from "./wire/live-wire.ts";
import { Recorder } from "./wire/recorder.ts";
import { ReplayWire } from "./wire/replay-wire.ts";
import { Vault } from "./wire/vault.ts";

/** How a run goes about it. */
export interface RunOptions extends Pick<JudgeOptions, "only" | "strict"> {
  /** How many requests may be under way at once; 8 unless set. */
  readonly concurrency?: number | undefined;
  /** How long an answer, and deliveries that are owed, are waited for; 10,000 unless set. */
  readonly patienceMs?: number | undefined;
  /**
   * How long the run may take before it is broken off; 600,000 unless set, and what deliveries are
   * collected for.
   */
  readonly limitMs?: number | undefined;
  /** Breaks the run off: it ends with a report of what it saw. */
  readonly signal?: AbortSignal | undefined;
  /** Called when a check is through. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Takes what the run sees, secrets dropped, as it sees it: lines for `judgeEvidence`. */
  readonly onEvidence?: ((entry: Evidence) => void) | undefined;
  /** Called when deliveries can come, with where they are received. */
  readonly onListening?: ((url: string) => void) | undefined;
}

export const DEFAULT_CONCURRENCY = 8;
export const DEFAULT_PATIENCE_MS = 10_000;
export const DEFAULT_LIMIT_MS = 600_000;

/**
 * Runs the checks against a target.
 *
 * @returns Resolves to the report, also where the run was broken off. Rejects with a TxfeedError:
 * `unreachable` where nothing answers, `port-in-use` where it can't receive deliveries, `usage`
 * where no request can be sent there, or a limit is none. What `onEvidence` throws ends the run
 * too.
 */
export async function runConformance(
  target: Target,
  options: RunOptions = {},
  checks: readonly Check[] = allChecks,
): Promise<Report> {
  const { only, strict, onProgress, signal: own } = options;
  const collectMs = (target.webhooks?.collectSeconds ?? 0) * 1_000;
  const limits = limitsOf(options, collectMs);
  const baseUrl = baseAddress(target);
  const start = performance.now();
  const means = meansOf(target);
  const run = { target: baseUrl, startedAt: new Date().toISOString(), means };

  const ending = new AbortController();
  const breakOff = (reason: unknown) => ending.abort(reason);
  const signal = AbortSignal.any(own ? [own, ending.signal] : [ending.signal]);
  const evidence = new Recorder(options.onEvidence, (error) => breakOff(new Unkept(error)));
  const { record } = evidence;
  record({ kind: "run", version: 1, ...run, ...(only && { only }) });

  const vault = new Vault(target);
  const { driver = {} } = target;
  const wire = new LiveWire({
    ...{ baseUrl, vault, driver, record, signal, breakOff },
    ...limits,
  });
  const beforeCompare = async () => {
    const left = collectMs - (performance.now() - start);
    if (left > 0) await sleep(left, undefined, { signal }).catch(() => {});
  };
  const tooLong = new Error(`the run took longer than ${limits.limitMs / 1_000} s`);
  const limit = setTimeout(breakOff, limits.limitMs, tooLong);
  let judgement: Judgement;
  let receiver: Receiver | undefined;
  try {
    if (means.deliveries) {
      const path = receiverPath(target);
      const drop = (text: string) => vault.drop(text);
      const onDelivery = (delivery: Delivery) => wire.receive(delivery);
      const where = target.webhooks ?? LOOPBACK;
      receiver = await startReceiver({ ...where, path, nextNr: wire.nextNr, drop, onDelivery });
      vault.addReceiver(receiver.url);
      options.onListening?.(receiver.url);
      if (driver.subscribe) await wire.subscribe();
    }
    const session = new Session({ baseUrl, means, wire });
    judgement = await judge(checks, session, { only, strict, onProgress, beforeCompare });
    if (!signal.aborted) wire.failWhereNothingAnswers();
  } finally {
    clearTimeout(limit);
    if (receiver && driver.unsubscribe) await wire.unsubscribe();
    await receiver?.stop();
  }
  const { reason } = ending.signal;
  if (reason instanceof TxfeedError) throw reason;
  if (reason instanceof Unkept) throw reason.cause;
  const durationMs = Math.round(performance.now() - start);
  const end = {
    durationMs,
    ...(signal.aborted && { brokenOff: reasonOf(signal.reason) }),
    ...(receiver && hasRefused(receiver.refusals) && { refusals: { ...receiver.refusals } }),
  };
  evidence.end(end);
  return reportOf(run, end, judgement);
}

function receiverPath({ webhooks: { path = randomPath() } = LOOPBACK }: Target): string {
  const problem = pathProblem(path);
  if (problem === undefined) return path;
  throw new TxfeedError("usage", `deliveries can't be received at '${path}': ${problem}`);
}

function hasRefused({ atOtherPaths, tooLarge, whenFull }: Refusals): boolean {
  return atOtherPaths + tooLarge + whenFull > 0;
}

/** What took the evidence threw this. */
class Unkept extends Error {
  constructor(cause: unknown) {
    super("the evidence could not be kept", { cause });
  }
}

function limitsOf(options: RunOptions, collectMs: number) {
  const { concurrency = DEFAULT_CONCURRENCY, patienceMs = DEFAULT_PATIENCE_MS } = options;
  const { limitMs = DEFAULT_LIMIT_MS + collectMs } = options;
  const limits = { concurrency, patienceMs, limitMs };
  for (const [name, value] of Object.entries(limits)) {
    // What Node's timers take.
    if (Number.isInteger(value) && value > 0 && value < 2 ** 31) continue;
    throw new TxfeedError("usage", `${name} takes a whole number above 0, not ${value}`);
  }
  return limits;
}

/** The base address, without a slash at its end. */
function baseAddress({ baseUrl }: Target): string {
  if (!/^https?:$/.test(URL.parse(baseUrl)?.protocol ?? "")) {
    throw new TxfeedError("usage", `'${baseUrl}' is no address of http or https`);
  }
  return baseUrl.replace(/(?<!\/)\/+$/, "");
}

/** Where deliveries are received when the driver can have them sent anywhere. */
const LOOPBACK: NonNullable<Target["webhooks"]> = { host: "127.0.0.1", port: 0 };

/**
 * Judges what an earlier run saw, by the same checks.
 *
 * @param evidence What `onEvidence` was given, in order.
 */
export async function judgeEvidence(
  evidence: Iterable<Evidence>,
  options: Pick<RunOptions, "only" | "strict"> = {},
  checks: readonly Check[] = allChecks,
): Promise<Report> {
  const entries = [...evidence];
  const run = entries.find((entry) => entry.kind === "run");
  if (!run) throw new TypeError("evidence begins with what the run was");
  const end = entries.findLast((entry) => entry.kind === "end");
  const { durationMs = 0, brokenOff = end ? undefined : "the evidence ends early" } = end ?? {};
  const { refusals } = end ?? {};
  const wire = new ReplayWire(entries, brokenOff);
  const session = new Session({ baseUrl: run.target, means: run.means, wire });
  const { only = run.only, strict } = options;
  const judgement = await judge(checks, session, { only, strict });
  const ending = { ...(brokenOff !== undefined && { brokenOff }), ...(refusals && { refusals }) };
  return reportOf(run, { durationMs, ...ending }, judgement);
}

function reportOf(
  run: { readonly target: string; readonly startedAt: string; readonly means: Means },
  end: Pick<Report, "durationMs" | "brokenOff" | "refusals">,
  judgement: Judgement,
): Report {
  const { target, startedAt, means } = run;
  return { target, profile: means.profile, startedAt, ...end, ...judgement };
}
