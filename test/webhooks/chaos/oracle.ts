/** What must be true of a fleet, decided from what a sender and the database see. */
import type { Kind } from "./member.ts";

/** A delivery. */
export interface Delivery {
  readonly resource: string;
  /** Its position among those of its resource, from 0. */
  readonly number: number;
  readonly kind: Kind;
}

/** A row of the table `effect`. */
export interface EffectRow extends Delivery {
  /** How many earlier deliveries were in quarantine, as the handler got it. */
  readonly missing: number;
}

/** The totals of a run. */
export interface Totals {
  readonly lost: number;
  readonly disordered: number;
  readonly twice: number;
  /** Effects of deliveries that asked for quarantine, or with a wrong `missing`. */
  readonly wrong: number;
}

/**
 * Compares acknowledged deliveries with the effects, in order of their handling. A delivery that
 * was not acknowledged may have an effect.
 */
export function judgeEffects(
  acknowledged: readonly Delivery[],
  effects: readonly EffectRow[],
): Totals {
  const totals = { lost: 0, disordered: 0, twice: 0, wrong: 0 };
  const sent = Map.groupBy(acknowledged, ({ resource }) => resource);
  const done = Map.groupBy(effects, ({ resource }) => resource);
  for (const [resource, deliveries] of sent) {
    const numbers = new Set(done.get(resource)?.map(({ number }) => number));
    for (const { kind, number } of deliveries) {
      if (kind !== "refused" && !numbers.has(number)) totals.lost += 1;
    }
  }
  for (const [resource, rows] of done) {
    const refused = (sent.get(resource) ?? []).filter(({ kind }) => kind === "refused");
    const seen = new Set<number>();
    for (const { number, kind, missing } of rows) {
      const earlier = refused.filter((one) => one.number < number).length;
      if (kind === "refused" || missing !== earlier) totals.wrong += 1;
      if (seen.has(number)) totals.twice += 1;
      else if (number < Math.max(...seen)) totals.disordered += 1;
      seen.add(number);
    }
  }
  return totals;
}

/** A delivery that probed a process, or a reading of its `/ready`. Times in milliseconds. */
export interface Observation {
  /** The process, between two signals: it was neither stopped, continued nor killed meanwhile. */
  readonly life: string;
  readonly what: "probe" | "reading";
  readonly start: number;
  readonly end: number;
  /** Whether the delivery was acknowledged, or `health()` was ok. */
  readonly ok: boolean;
  /** Whether there was a response in time. */
  readonly isAnswered: boolean;
  /** The text of the response. */
  readonly text: string;
}

/** After so long, `health()` must agree with the probes: 8 s, and a second of tolerance. */
const HEALTH_MS = 9000;
/** A slower success may have waited for the end of a fault, which `health()` reports rightly. */
const PROMPT_MS = 1000;
/** A live process responds within this time: to a delivery, and to a reading. */
export const RESPONSE_MS = { probe: 10_000, reading: 6000 } as const;

/**
 * Finds the violations of `health()`. Consecutive probes of a process that failed, or that succeeded
 * promptly, are a run. It begins with the start of the first one. It ends with the end of the last
 * one, or with its start if they failed: a probe can wait for a connection of a fault that is over.
 * A reading that starts HEALTH_MS after the beginning, and ends before the end, must have the result
 * of the run.
 * Each run with a wrong reading counts once, as does each process that does not respond in time.
 */
export function judgeHealth(observations: readonly Observation[]): string[] {
  const violations: string[] = [];
  for (const [life, own] of Map.groupBy(observations, (one) => one.life)) {
    const readings = own.filter(({ what }) => what === "reading");
    for (const { ok, start, end } of runsOf(own.filter(({ what }) => what === "probe"))) {
      const wrong = readings.filter(
        (one) => one.start >= start + HEALTH_MS && one.end <= end && one.ok !== ok,
      );
      const [first] = wrong;
      if (!first) continue;
      const [done, said] = ok ? ["succeeded", "not ok"] : ["failed", "ok"];
      const seconds = ((first.start - start) / 1000).toFixed(1);
      const times = `${wrong.length} ${wrong.length === 1 ? "reading" : "readings"}`;
      const fact = `${said} (${times}), though receipts ${done} for ${seconds} s`;
      violations.push(`${life}: ${fact}: ${first.text}`);
    }
    for (const what of ["probe", "reading"] as const) {
      const count = own.filter((one) => one.what === what && !one.isAnswered).length;
      const limit = RESPONSE_MS[what] / 1000;
      if (count > 0)
        violations.push(`${life}: no response to a ${what} within ${limit} s: ${count}`);
    }
  }
  return violations;
}

function runsOf(probes: readonly Observation[]): Observation[] {
  const runs: Observation[] = [];
  let isNew = true;
  for (const probe of probes) {
    const last = runs.at(-1);
    const isSlow = probe.ok && probe.end - probe.start > PROMPT_MS;
    const end = probe.ok ? probe.end : probe.start;
    if (isSlow) isNew = true;
    else if (last?.ok === probe.ok && !isNew) runs[runs.length - 1] = { ...last, end };
    else {
      runs.push({ ...probe, end });
      isNew = false;
    }
  }
  return runs;
}
