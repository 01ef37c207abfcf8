import {
  type ClaimId,
  claims,
  type RequirementId,
  requirementIds,
  requirements,
} from "../../../generated/requirements.ts";
import { counted, printable, shortened, type TextStyle, wrapped } from "../../../src/text.ts";
import {
  CHANGE_KINDS,
  type Change,
  type ChangeKind,
  type Comparison,
  isWorse,
  type RunFacts,
  type SituationChange,
} from "./compare.ts";
import type { ReadCause } from "./read-report.ts";

const WIDTH = 100;
const MAX_CAUSES = 25;
const MAX_SITUATION_LINES = 60;

/** Renders a comparison as text: the runs, the changes by kind, and the result last. */
export function renderText(
  comparison: Comparison,
  { a, b }: ComparedFiles,
  style: TextStyle,
): string {
  const { remarks, causes, situations } = comparison;
  const slowdown = slowdownOf(comparison);
  const paint = isWorse(comparison) ? style.bad : style.good;
  return [
    `${style.bold("compare")} A ${printable(a)} → B ${printable(b)}`,
    ...hanging("A", describeRun(comparison.a), 2),
    ...hanging("B", describeRun(comparison.b), 2),
    ...remarks.flatMap((remark) => indented(remark, 2)).map((line) => style.warn(line)),
    ...sectionsOf(comparison).flatMap(({ kind, title, groups }) => [
      "",
      `  ${paintOf(kind, style)(title)}`,
      ...groups.flatMap((group) => renderGroup(group, kind, style)),
    ]),
    ...renderSituations("lost", situations.lost),
    ...renderSituations("gained", situations.gained),
    ...renderCauses("new", causes.new),
    ...renderCauses("gone", causes.gone),
    ...(slowdown === undefined ? [] : ["", `  ${style.warn(slowdown)}`]),
    "",
    style.bold(paint(resultOf(comparison))),
    "",
  ].join("\n");
}

function paintOf(kind: ChangeKind, style: TextStyle): (text: string) => string {
  if (kind === "broken") return style.bad;
  return kind === "undecided" ? style.warn : style.bold;
}

function renderGroup(
  { from, to, reason, hint, changes }: ChangeGroup,
  kind: ChangeKind,
  style: TextStyle,
): string[] {
  const why = reason === undefined ? "" : `: ${reason}`;
  const ids = changes.map(({ id }) => id).join(" ");
  return [
    ...indented(`${from} → ${to}${why}`, 4),
    ...(hint === undefined ? [] : indented(`→ ${hint}`, 6)),
    ...(kind === "broken"
      ? changes.flatMap(({ id }) => hanging(id, sentenceOf(id) ?? "", 6))
      : indented(ids, 6).map((line) => style.dim(line))),
  ];
}

function renderSituations(what: string, changes: readonly SituationChange[]): string[] {
  if (changes.length === 0) return [];
  const lines = situationGroupsOf(changes).flatMap(({ reason, hint, claims }) => [
    ...(reason === undefined ? [] : indented(reason, 4)),
    ...(hint === undefined ? [] : indented(`→ ${hint}`, 6)),
    ...claims.flatMap(([claim, names]) => {
      return indented(`${claim}: ${names.join(" ")}`, reason === undefined ? 4 : 6);
    }),
  ]);
  const more = lines.length - MAX_SITUATION_LINES;
  return [
    "",
    `  ${counted(changes.length, "situation")} ${what}`,
    ...lines.slice(0, MAX_SITUATION_LINES),
    ...(more > 0 ? [`    and ${counted(more, "more line")}: --format json lists all`] : []),
  ];
}

function renderCauses(what: string, causes: readonly ReadCause[]): string[] {
  if (causes.length === 0) return [];
  const more = causes.length - MAX_CAUSES;
  return [
    "",
    `  ${counted(causes.length, `${what} likely cause`)}`,
    ...causes.slice(0, MAX_CAUSES).map(({ requirements: [lead = ""], message }) => {
      return `    ${shortened(printable(`${lead}  ${message}`), WIDTH - 4)}`;
    }),
    ...(more > 0 ? [`    and ${counted(more, "more cause")}`] : []),
  ];
}

function indented(text: string, by: number): string[] {
  return wrapped(printable(text), WIDTH - by).map((line) => " ".repeat(by) + line);
}

/** Indents a text after its first word; further lines begin below the text. */
function hanging(first: string, text: string, by: number): string[] {
  const start = by + printable(first).length + 2;
  return wrapped(printable(text), WIDTH - start).map((line, at) => {
    const lead = at === 0 ? `${" ".repeat(by)}${printable(first)}  ` : " ".repeat(start);
    return `${lead}${line}`.trimEnd();
  });
}

/** The names of the compared files. */
export interface ComparedFiles {
  readonly a: string;
  readonly b: string;
}

const TITLES: Readonly<Record<ChangeKind, string>> = {
  broken: "broken",
  undecided: "newly undecided",
  other: "changed",
  decided: "newly decided",
  fixed: "fixed",
};

/** The changes of one kind, for a heading and its lines. */
interface Section {
  readonly kind: ChangeKind;
  /** Such as "2 requirements and 1 claim broken". */
  readonly title: string;
  readonly groups: readonly ChangeGroup[];
}

/** Changes between the same verdicts, for the same reason. */
export interface ChangeGroup extends Pick<Change, "from" | "to" | "reason" | "hint"> {
  readonly changes: readonly Change[];
}

/** Groups the changes by kind, then by verdicts and reason. Claims follow their requirement. */
export function sectionsOf(comparison: Comparison): readonly Section[] {
  const changes = [...comparison.requirements, ...comparison.claims];
  const byKind = Map.groupBy(changes, ({ change }) => change);
  return CHANGE_KINDS.flatMap((kind) => {
    const changes = byKind.get(kind) ?? [];
    if (changes.length === 0) return [];
    const groups = Map.groupBy(changes, ({ from, to, reason, hint }) =>
      JSON.stringify([from, to, reason, hint]),
    );
    return {
      kind,
      title: `${countOf(changes)} ${TITLES[kind]}`,
      groups: [...groups.values()].map((members): ChangeGroup => {
        const [{ from, to, reason, hint }] = members as [Change, ...Change[]];
        const changes = members.toSorted((x, y) => orderOf(x) - orderOf(y));
        return {
          ...{ from, to, changes },
          ...(reason !== undefined && { reason }),
          ...(hint !== undefined && { hint }),
        };
      }),
    };
  });
}

/** Situations that only one run met, and why the other did not. */
interface SituationGroup extends Pick<SituationChange, "reason" | "hint"> {
  readonly claims: readonly (readonly [claim: string, situations: readonly string[]])[];
}

/** Groups situations by the reason why they were not met, then by claim. */
export function situationGroupsOf(changes: readonly SituationChange[]): readonly SituationGroup[] {
  const groups = Map.groupBy(changes, ({ reason, hint }) => JSON.stringify([reason, hint]));
  return [...groups.values()].map((members): SituationGroup => {
    const [{ reason, hint } = {}] = members;
    const byClaim = [...Map.groupBy(members, ({ claim }) => claim)];
    return {
      ...(reason !== undefined && { reason }),
      ...(hint !== undefined && { hint }),
      claims: byClaim.map(([claim, all]) => [claim, all.map(({ situation }) => situation)]),
    };
  });
}

/** Places a claim after its requirement; both have the order of the catalogue. */
function orderOf({ id, requirement }: Change): number {
  const place = requirementIds.indexOf(requirement as RequirementId);
  return place * 2 + Number(id !== requirement);
}

/** Such as "2 requirements and 1 claim". */
function countOf(changes: readonly Change[]): string {
  const ofClaims = changes.filter(({ id, requirement }) => id !== requirement).length;
  return amount(changes.length - ofClaims, ofClaims);
}

function amount(ofRequirements: number, ofClaims: number): string {
  const parts = [
    ...(ofRequirements > 0 ? [counted(ofRequirements, "requirement")] : []),
    ...(ofClaims > 0 ? [counted(ofClaims, "claim")] : []),
  ];
  return parts.join(" and ");
}

/** The sentence of a requirement or a claim; undefined for an unknown id. */
function sentenceOf(id: string): string | undefined {
  if (Object.hasOwn(requirements, id)) return requirements[id as RequirementId].text;
  return Object.hasOwn(claims, id) ? claims[id as ClaimId].text : undefined;
}

/** Such as "http://127.0.0.1:4020, profile full: 120 of 143 requirements passed, 12.3 s". */
export function describeRun({ target, profile, requirements: counts, ...run }: RunFacts): string {
  const { claims: byVerdict, durationMs } = run;
  return [
    `${target}, profile ${profile}: ${shareOf(counts)} requirements passed`,
    ...(byVerdict ? [`${shareOf(byVerdict)} claims passed`] : []),
    ...(durationMs === null ? [] : [seconds(durationMs)]),
  ].join(", ");
}

function shareOf(counts: Readonly<Record<string, number>>): string {
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return `${counts["passed"] ?? 0} of ${total}`;
}

/** Such as "slower: 24.1 s instead of 12.3 s"; undefined if it is not slower. */
export function slowdownOf({ a, b, slower }: Comparison): string | undefined {
  if (!slower || a.durationMs === null || b.durationMs === null) return undefined;
  return `slower: ${seconds(b.durationMs)} instead of ${seconds(a.durationMs)}`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

/** The result in one line. */
export function resultOf(comparison: Comparison): string {
  const { requirements: ids, claims: ofClaims } = comparison.regressions;
  if (!isWorse(comparison)) return "everything that passed still passes";
  return `${amount(ids, ofClaims)} that passed no longer ${ids + ofClaims === 1 ? "does" : "do"}`;
}
