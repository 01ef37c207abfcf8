import { type RequirementId, requirementIds } from "../../generated/requirements.ts";
import type { Delivery, Exchange } from "../wire/exchange.ts";
import { rankedRequirements } from "./cause-lead.ts";
import { RULES } from "./consequence-rules.ts";
import {
  detailsOf,
  type FailureSignature,
  failureSignatureOf,
  sizeOf,
  withMisdirected,
} from "./failure-signature.ts";
import type { Cause, RequirementReport } from "./report.ts";

/** A refusal that this many resources have is one cause. */
const SEVERAL = 3;

/**
 * Groups findings by likely cause, the worst first. One cause has:
 * - the findings about a resource's operations with the same refusal; if SEVERAL resources have
 *   that refusal, those of all resources;
 * - the findings of one kind at one place of an operation or event, for any requirement;
 * - the findings of one kind and requirement about one member of a resource;
 * - the findings of one requirement about one event that was not sent;
 * - the findings of one kind about the form of timestamps, which one function writes.
 *
 * @param traffic The exchanges and deliveries that findings reference by `nr`.
 */
export function causesOf(
  reports: readonly RequirementReport[],
  traffic: readonly (Exchange | Delivery)[],
): readonly Cause[] {
  const byNr = new Map(traffic.map((one) => [one.nr, one]));
  const findings = reports.flatMap(({ checks }) => checks.flatMap((check) => check.findings ?? []));
  const symptoms = withMisdirected(findings.map((finding) => failureSignatureOf(finding, byNr)));
  const resources = resourcesByRefusal(symptoms);
  const isAbridged = abridgedBodies(symptoms);
  const clusters = new Clusters<FailureSignature>();
  for (const symptom of symptoms) {
    const { refusal, subject, path, member, kind, missingEvent, finding } = symptom;
    if (refusal !== undefined) {
      const isEverywhere = (resources.get(refusal)?.size ?? 0) >= SEVERAL;
      clusters.add(symptom, [["refused", refusal, isEverywhere ? "" : resourceOf(subject)]]);
    } else {
      clusters.add(symptom, [
        ["place", subject, path, kind],
        ...(isAbridged(symptom) ? [["abridged", subject]] : []),
        ...(finding.requirement === "CONV-06" ? [["HAL", subject]] : []),
        ...(finding.requirement === "CONV-02" ? [["timestamps", kind]] : []),
        ["member", finding.requirement, member, kind],
        ...(missingEvent === undefined ? [] : [["not sent", finding.requirement, missingEvent]]),
      ]);
    }
  }
  return inOrder(clusters.all(), byNr);
}

/** A cause with its findings, and why it follows from another. */
interface Draft {
  readonly cause: Cause;
  readonly lead: RequirementId;
  readonly symptoms: readonly FailureSignature[];
}

/** Sorts causes: those that explain others come first, each before its consequences. */
function inOrder(
  groups: readonly (readonly FailureSignature[])[],
  traffic: ReadonlyMap<number, Exchange | Delivery>,
): Cause[] {
  const drafts = groups.map((symptoms): Draft => {
    const cause = causeOf(symptoms, traffic);
    return { cause, lead: leadOf(cause), symptoms };
  });
  const explained = drafts.map((draft): Explanation => {
    const found = drafts.flatMap((other) => {
      if (other === draft) return [];
      const because = whyConsequence(other, draft);
      return because === undefined ? [] : [{ of: other, because }];
    });
    return { draft, by: found[0], others: found.slice(1) };
  });
  breakCycles(explained);
  const levelOf = ({ cause }: Draft) =>
    cause.level === "error" ||
    explained.some(({ draft, by }) => by?.of.cause === cause && draft.cause.level === "error")
      ? "error"
      : "warning";
  return explained
    .map(({ draft, by }) => ({
      ...draft.cause,
      level: levelOf(draft) as Cause["level"],
      ...(by && { consequenceOf: leadOf(by.of.cause), because: by.because }),
    }))
    .sort(byWeight);
}

interface Why {
  readonly of: Draft;
  readonly because: string;
}

/** A cause, the cause that explains it, and others that could. */
interface Explanation {
  readonly draft: Draft;
  by: Why | undefined;
  readonly others: readonly Why[];
}

/** Gives a cause that explains itself, through others, another explanation, or makes it a root. */
function breakCycles(all: readonly Explanation[]): void {
  const byDraft = new Map(all.map((one) => [one.draft, one]));
  const explains = (draft: Draft, from: Draft) => {
    const seen = new Set<Draft>();
    let at: Draft | undefined = from;
    while (at && at !== draft && !seen.has(at)) {
      seen.add(at);
      at = byDraft.get(at)?.by?.of;
    }
    return at === draft;
  };
  for (const one of all) {
    if (!one.by || !explains(one.draft, one.by.of)) continue;
    one.by = one.others.find(({ of }) => !explains(one.draft, of));
  }
}

function leadOf({ requirements: [lead] }: Cause): RequirementId {
  return lead as RequirementId;
}

/**
 * Finds the operations and events whose bodies lack several members: their shape is wrong.
 *
 * @returns Whether a finding is about such a missing member.
 */
function abridgedBodies(
  symptoms: readonly FailureSignature[],
): (symptom: FailureSignature) => boolean {
  const lacking = new Map<string, Set<string>>();
  for (const { kind, subject, member } of symptoms) {
    if (kind !== "missing") continue;
    lacking.set(subject, (lacking.get(subject) ?? new Set()).add(member.split("/")[1] ?? ""));
  }
  return ({ kind, subject }) => kind === "missing" && (lacking.get(subject)?.size ?? 0) >= SEVERAL;
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

function causeOf(
  symptoms: readonly FailureSignature[],
  traffic: ReadonlyMap<number, Exchange | Delivery>,
): Cause {
  const ids = rankedRequirements(symptoms);
  const own = symptoms.filter(({ finding }) => finding.requirement === ids[0]);
  const direct = own.filter(({ isMisdirected }) => !isMisdirected);
  const lead = shortest(direct.length > 0 ? direct : own, traffic) as FailureSignature;
  const places = [lead, ...symptoms].map(({ subject, path }) => `${subject} ${path}`.trim());
  const { expected, actual, evidence, message, claim } = lead.finding;
  const details = [
    ...detailsOf(lead.finding, traffic.get(evidence[0] ?? -1)),
    ...(lead.comparedWith && lead.path !== "" ? [`compared with ${lead.comparedWith}`] : []),
  ];
  return {
    message: lead.refusal === undefined ? message : `${lead.subject} ${lead.refusal}`,
    level: symptoms.some(({ finding }) => finding.level === "error") ? "error" : "warning",
    requirements: ids,
    findings: symptoms.length,
    places: [...new Set(places)],
    ...(expected !== undefined && { expected }),
    ...(actual !== undefined && { actual }),
    ...(claim !== undefined && { claim }),
    ...(details.length > 0 && { details }),
    evidence,
  };
}

/** The finding with the shortest bodies, of which a reader sees the failure soonest. */
function shortest(
  symptoms: readonly FailureSignature[],
  traffic: ReadonlyMap<number, Exchange | Delivery>,
): FailureSignature | undefined {
  const sizes = new Map(symptoms.map((one) => [one, sizeOf(one.finding, traffic)]));
  return symptoms.toSorted((a, b) => (sizes.get(a) ?? 0) - (sizes.get(b) ?? 0))[0];
}

/** Sorts errors before warnings, then by impact. */
function byWeight(a: Cause, b: Cause): number {
  return (
    Number(a.consequenceOf !== undefined) - Number(b.consequenceOf !== undefined) ||
    Number(a.level === "warning") - Number(b.level === "warning") ||
    b.requirements.length - a.requirements.length ||
    b.findings - a.findings ||
    orderOf(a) - orderOf(b) ||
    // A wrong value shows more than what follows from it elsewhere.
    Number(isInBody(b)) - Number(isInBody(a)) ||
    a.message.localeCompare(b.message, "en")
  );
}

/** Whether a cause is about a place in a body. */
function isInBody({ places: [first = ""] }: Cause): boolean {
  return first.replace(/^[A-Z]+ /, "").includes(" ");
}

function orderOf({ requirements: [id] }: Cause): number {
  return id === undefined ? 0 : requirementIds.indexOf(id);
}

/** The findings of a cause, and the requirement that leads it. */
interface Explained {
  readonly lead: RequirementId;
  readonly symptoms: readonly FailureSignature[];
}

/** Returns why one cause follows from another; undefined if no rule says so. */
function whyConsequence(cause: Explained, other: Explained): string | undefined {
  const index = firstRule(cause, other);
  const reverse = firstRule(other, cause);
  // Of two causes that explain each other, the earlier rule decides.
  if (index < 0 || (reverse >= 0 && reverse < index)) return undefined;
  return RULES[index]?.because;
}

function firstRule(cause: Explained, other: Explained): number {
  if (cause.lead === other.lead) return -1;
  return RULES.findIndex(
    ({ causes, consequences, when }) =>
      causes.includes(cause.lead) &&
      consequences.includes(other.lead) &&
      (when === undefined || when(cause.symptoms, other.symptoms)),
  );
}
