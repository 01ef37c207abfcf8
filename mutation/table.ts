import { styleText } from "node:util";
import { type Fault, type Score, type Tally, tally } from "./score.ts";
import type { Result } from "./task.ts";

type Style = Parameters<typeof styleText>[0];

const WIDTH = 100;

/** A fault with its score and the result that it comes from. */
export interface Scored {
  readonly fault: Fault;
  readonly score: Score;
  readonly result: Pick<Result, "errors" | "firstCause" | "way">;
}

/** A run of the unmodified sandbox, which must have no findings. */
export interface BaselineRun {
  readonly name: string;
  readonly result: Result;
}

/** Colours text if the output is a terminal. */
function styled(style: Style, text: string): string {
  return process.stdout.isTTY ? styleText(style, text) : text;
}

const shortened = (line: string) => (line.length > WIDTH ? `${line.slice(0, WIDTH - 1)}…` : line);

const percent = (part: number, whole: number) =>
  whole === 0 ? "-" : `${((100 * part) / whole).toFixed(1)} %`;

export function renderBaseline(runs: readonly BaselineRun[]): string[] {
  const lines = runs.flatMap(({ name, result }) => {
    const { findings, errors, decided, durationMs } = result;
    const seconds = `${(durationMs / 1000).toFixed(1)} s`;
    const facts = `${`${decided} claims`.padStart(12)}${seconds.padStart(10)}`;
    const verdict = isClean(result) ? "no findings" : styled("red", "findings");
    const details = [...findings, ...errors].map((text) => shortened(`    ${text}`));
    return [`  ${name.padEnd(28)}${verdict.padEnd(14)}${styled("dim", facts)}`, ...details];
  });
  return [styled("bold", "unmodified sandbox"), "", ...lines, ""];
}

export function renderFaults(all: readonly Scored[]): string[] {
  const width = Math.max(...all.map(({ fault }) => fault.id.length), "mutation".length) + 2;
  const head = [
    ...["mutation".padEnd(width), "breaks".padEnd(9), "caught".padEnd(11)],
    ...["first cause".padEnd(13), "also failing"],
  ];
  const lines = all.flatMap(({ fault, score, result }) => {
    const style = { "by name": "green", otherwise: "yellow", missed: "red", idle: "red" } as const;
    const plain = `  ${fault.id.padEnd(width)}${fault.requirement.padEnd(9)}`;
    const cause = (result.firstCause ?? result.way ?? "").padEnd(13);
    return [
      plain +
        styled(style[score.outcome], score.outcome.padEnd(11)) +
        (score.isFirstCause === false ? styled("yellow", cause) : styled("dim", cause)) +
        styled("dim", listed(score.others, WIDTH - plain.length - 11 - 13)),
      ...result.errors.map((error) => styled("red", shortened(`    ${error}`))),
      ...score.blind.map((id) => styled("red", shortened(`    ${id} did not fail`))),
    ];
  });
  return [styled("bold", "mutations"), "", styled("dim", `  ${head.join("")}`), ...lines, ""];
}

/** Lists the ids that fit, and the number of the others. */
function listed(ids: readonly string[], room: number): string {
  const text = ids.join(" ");
  if (text.length <= room) return text;
  const kept = Math.floor((room - " +99".length) / "CONV-01 ".length);
  return `${ids.slice(0, kept).join(" ")} +${ids.length - kept}`;
}

export function renderTotals(all: readonly Scored[]): string[] {
  const groups = Map.groupBy(all, ({ fault }) => fault.requirement.split("-")[0] ?? "");
  const columns = ["mutations", "by name", "otherwise", "missed", "idle", "first cause"];
  const cells = (sum: Tally) =>
    [sum.faults, sum.byName, sum.otherwise, sum.missed, sum.idle, sum.firstCause]
      .map((count) => String(count).padStart(12))
      .join("");
  const row = (name: string, some: readonly Scored[]) =>
    `  ${name.padEnd(12)}${cells(tally(some.map(({ score }) => score)))}`;
  const head = `  ${"group".padEnd(12)}${columns.map((name) => name.padStart(12)).join("")}`;
  return [
    ...[styled("bold", "totals"), "", styled("dim", head)],
    ...[...groups].map(([name, some]) => row(name, some)),
    ...[row("all", all), ""],
  ];
}

/** Renders the summary. */
export function renderScore(
  all: readonly Scored[],
  runs: readonly BaselineRun[],
  isGood: boolean,
): string[] {
  const sum = tally(all.map(({ score }) => score));
  const caught = sum.faults - sum.missed - sum.idle;
  const clean = runs.filter(({ result }) => isClean(result)).length;
  const ways = Map.groupBy(all, ({ result }) => result.way ?? "not tried");
  const line = [
    `${caught} of ${sum.faults} mutations caught (${percent(caught, sum.faults)})`,
    `${sum.byName} by name (${percent(sum.byName, sum.faults)})`,
    `first cause right: ${sum.firstCause} of ${sum.explained}`,
    ...(sum.blind > 0 ? [`${sum.blind} with a claim that did not fail`] : []),
  ].join(", ");
  return [
    `${clean} of ${runs.length} unmodified runs have no findings`,
    [...ways].map(([way, some]) => `${some.length} ${way}`).join(", "),
    styled(isGood ? ["bold", "green"] : ["bold", "red"], line),
  ];
}

/** Whether a run of the unmodified sandbox has neither findings nor errors. */
export const isClean = ({ findings, errors }: Result) => findings.length + errors.length === 0;
