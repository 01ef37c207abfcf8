import { styleText } from "node:util";
import type { ScoredMutation, Tally } from "./score.ts";
import { isInSequences, tally } from "./score.ts";
import type { Result, Task } from "./task.ts";

type Style = Parameters<typeof styleText>[0];

const WIDTH = 100;

/** Colours only what a person looks at. */
function styled(style: Style, text: string): string {
  return process.stdout.isTTY ? styleText(style, text) : text;
}

const percent = (part: number, whole: number) =>
  whole === 0 ? "-" : `${((100 * part) / whole).toFixed(1)} %`;

/** The sandbox as it is: nothing is to be found. */
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
    const verdict = isClean(result) ? "nothing found" : styled("red", "findings");
    return `  ${name.padEnd(28)}${verdict.padEnd(14)}${styled("dim", facts.join(""))}`;
  });
  const details = runs.flatMap(({ name, result: { findings, errors } }) => [
    ...findings.map(({ id, check, actual }) => shortened(`  ${name}: ${id} ${check}: ${actual}`)),
    ...errors.map((error) => shortened(`  ${name}: ${error}`)),
  ]);
  return [styled("bold", "without a fault"), "", ...lines, ...details, ""];
}

export function renderMutations(bitten: readonly ScoredMutation[]): string[] {
  const width = Math.max(...bitten.map(({ mutation: fault }) => fault.id.length), 5);
  const columns = ["fault".padEnd(width + 2), "breaks".padEnd(9), "caught".padEnd(11)];
  const head = `  ${columns.join("")}also failing`;
  const lines = bitten.flatMap(({ mutation: fault, outcome, others, result }) => {
    const style = { "by name": "green", otherwise: "yellow", missed: "red", idle: "red" } as const;
    const plain = `  ${fault.id.padEnd(width)}  ${fault.requirement.padEnd(9)}`;
    const room = WIDTH - plain.length - 11;
    const cause = styled(style[outcome], outcome.padEnd(11));
    return [
      `${plain}${cause}${styled("dim", listed(others, room))}`,
      ...result.errors.map((error) => styled("red", shortened(`    ${error}`))),
    ];
  });
  return [styled("bold", "with a fault"), "", styled("dim", head), ...lines, ""];
}

/** As many as there is room for, and how many more there are. */
function listed(ids: readonly string[], room: number): string {
  const text = ids.join(" ");
  if (text.length <= room) return text;
  const kept = Math.floor((room - " +99".length) / "CONV-01 ".length);
  return `${ids.slice(0, kept).join(" ")} +${ids.length - kept}`;
}

const shortened = (line: string) => (line.length > WIDTH ? `${line.slice(0, WIDTH - 1)}…` : line);

export function renderTotals(bitten: readonly ScoredMutation[]): string[] {
  const groups = Map.groupBy(
    bitten,
    ({ mutation: fault }) => fault.requirement.split("-")[0] ?? "",
  );
  const columns = ["faults", "by name", "otherwise", "missed", "idle", "alone"];
  const cells = ({ mutations: faults, byName, otherwise, missed, idle, alone }: Tally) =>
    [faults, byName, otherwise, missed, idle, alone].map((count) => String(count).padStart(11));
  const head = `  ${"group".padEnd(12)}${columns.map((name) => name.padStart(11)).join("")}`;
  const row = (name: string, some: readonly ScoredMutation[]) =>
    `  ${name.padEnd(12)}${cells(tally(some)).join("")}`;
  return [
    styled("bold", "totals"),
    "",
    styled("dim", head),
    ...[...groups].map(([name, some]) => row(name, some)),
    row("sequences", bitten.filter(isInSequences)),
    row("all", bitten),
    "",
  ];
}

/** The lines that matter, last. */
export function renderScore(
  bitten: readonly ScoredMutation[],
  runs: readonly BaselineRun[],
  isGood: boolean,
): string[] {
  const { mutations: faults, byName, missed, idle, alone } = tally(bitten);
  const caught = faults - missed - idle;
  const found = runs.filter(({ result }) => !isClean(result)).length;
  const clean = `${runs.length - found} of ${runs.length} runs without a fault find nothing`;
  const line = [
    `${caught} of ${faults} faults caught (${percent(caught, faults)})`,
    `${byName} by name (${percent(byName, faults)})`,
    `${alone} alone`,
  ].join(", ");
  return [
    ...(runs.length > 0 ? [clean] : []),
    styled(isGood ? ["bold", "green"] : ["bold", "red"], line),
  ];
}

/** Whether a run without a fault is as it is to be. */
export const isClean = ({ findings, errors }: Result) => findings.length + errors.length === 0;
