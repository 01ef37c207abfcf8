import { styleText } from "node:util";
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

/** The number of mutants by outcome. */
export interface Tally {
  readonly mutants: number;
  readonly equivalent: number;
  readonly notStarted: number;
  readonly timedOut: number;
  /** By a requirement that failed or warned. */
  readonly caught: number;
  /** Those of `caught` that fail a requirement of the groups that their file touches. */
  readonly byName: number;
  /** Not caught, but a requirement is no longer decided. */
  readonly undecided: number;
  readonly open: number;
  readonly control: number;
  readonly gap: number;
  readonly unclassified: number;
}

export function tally(scores: readonly Scored[]): Tally {
  const of = (outcome: Verdict["outcome"]) =>
    scores.filter(({ verdict }) => verdict.outcome === outcome).length;
  const missedAs = (wanted: MissedAs | undefined) =>
    scores.filter(({ verdict, as }) => verdict.outcome === "missed" && as === wanted).length;
  return {
    mutants: scores.length,
    equivalent: of("equivalent"),
    notStarted: of("not started"),
    timedOut: of("timed out"),
    caught: of("caught"),
    byName: scores.filter(({ verdict }) => verdict.isByGroups === true).length,
    undecided: of("undecided"),
    open: missedAs("open"),
    control: missedAs("control"),
    gap: missedAs("gap"),
    unclassified: missedAs(undefined),
  };
}

const COLUMNS = {
  mutants: "mutants",
  equivalent: "equivalent",
  notStarted: "not started",
  timedOut: "timed out",
  caught: "caught",
  byName: "by name",
  undecided: "undecided",
  open: "open",
  control: "control",
  gap: "gap",
  unclassified: "missed",
} as const satisfies Record<keyof Tally, string>;

/** The totals by folder, and of all. */
export function renderTotals(scores: readonly Scored[]): string[] {
  const folders = Map.groupBy(scores, ({ mutant }) => mutant.file.replace(/\/[^/]+$/, ""));
  const names = Object.keys(COLUMNS) as (keyof Tally)[];
  const widths = names.map((name) => COLUMNS[name].length + 2);
  const head = names.map((name, at) => COLUMNS[name].padStart(widths[at] ?? 0)).join("");
  const row = (name: string, some: readonly Scored[]) => {
    const sum = tally(some);
    const cells = names.map((each, at) => String(sum[each]).padStart(widths[at] ?? 0));
    return `  ${name.padEnd(24)}${cells.join("")}`;
  };
  const rows = [...folders].map(([name, some]) => row(name, some)).toSorted();
  return [`  ${"".padEnd(24)}${head}`, ...rows, row("all", scores), ""];
}

/** The mutants that no check catches and that nobody has classified as open or control. */
export function renderMissed(scores: readonly Scored[]): string[] {
  const missed = scores.filter(({ verdict, as }) => {
    return verdict.outcome === "missed" && (as === undefined || as === "gap");
  });
  return missed.flatMap(({ mutant, verdict, as }) => [
    `${as ?? "missed"}: ${mutant.key}`,
    `  line ${mutant.line}; script ${verdict.script}, ${verdict.where}`,
    `  - ${verdict.expected}`,
    `  + ${verdict.actual}`,
  ]);
}

/** The figures in one line. */
export function renderScore(scores: readonly Scored[], isGood: boolean): string {
  const sum = tally(scores);
  const shown = sum.mutants - sum.equivalent - sum.notStarted - sum.timedOut;
  const caught = sum.caught + sum.undecided;
  const line = [
    `${sum.mutants} mutants, ${sum.equivalent} equivalent`,
    `${caught} of ${shown} others caught, ${sum.byName} by name`,
    `${sum.open} open, ${sum.control} control, ${sum.gap} gaps, ${sum.unclassified} unclassified`,
  ].join("; ");
  return process.stdout.isTTY ? styleText(["bold", isGood ? "green" : "red"], line) : line;
}
