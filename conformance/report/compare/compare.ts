import type { ReadCause, ReadClaim, ReadReport, ReadResult } from "./read-report.ts";

/**
 * What happened to a requirement or a claim:
 * - `broken`: it fails, or warns, and did not before;
 * - `undecided`: this run decided less of it than the earlier one;
 * - `decided`: this run decided more of it, and it holds;
 * - `fixed`: it failed or warned, and passes;
 * - `other`: any other change, such as from failed to warned.
 */
export type ChangeKind = "broken" | "undecided" | "decided" | "fixed" | "other";

/** The kinds of changes, the most urgent first. */
export const CHANGE_KINDS: readonly ChangeKind[] = [
  ...(["broken", "undecided", "other", "decided", "fixed"] as const),
];

/** A requirement or a claim whose verdict changed. */
export interface Change {
  readonly id: string;
  /** The requirement of a claim; of a requirement, its own id. */
  readonly requirement: string;
  /** The verdicts; `absent` if the report does not list the id. */
  readonly from: string;
  readonly to: string;
  readonly change: ChangeKind;
  /** Whether it passed and no longer does. */
  readonly regression: boolean;
  /** Why the later run did not decide it. */
  readonly reason?: string;
  /** What would decide it. */
  readonly hint?: string;
}

/** A situation of a claim that only one of two runs met. */
export interface SituationChange {
  readonly claim: string;
  readonly situation: string;
  /** Why the later run did not meet it. */
  readonly reason?: string;
  /** What would meet it. */
  readonly hint?: string;
}

/** Two runs, compared. */
export interface Comparison {
  readonly a: RunFacts;
  readonly b: RunFacts;
  /** What makes the reports hard to compare, in sentences. */
  readonly remarks: readonly string[];
  readonly requirements: readonly Change[];
  readonly claims: readonly Change[];
  readonly situations: {
    readonly lost: readonly SituationChange[];
    readonly gained: readonly SituationChange[];
  };
  /** Likely causes of failures that only one of the reports has. */
  readonly causes: { readonly new: readonly ReadCause[]; readonly gone: readonly ReadCause[] };
  /** Whether the later run took noticeably longer. */
  readonly slower: boolean;
  /** The number of requirements and claims that passed and no longer do. */
  readonly regressions: { readonly requirements: number; readonly claims: number };
}

/** The facts and totals of a run. */
export interface RunFacts
  extends Pick<ReadReport, "target" | "profile" | "startedAt" | "durationMs"> {
  /** The number of requirements by verdict. */
  readonly requirements: Readonly<Record<string, number>>;
  /** The number of claims by verdict; null in a report without claims. */
  readonly claims: Readonly<Record<string, number>> | null;
}

/** A run is slower if it took at least this much longer; less is noise. */
const SLOWER = { factor: 1.2, ms: 1_000 } as const;

/** Compares a later run B with an earlier run A. */
export function compareReports(a: ReadReport, b: ReadReport): Comparison {
  const requirements = changesOf(a.requirements, b.requirements);
  const claims = a.claims && b.claims ? claimChanges(a.claims, b.claims) : [];
  const regressed = (changes: readonly Change[]) =>
    changes.filter(({ regression }) => regression).length;
  return {
    a: factsOf(a),
    b: factsOf(b),
    remarks: remarksOn(a, b),
    requirements,
    claims,
    situations: {
      lost: metOnlyIn(a, b),
      gained: metOnlyIn(b, a).map(({ claim, situation }) => ({ claim, situation })),
    },
    causes: { new: causesOnlyIn(b, a), gone: causesOnlyIn(a, b) },
    slower: isSlower(a, b),
    regressions: { requirements: regressed(requirements), claims: regressed(claims) },
  };
}

/** Whether something that passed no longer does. */
export function isWorse({ regressions }: Comparison): boolean {
  return regressions.requirements + regressions.claims > 0;
}

type Results<T extends ReadResult> = ReadonlyMap<string, T>;

function changesOf(a: Results<ReadResult>, b: Results<ReadResult>): Change[] {
  return [...new Set([...a.keys(), ...b.keys()])].flatMap(
    (id) => changeOf(id, id, a.get(id), b.get(id)) ?? [],
  );
}

/**
 * The changes of claims that both reports list. A report lists no claims of a requirement that was
 * not selected, and another version of the catalogue may have other claims.
 */
function claimChanges(a: Results<ReadClaim>, b: Results<ReadClaim>): Change[] {
  return [...a.values()].flatMap((before) => {
    const after = b.get(before.id);
    return (after && changeOf(before.id, before.requirement, before, after)) ?? [];
  });
}

function changeOf(
  id: string,
  requirement: string,
  before: ReadResult | undefined,
  after: ReadResult | undefined,
): Change | undefined {
  const [from, to] = [before?.verdict ?? "absent", after?.verdict ?? "absent"];
  if (from === to) return undefined;
  const change = kindOf(from, to);
  const { reason, hint } = after ?? {};
  return {
    ...{ id, requirement, from, to, change },
    regression: from === "passed",
    ...(change === "undecided" && reason !== undefined && { reason }),
    ...(change === "undecided" && hint !== undefined && { hint }),
  };
}

/** How much of a requirement or claim a verdict decides. */
const DECIDED: Readonly<Record<string, number>> = { passed: 2, failed: 2, warned: 2, partly: 1 };

/** How bad a verdict is. */
const BAD: Readonly<Record<string, number>> = { failed: 2, warned: 1 };

function kindOf(from: string, to: string): ChangeKind {
  const [wasBad = 0, isBad = 0] = [BAD[from], BAD[to]];
  if (isBad > wasBad) return "broken";
  const [before = 0, after = 0] = [DECIDED[from], DECIDED[to]];
  if (after < before) return "undecided";
  if (wasBad > 0 && to === "passed") return "fixed";
  return after > before ? "decided" : "other";
}

/** The situations that a run met and the other did not, of claims that both list. */
function metOnlyIn(one: ReadReport, other: ReadReport): SituationChange[] {
  return [...(one.claims?.values() ?? [])].flatMap(({ id, situations }) => {
    const there = other.claims?.get(id);
    if (!there) return [];
    return situations.flatMap(({ name: situation, met }) => {
      const found = there.situations.find(({ name }) => name === situation);
      if (!met || found?.met) return [];
      const { reason, hint } = found ?? {};
      return {
        ...{ claim: id, situation },
        ...(reason !== undefined && { reason }),
        ...(hint !== undefined && { hint }),
      };
    });
  });
}

function causesOnlyIn(one: ReadReport, other: ReadReport): ReadCause[] {
  const known = new Set(other.causes.flatMap(keysOf));
  return one.causes.filter((cause) => !keysOf(cause).some((key) => known.has(key)));
}

/** Identifies a cause across runs: its message has values, such as ids, that differ. */
function keysOf({ requirements: [lead = ""], places, message }: ReadCause): string[] {
  return (places.length > 0 ? places : [message]).map((place) => `${lead} ${place}`);
}

function isSlower({ durationMs: before }: ReadReport, { durationMs: after }: ReadReport): boolean {
  if (before === null || after === null) return false;
  return after - before >= SLOWER.ms && after >= before * SLOWER.factor;
}

function remarksOn(a: ReadReport, b: ReadReport): string[] {
  // A requirement without any claim was not selected: its own verdict says so.
  const listed = new Set([...(b.claims?.values() ?? [])].map(({ requirement }) => requirement));
  const missing = [...(a.claims?.values() ?? [])].filter(
    ({ id, requirement }) => listed.has(requirement) && !b.claims?.has(id),
  );
  return [
    ...(a.target === b.target ? [] : [`The targets differ: ${a.target} and ${b.target}.`]),
    ...(a.profile === b.profile ? [] : [`The profiles differ: ${a.profile} and ${b.profile}.`]),
    ...(["A", "B"] as const).flatMap((name, at) => {
      const { brokenOff, claims } = [a, b][at] as ReadReport;
      return [
        ...(brokenOff === null ? [] : [`The run of ${name} stopped early: ${brokenOff}`]),
        ...(claims === null ? [`${name} has no claims; only requirements are compared.`] : []),
      ];
    }),
    ...(missing.length === 0
      ? []
      : [`B does not list claims that A lists: ${missing.map(({ id }) => id).join(", ")}.`]),
  ];
}

function factsOf(report: ReadReport): RunFacts {
  const { target, profile, startedAt, durationMs, requirements, claims } = report;
  return {
    ...{ target, profile, startedAt, durationMs },
    requirements: countsOf(requirements),
    claims: claims && countsOf(claims),
  };
}

function countsOf(results: Results<ReadResult>): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { verdict } of results.values()) counts[verdict] = (counts[verdict] ?? 0) + 1;
  return counts;
}
