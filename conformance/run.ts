import { setTimeout as sleep } from "node:timers/promises";
import { reasonOf } from "../src/errors.ts";
import type { Check } from "./check.ts";
import { checks as allChecks } from "./checks/index.ts";
import { Inbox } from "./deliveries/inbox.ts";
import { type Receiver, startReceiver } from "./deliveries/receiver.ts";
import { type JudgeOptions, judge, type Progress } from "./judge.ts";
import { type Means, meansOf, type Target } from "./means.ts";
import type { Report } from "./reports/report.ts";
import { Session } from "./session.ts";
import type { Evidence } from "./wire/evidence.ts";
import { LiveWire } from "./wire/live-wire.ts";
import { ReplayWire } from "./wire/replay-wire.ts";
import { Vault } from "./wire/vault.ts";

/** How a run goes about it. */
export interface RunOptions extends Pick<JudgeOptions, "only" | "strict"> {
  /** How many requests may be under way at once; 8 unless set. */
  readonly concurrency?: number | undefined;
  /** How long an answer, and deliveries that are owed, are waited for; 10,000 unless set. */
  readonly patienceMs?: number | undefined;
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

/**
 * Runs the checks against a target.
 *
 * @returns Resolves to the report, also where the run was broken off. Rejects with a TxfeedError:
 * `unreachable` where nothing answers, `port-in-use` where it can't receive deliveries, `usage`
 * where no request can be sent there.
 */
export async function runConformance(
  target: Target,
  options: RunOptions = {},
  checks: readonly Check[] = allChecks,
): Promise<Report> {
  const { onEvidence: record = () => {}, only, strict, onProgress } = options;
  const { signal = new AbortController().signal } = options;
  const { concurrency = DEFAULT_CONCURRENCY, patienceMs = DEFAULT_PATIENCE_MS } = options;
  const start = performance.now();
  const startedAt = new Date().toISOString();
  const means = meansOf(target);
  const { driver = {} } = target;
  const baseUrl = target.baseUrl.replace(/\/+$/, "");
  record({ kind: "run", version: 1, target: baseUrl, startedAt, means, ...(only && { only }) });

  const vault = new Vault(target);
  const inbox = new Inbox();
  const wire = new LiveWire({ vault, inbox, driver, record, concurrency, patienceMs, signal });
  let receiver: Receiver | undefined;
  try {
    if (means.deliveries) {
      const { host, port } = target.webhooks ?? LOOPBACK;
      receiver = await startReceiver({
        host,
        port,
        nextNr: wire.nextNr,
        drop: (text) => vault.drop(text),
        onDelivery: (delivery) => {
          inbox.add(delivery);
          const { json, ...recorded } = delivery;
          record({ kind: "delivery", ...recorded });
        },
      });
      vault.addReceiver(receiver.url);
      options.onListening?.(receiver.url);
      await driver.subscribe?.({ url: receiver.url });
    }
    const beforeCompare = async () => {
      const collectMs = (target.webhooks?.collectSeconds ?? 0) * 1_000;
      const left = collectMs - (performance.now() - start);
      if (left > 0) await sleep(left, undefined, { signal }).catch(() => {});
    };
    const session = new Session({ baseUrl, means, wire });
    const judgement = await judge(checks, session, { only, strict, onProgress, beforeCompare });
    const durationMs = Math.round(performance.now() - start);
    const broken = signal.aborted ? { brokenOff: reasonOf(signal.reason) } : {};
    record({ kind: "end", durationMs, ...broken });
    return reportOf({ target: baseUrl, startedAt, means }, { durationMs, ...broken }, judgement);
  } finally {
    if (receiver) await driver.unsubscribe?.({ url: receiver.url }).catch(() => {});
    await receiver?.stop();
  }
}

/** Where deliveries are received when the driver can have them sent anywhere. */
const LOOPBACK = { host: "127.0.0.1", port: 0 };

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
  const wire = new ReplayWire(entries, brokenOff);
  const session = new Session({ baseUrl: run.target, means: run.means, wire });
  const judgement = await judge(checks, session, { only: run.only, ...options });
  return reportOf(run, { durationMs, ...(brokenOff !== undefined && { brokenOff }) }, judgement);
}

function reportOf(
  run: { readonly target: string; readonly startedAt: string; readonly means: Means },
  end: { readonly durationMs: number; readonly brokenOff?: string },
  judgement: Awaited<ReturnType<typeof judge>>,
): Report {
  const { target, startedAt, means } = run;
  return { target, profile: means.profile, startedAt, ...end, ...judgement };
}
