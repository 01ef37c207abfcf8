import { styleText } from "node:util";
import type { Result } from "./score.ts";
import { type Fault, type Score, type Tally, tally } from "./score.ts";

type Style = Parameters<typeof styleText>[0];

const WIDTH = 100;

/** A fault with its score and the result that it comes from. */
export interface Scored {
  readonly fault: Fault;
  readonly score: Score;
  readonly result: Pick<Result, "errors" | "firstCause" | "way" | "difference">;
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
  if (runs.length === 0) return [];
  const lines = runs.flatMap(({ name, result }) => {
    const { findings, errors, volume, durationMs } = result;
    const facts = `${volume.padStart(12)}${`${(durationMs / 1000).toFixed(1)} s`.padStart(10)}`;
    const verdict = isClean(result) ? "no findings" : styled("red", "findings");
    const details = [...findings, ...errors].map((text) => shortened(`    ${text}`));
    return [`  ${name.padEnd(28)}${verdict.padEnd(14)}${styled("dim", facts)}`, ...details];
  });
  return [styled("bold", "unmodified sandbox"), "", ...lines, ""];
}

/** How many bugs are listed even if nothing is wrong with them. */
const MAX_LISTED = 40;

/** The widest id in a column. A longer one has a line of its own. */
const MAX_ID = 44;

/** What is wrong with the suite or the bug; all other outcomes are as they should be. */
const WRONG: readonly Score["outcome"][] = ["otherwise", "missed", "idle", "gap"];

/** The bugs that need a look; a short list has all of them. */
export function renderFaults(all: readonly Scored[]): string[] {
  const shown = all.filter(({ score: { outcome, blind }, result: { errors } }) => {
    return all.length <= MAX_LISTED || WRONG.includes(outcome) || blind.length + errors.length > 0;
  });
  if (shown.length === 0) return [];
  const widest = Math.max(...shown.map(({ fault }) => Math.min(fault.id.length, MAX_ID)));
  const columns = (id: string, breaks: string, outcome: string) =>
    `  ${id.padEnd(widest + 2)}${breaks.padEnd(9)}${outcome.padEnd(12)}`;
  const lines = shown.flatMap(({ fault: { id, breaks, description = "" }, score, result }) => {
    const { outcome, others, isFirstCause, blind } = score;
    const isLong = id.length > MAX_ID;
    const plain = columns(isLong ? "" : id, breaks.join(" "), outcome);
    const style = outcome === "otherwise" ? "yellow" : WRONG.includes(outcome) ? "red" : "green";
    const cause = (result.firstCause ?? result.way ?? "").padEnd(13);
    const isUnseen = WRONG.includes(outcome) && outcome !== "otherwise" && result.difference;
    return [
      ...(isLong ? [`  ${id}`] : []),
      styled(style, plain) +
        styled(isFirstCause === false ? "yellow" : "dim", cause) +
        styled("dim", listed(others, WIDTH - plain.length - cause.length)),
      ...(isUnseen ? [description, ...isUnseen].map((text) => `    ${text}`) : []),
      ...result.errors.map((error) => styled("red", shortened(`    ${error}`))),
      ...blind.map((claim) => styled("red", shortened(`    ${claim} did not fail`))),
    ];
  });
  const head = `${columns("bug", "breaks", "outcome")}${"first cause".padEnd(13)}also failing`;
  return [styled("bold", "bugs"), "", styled("dim", head), ...lines, ""];
}

/** Lists the ids that fit, and the number of the others. */
function listed(ids: readonly string[], room: number): string {
  const text = ids.join(" ");
  if (text.length <= room) return text;
  const kept = Math.max(0, Math.floor((room - " +99".length) / "CONV-01 ".length));
  return `${ids.slice(0, kept).join(" ")} +${ids.length - kept}`;
}

/** The bugs of each group by outcome, and of all. */
export function renderTotals(all: readonly Scored[]): string[] {
  const outcomes = [...new Set(all.map(({ score }) => score.outcome))].toSorted();
  const columns = ["bugs", ...outcomes, "first cause"];
  const cells = ({ faults, outcomes: counts, firstCause }: Tally) =>
    [faults, ...outcomes.map((outcome) => counts[outcome] ?? 0), firstCause].map(String);
  const line = (name: string, words: readonly string[]) =>
    `  ${name.padEnd(22)}${words
      .map((word, at) => word.padStart((columns[at]?.length ?? 0) + 2))
      .join("")}`;
  const row = (name: string, some: readonly Scored[]) =>
    line(name, cells(tally(some.map((one) => one.score))));
  return [
    ...[styled("bold", "totals"), "", styled("dim", line("group", columns))],
    ...[...Map.groupBy(all, ({ fault }) => fault.group)].map(([name, some]) => row(name, some)),
    ...[row("all", all), ""],
  ];
}

/** Renders the summary. */
export function renderScore(
  all: readonly Scored[],
  runs: readonly BaselineRun[],
  isGood: boolean,
): string[] {
  const { visible, caught, byName, explained, firstCause, blind } = tally(
    all.map(({ score }) => score),
  );
  const clean = runs.filter(({ result }) => isClean(result)).length;
  const ways = Map.groupBy(all, ({ result }) => result.way ?? "not tried");
  const line = [
    `${caught} of ${visible} bugs caught (${percent(caught, visible)})`,
    `${byName} by name (${percent(byName, visible)})`,
    ...(explained > 0 ? [`first cause right: ${firstCause} of ${explained}`] : []),
    ...(blind > 0 ? [`${blind} with a claim that did not fail`] : []),
  ].join(", ");
  return [
    ...(runs.length > 0 ? [`${clean} of ${runs.length} unmodified runs have no findings`] : []),
    [...ways].map(([way, some]) => `${some.length} ${way}`).join(", "),
    styled(isGood ? ["bold", "green"] : ["bold", "red"], line),
  ];
}

/** Whether a run of the unmodified sandbox has neither findings nor errors. */
export const isClean = ({ findings, errors }: Result) => findings.length + errors.length === 0;
