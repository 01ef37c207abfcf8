import type { Verb } from "../driver.ts";
import type { Activity } from "../report/report.ts";
import type { Evidence } from "../wire/evidence.ts";

/** Verbs that change nothing by themselves. */
const QUIET: readonly Verb[] = ["subscribe", "unsubscribe", "settle", "advance"];

/** Counts what a run with a receiver does and gets, from its evidence. */
export class ActivityCounter {
  #hasReceiver = false;
  #steps = 0;
  #deliveries = 0;

  /** Counts an entry. */
  readonly note = (entry: Evidence): void => {
    if (entry.kind === "run") this.#hasReceiver = entry.means.deliveries;
    if (entry.kind === "delivery") this.#deliveries += 1;
    if (isStep(entry)) this.#steps += 1;
  };

  /** Undefined for a run without a receiver. */
  result(): Activity | undefined {
    if (!this.#hasReceiver) return undefined;
    return { steps: this.#steps, deliveries: this.#deliveries };
  }
}

function isStep(entry: Evidence): boolean {
  if (entry.kind === "verb") {
    const isDone = entry.refusal === undefined && entry.brokenOff === undefined;
    return isDone && !QUIET.includes(entry.verb);
  }
  if (entry.kind !== "exchange" || entry.request.method !== "PATCH") return false;
  const { status = 0 } = entry.response ?? {};
  return status >= 200 && status < 300;
}
