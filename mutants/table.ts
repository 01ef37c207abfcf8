import { type Classified, classOf, type MissedAs } from "./classified.ts";
import type { Mutant } from "./instrument.ts";
import type { Verdict } from "./task.ts";

/** A mutant with its verdict. */
export interface Scored {
  readonly mutant: Mutant;
  readonly verdict: Verdict;
  /** Of a missed mutant: why it need not be caught; undefined if nobody has decided yet. */
  readonly as?: MissedAs | undefined;
}

export function scoredBy(
  mutants: readonly Mutant[],
  verdicts: ReadonlyMap<string, Verdict>,
  classified: Classified,
): Scored[] {
  return mutants.flatMap((mutant) => {
    const verdict = verdicts.get(mutant.key);
    if (!verdict) return [];
    const as = verdict.outcome === "missed" ? classOf(classified, mutant.key) : undefined;
    return [{ mutant, verdict, as }];
  });
}

const ended = (outcome: Verdict["outcome"]) => (one: Scored) => one.verdict.outcome === outcome;
const missedAs = (wanted?: MissedAs) => (one: Scored) => ended("missed")(one) && one.as === wanted;

/** What is counted. */
const COLUMNS = {
  mutants: () => true,
  equivalent: ended("equivalent"),
  notStarted: ended("not started"),
  timedOut: ended("timed out"),
  caught: ended("caught"),
  /** Those of `caught` that fail a requirement of the groups that their file touches. */
  byName: ({ verdict }: Scored) => verdict.isByGroups === true,
  undecided: ended("undecided"),
  open: missedAs("open"),
  control: missedAs("control"),
  gap: missedAs("gap"),
  unclassified: missedAs(),
} satisfies Record<string, (one: Scored) => boolean>;

export type Tally = Record<keyof typeof COLUMNS, number>;

export function tally(scores: readonly Scored[]): Tally {
  const counts = Object.entries(COLUMNS).map(([name, isMeant]) => {
    return [name, scores.filter(isMeant).length] as const;
  });
  return Object.fromEntries(counts) as Tally;
}

/** The totals by folder, and of all. */
export function renderTotals(scores: readonly Scored[]): string[] {
  const folders = Map.groupBy(scores, ({ mutant }) => mutant.file.replace(/\/[^/]+$/, ""));
  const names = Object.keys(COLUMNS).map((name) => {
    return name.replace(/[A-Z]/, (letter) => ` ${letter.toLowerCase()}`);
  });
  const line = (name: string, cells: readonly (string | number)[]) =>
    `  ${name.padEnd(24)}${cells
      .map((cell, at) => String(cell).padStart((names[at]?.length ?? 0) + 2))
      .join("")}`;
  const row = (name: string, some: readonly Scored[]) => line(name, Object.values(tally(some)));
  const rows = [...folders].map(([name, some]) => row(name, some)).toSorted();
  return [line("", names), ...rows, row("all", scores), ""];
}

/** The mutants that no check catches and that nobody has classified as open or control. */
export function renderMissed(scores: readonly Scored[]): string[] {
  const missed = scores.filter((one) => COLUMNS.unclassified(one) || COLUMNS.gap(one));
  return missed.flatMap(({ mutant, verdict, as }) => [
    `${as ?? "missed"}: ${mutant.key}`,
    `  line ${mutant.line}; script ${verdict.script}, ${verdict.where}`,
    `  - ${verdict.expected}`,
    `  + ${verdict.actual}`,
  ]);
}

/** The figures in one line. */
export function renderScore(scores: readonly Scored[]): string {
  const sum = tally(scores);
  const shown = sum.mutants - sum.equivalent - sum.notStarted - sum.timedOut;
  return [
    `${sum.mutants} mutants, ${sum.equivalent} equivalent`,
    `${sum.caught + sum.undecided} of ${shown} others caught, ${sum.byName} by name`,
    `${sum.open} open, ${sum.control} control, ${sum.gap} gaps, ${sum.unclassified} unclassified`,
  ].join("; ");
}
