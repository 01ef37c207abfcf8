import { hasCode, reasonOf } from "../errors.ts";
import { inTime } from "./attempt.ts";
import type { Inbox, InboxStatus } from "./inbox.ts";
import type { Worker } from "./worker.ts";

/** Whether a receiver works. */
export interface Health {
  /** Whether deliveries can be received: for readiness probes. */
  readonly ok: boolean;
  /** What is wrong, one line each. A slow handler is listed, but `ok` stays true. */
  readonly problems: readonly string[];
  /** null without an inbox, or if it does not respond. */
  readonly inbox: InboxStatus | null;
}

/** How long the inbox may take for its status. */
const TIMEOUT_MS = 5000;

/** A check that failed later than this is not repeated. */
const REPEAT_MS = 1000;

/** After so long without progress a worker is reported, so that it shows within 10 s. */
const STALLED_MS = 8000;

/**
 * Determines whether a receiver works. Never rejects.
 *
 * @param probes The probes of its inbox; null without an inbox.
 */
export async function healthOf(
  probes: Probes | null,
  worker: Pick<Worker, "state"> | undefined,
): Promise<Health> {
  const problems: string[] = [];
  const [check, read] = await Promise.allSettled([probes?.check(), probes?.status()]);
  let ok = check.status === "fulfilled";
  const status = read.status === "fulfilled" ? (read.value ?? null) : null;
  if (check.status === "rejected") {
    problems.push(`deliveries can't be stored: ${reasonOf(check.reason)}`);
  } else if (read.status === "rejected") {
    problems.push(`the status of the inbox can't be read: ${reasonOf(read.reason)}`);
  }
  const state = worker?.state();
  if (state?.isClosed) {
    ok = false;
    problems.push("the receiver is closed");
  } else if (state) {
    const { sincePollMs, longestRunMs } = state;
    if (longestRunMs > STALLED_MS) {
      problems.push(`a handler has run for ${seconds(longestRunMs)}`);
    }
    if (sincePollMs > STALLED_MS) {
      problems.push(`the worker has not read the inbox for ${seconds(sincePollMs)}`);
    }
  }
  if (status) {
    const { stalled, lagMs } = status;
    if (stalled > 0) problems.push(`resources whose worker stalled or ended: ${stalled}`);
    if (lagMs !== null && lagMs > STALLED_MS) {
      problems.push(`deliveries wait for a worker; the first for ${seconds(lagMs)}`);
    }
  }
  return { ok, problems, inbox: status };
}

const seconds = (durationMs: number) => `${Math.round(durationMs / 1000)} s`;

type Probes = Pick<Inbox<never>, "check" | "status">;

/**
 * Creates the probes of an inbox. Concurrent calls share one request, which rejects after
 * `TIMEOUT_MS`.
 */
export function createProbes(inbox: Probes): Probes {
  return { check: shared(() => checkTwice(inbox)), status: shared(async () => inbox.status()) };
}

/** A cut connection fails one check, and the next one gets another connection. */
async function checkTwice(inbox: Probes): Promise<void> {
  const startedAt = performance.now();
  try {
    await inbox.check();
  } catch (error) {
    if (!hasCode(error, "unreachable") || performance.now() > startedAt + REPEAT_MS) throw error;
    await inbox.check();
  }
}

const noResponse = () => new Error(`no response within ${TIMEOUT_MS} ms`);

function shared<T>(probe: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => {
    running ??= inTime(TIMEOUT_MS, probe(), noResponse).finally(() => {
      running = undefined;
    });
    return running;
  };
}
