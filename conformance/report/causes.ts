import { type RequirementId, requirementIds, requirements } from "../../generated/requirements.ts";
import type { Delivery } from "../wire/delivery.ts";
import type { Exchange } from "../wire/exchange.ts";
import { type FailureSignature, failureSignatureOf } from "./failure-signature.ts";
import { type Group, groupOf } from "./groups.ts";
import type { Cause, RequirementReport } from "./report.ts";

/** A refusal that this many resources have is one cause. */
const SEVERAL = 3;

/**
 * Groups findings by likely cause, the worst first. One cause has:
 * - the findings about a resource's operations with the same refusal; if SEVERAL resources have
 *   that refusal, those of all resources;
 * - the findings of one kind at one place of an operation or event, for any requirement;
 * - the findings of one kind and requirement about one member of a resource.
 *
 * @param traffic The exchanges and deliveries that findings reference by `nr`.
 */
export function causesOf(
  reports: readonly RequirementReport[],
  traffic: readonly (Exchange | Delivery)[],
): readonly Cause[] {
  const byNr = new Map(traffic.map((one) => [one.nr, one]));
  const findings = reports.flatMap(({ checks }) => checks.flatMap((check) => check.findings ?? []));
  const symptoms = findings.map((finding) => failureSignatureOf(finding, byNr));
  const resources = resourcesByRefusal(symptoms);
  const clusters = new Clusters<FailureSignature>();
  for (const symptom of symptoms) {
    const { refusal, subject, path, member, kind, finding } = symptom;
    if (refusal !== undefined) {
      const isEverywhere = (resources.get(refusal)?.size ?? 0) >= SEVERAL;
      clusters.add(symptom, [["refused", refusal, isEverywhere ? "" : resourceOf(subject)]]);
    } else {
      clusters.add(symptom, [
        ["place", subject, path, kind],
        ["member", finding.requirement, member, kind],
      ]);
    }
  }
  return clusters.all().map(causeOf).sort(byWeight);
}

/** The first part of the path: `/cards` of `GET /cards/{id}`. */
function resourceOf(subject: string): string {
  return /^\w+ (\/[^/]*)/.exec(subject)?.[1] ?? subject;
}

function resourcesByRefusal(symptoms: readonly FailureSignature[]): Map<string, Set<string>> {
  const byRefusal = new Map<string, Set<string>>();
  for (const { refusal, subject } of symptoms) {
    if (refusal === undefined) continue;
    byRefusal.set(refusal, (byRefusal.get(refusal) ?? new Set()).add(resourceOf(subject)));
  }
  return byRefusal;
}

/** Groups items that share a key, directly or through other items. */
class Clusters<T> {
  readonly #clusters = new Map<string, T[]>();

  add(thing: T, keys: readonly (readonly string[])[]): void {
    const names = keys.map((key) => JSON.stringify(key));
    const known = new Set<T[]>();
    for (const name of names) {
      const there = this.#clusters.get(name);
      if (there) known.add(there);
    }
    const [cluster = [], ...others] = known;
    cluster.push(...others.flat(), thing);
    for (const [name, there] of others.length > 0 ? this.#clusters : []) {
      if (others.includes(there)) this.#clusters.set(name, cluster);
    }
    for (const name of names) this.#clusters.set(name, cluster);
  }

  all(): T[][] {
    return [...new Set(this.#clusters.values())];
  }
}

function causeOf(symptoms: readonly FailureSignature[]): Cause {
  const counts = new Map<RequirementId, number>();
  for (const { finding } of symptoms) {
    counts.set(finding.requirement, (counts.get(finding.requirement) ?? 0) + 1);
  }
  const isRefusal = symptoms[0]?.refusal !== undefined;
  const rank = (id: RequirementId) => rankOf(id, isRefusal);
  const ids = [...counts.keys()].sort(
    (a, b) =>
      rank(a) - rank(b) ||
      (isRefusal ? 0 : (counts.get(b) ?? 0) - (counts.get(a) ?? 0)) ||
      requirementIds.indexOf(a) - requirementIds.indexOf(b),
  );
  const lead = symptoms.find(({ finding }) => finding.requirement === ids[0]) as FailureSignature;
  const places = [lead, ...symptoms].map(({ subject, path }) => `${subject} ${path}`.trim());
  const { expected, actual, evidence, message } = lead.finding;
  return {
    message: lead.refusal === undefined ? message : `${lead.subject} ${lead.refusal}`,
    level: symptoms.some(({ finding }) => finding.level === "error") ? "error" : "warning",
    requirements: ids,
    findings: symptoms.length,
    places: [...new Set(places)],
    ...(expected !== undefined && { expected }),
    ...(actual !== undefined && { actual }),
    evidence,
  };
}

/** Ranks of the general groups: a requirement of a specific group names a cause better. */
const GENERAL: Partial<Record<Group, number>> = {
  ...{ AUTH: 1, EP: 2, PAGE: 3, ERR: 4, WHK: 4, CONV: 5 },
};

const OF_REFUSALS: Partial<Record<Group, number>> = {
  ...{ EP: -2, AUTH: -1, PAGE: 1, WHK: 2, ERR: 2, CONV: 3 },
};

/** Ranks how well a requirement names a cause; lower is better. Derived ones come last. */
function rankOf(id: RequirementId, isRefusal: boolean): number {
  const rank = (isRefusal ? OF_REFUSALS : GENERAL)[groupOf(id)] ?? 0;
  return rank + (requirements[id].derived ? 10 : 0);
}

/** Sorts errors before warnings, then by impact. */
function byWeight(a: Cause, b: Cause): number {
  return (
    Number(a.level === "warning") - Number(b.level === "warning") ||
    b.requirements.length - a.requirements.length ||
    b.findings - a.findings ||
    orderOf(a) - orderOf(b) ||
    a.message.localeCompare(b.message, "en")
  );
}

function orderOf({ requirements: [id] }: Cause): number {
  return id === undefined ? 0 : requirementIds.indexOf(id);
}
