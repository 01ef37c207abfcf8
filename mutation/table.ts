import { styleText } from "node:util";
import { isInSequences, type Score, type Tally, tally } from "./score.ts";
import type { Result, Task } from "./task.ts";

type Style = Parameters<typeof styleText>[0];

const WIDTH = 100;

/** Colours text if the output is a terminal. */
function styled(style: Style, text: string): string {
  return process.stdout.isTTY ? styleText(style, text) : text;
}

const percent = (part: number, whole: number) =>
  whole === 0 ? "-" : `${((100 * part) / whole).toFixed(1)} %`;

/** A run of the unmodified sandbox, which must have no findings. */
export interface BaselineRun {
  readonly name: string;
  readonly task: Task;
  readonly result: Result;
}

export function renderBaseline(runs: readonly BaselineRun[]): string[] {
  if (runs.length === 0) return [];
  const lines = runs.map(({ name, result }) => {
    const { findings, summary, checks = 0, assertions = 0, durationMs } = result;
    const decided = (summary?.["passed"] ?? 0) + findings.length;
    const facts = [
      ...[`${decided} decided`.padStart(12), `${checks} checks`.padStart(12)],
      ...[
        `${assertions} assertions`.padStart(18),
        `${(durationMs / 1000).toFixed(1)} s`.padStart(8),
      ],
    ];
    const verdict = isClean(result) ? "no findings" : styled("red", "findings");
    return `  ${name.padEnd(28)}${verdict.padEnd(14)}${styled("dim", facts.join(""))}`;
  });
  const details = runs.flatMap(({ name, result: { findings, errors } }) => [
    ...findings.map(({ id, check, actual }) => shortened(`  ${name}: ${id} ${check}: ${actual}`)),
    ...errors.map((error) => shortened(`  ${name}: ${error}`)),
  ]);
  return [styled("bold", "unmodified sandbox"), "", ...lines, ...details, ""];
}

export function renderMutations(scores: readonly Score[]): string[] {
  const width = Math.max(...scores.map(({ mutation }) => mutation.id.length), "mutation".length);
  const columns = ["mutation".padEnd(width + 2), "breaks".padEnd(9), "caught".padEnd(11)];
  const head = `  ${columns.join("")}${"first cause".padEnd(13)}also failing`;
  const lines = scores.flatMap(({ mutation, outcome, others, blind, isFirstCause, result }) => {
    const style = { "by name": "green", otherwise: "yellow", missed: "red", idle: "red" } as const;
    const plain = `  ${mutation.id.padEnd(width)}  ${mutation.requirement.padEnd(9)}`;
    const room = WIDTH - plain.length - 11 - 13;
    const caught = styled(style[outcome], outcome.padEnd(11));
    const cause = (result.firstCause ?? "").padEnd(13);
    const first = isFirstCause ? styled("dim", cause) : styled("yellow", cause);
    return [
      `${plain}${caught}${first}${styled("dim", listed(others, room))}`,
      ...result.errors.map((error) => styled("red", shortened(`    ${error}`))),
      ...blind.map((name) => styled("red", shortened(`    not seen by ${name}`))),
    ];
  });
  return [styled("bold", "mutations"), "", styled("dim", head), ...lines, ""];
}

/** Lists the ids that fit, and the number of the others. */
function listed(ids: readonly string[], room: number): string {
  const text = ids.join(" ");
  if (text.length <= room) return text;
  const kept = Math.floor((room - " +99".length) / "CONV-01 ".length);
  return `${ids.slice(0, kept).join(" ")} +${ids.length - kept}`;
}

const shortened = (line: string) => (line.length > WIDTH ? `${line.slice(0, WIDTH - 1)}…` : line);

export function renderTotals(scores: readonly Score[]): string[] {
  const groups = Map.groupBy(scores, ({ mutation }) => mutation.requirement.split("-")[0] ?? "");
  const columns = [
    ...["mutations", "by name", "otherwise", "missed", "idle", "only"],
    "first cause",
  ];
  const cells = (sum: Tally) =>
    [
      ...[sum.mutations, sum.byName, sum.otherwise, sum.missed, sum.idle, sum.byNameOnly],
      sum.firstCause,
    ].map((count) => String(count).padStart(12));
  const head = `  ${"group".padEnd(12)}${columns.map((name) => name.padStart(12)).join("")}`;
  const row = (name: string, some: readonly Score[]) =>
    `  ${name.padEnd(12)}${cells(tally(some)).join("")}`;
  return [
    styled("bold", "totals"),
    "",
    styled("dim", head),
    ...[...groups].map(([name, some]) => row(name, some)),
    row("sequences", scores.filter(isInSequences)),
    row("all", scores),
    "",
  ];
}

/** Renders the summary. */
export function renderScore(
  scores: readonly Score[],
  runs: readonly BaselineRun[],
  isGood: boolean,
): string[] {
  const { mutations, byName, missed, idle, byNameOnly, firstCause, blind } = tally(scores);
  const caught = mutations - missed - idle;
  const clean = runs.filter(({ result }) => isClean(result)).length;
  const line = [
    `${caught} of ${mutations} mutations caught (${percent(caught, mutations)})`,
    `${byName} by name (${percent(byName, mutations)})`,
    `${byNameOnly} by name only`,
    `first cause right: ${firstCause} (${percent(firstCause, mutations)})`,
    ...(blind > 0 ? [`${blind} not seen by a check that must see them`] : []),
  ].join(", ");
  return [
    ...(runs.length > 0 ? [`${clean} of ${runs.length} unmodified runs have no findings`] : []),
    styled(isGood ? ["bold", "green"] : ["bold", "red"], line),
  ];
}

/** Whether a run of the unmodified sandbox has neither findings nor errors. */
export const isClean = ({ findings, errors }: Result) => findings.length + errors.length === 0;
