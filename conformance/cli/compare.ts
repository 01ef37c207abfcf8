import { type Command, EXIT } from "../../src/cli/command.ts";
import { FORMAT_FLAG, formatIn, JSON_FLAG } from "../../src/cli/format.ts";
import { textOf } from "../../src/cli/input.ts";
import { outputTo } from "../../src/cli/output.ts";
import { styleFor } from "../../src/cli/terminal.ts";
import { reasonOf, UsageError } from "../../src/errors.ts";
import { counted, printable, type TextStyle } from "../../src/text.ts";
import { type Block, code, limited, plain } from "../report/markdown.ts";
import {
  type ClaimReport,
  type Report,
  type RequirementReport,
  sentenceOf,
} from "../report/report.ts";
import { hanging, indented } from "../report/text.ts";
import { examplesOf } from "./flags.ts";

/** `txfeed compare`: compares the reports of two conformance runs. */
export const compare: Command = {
  name: "compare",
  positionals: ["A", "B"],
  summary: "compares two reports of conformance runs: what passed and no longer does",
  notes: [
    "A and B: files written by conformance --report-json, the earlier run first.",
    "Exit status: 0 if every requirement and claim that passed in A passes in B, 1 otherwise: a",
    "requirement that B did not decide counts as no longer passing.",
  ],
  flags: {
    json: JSON_FLAG,
    format: { ...FORMAT_FLAG, value: "text|json|markdown" },
  },
  examples: examplesOf("txfeed compare before.json after.json", {
    "": "list what no longer passes",
    "--json": "print it for a program",
    "--format markdown": "print it for a pull request",
  }),
  run: async ({ positionals: [a = "", b = ""], values }) => {
    const format = formatIn(compare, values, ["text", "json", "markdown"] as const);
    const [before, after] = [readReport(await textOf(a), a), readReport(await textOf(b), b)];
    const comparison = compareReports(before, after);
    const rendered = {
      text: () => renderText(comparison, [a, b], styleFor(process.stdout)),
      json: () => `${JSON.stringify(comparison)}\n`,
      markdown: () => renderMarkdown(comparison, [a, b]),
    }[format]();
    await outputTo(process.stdout).write(rendered);
    return comparison.regressions > 0 ? EXIT.found : EXIT.ok;
  },
};

/** A report as read from a file, with the results of its requirements and claims by id. */
export interface ReadReport extends Pick<Report, "target" | "profile" | "brokenOff"> {
  readonly results: ReadonlyMap<string, Result>;
}

type Result = Pick<RequirementReport | ClaimReport, "id" | "verdict" | "reason" | "hint">;

/**
 * Reads a report that `conformance --report-json` wrote.
 *
 * @param name The file's name, for the error.
 * @throws {TxfeedError} `usage` if the text is not a report
 */
export function readReport(text: string, name: string): ReadReport {
  const problem = (why: string) => {
    const advice = "give a file of txfeed conformance --report-json";
    return new UsageError(`${name} is not a report: ${why}; ${advice}`);
  };
  let report: Partial<Report> | null;
  try {
    report = JSON.parse(text);
  } catch (error) {
    throw problem(`it is not JSON (${reasonOf(error)})`);
  }
  const { target, profile, brokenOff, requirements: all } = report ?? {};
  if (!target || !profile || !Array.isArray(all) || all.length === 0) {
    throw problem("it has no target, profile and requirements");
  }
  const results = all.flatMap((one): unknown[] => [one, one?.claims ?? []].flat());
  if (!results.every(isResult)) throw problem("a requirement or a claim has no id and verdict");
  return {
    ...{ target, profile, results: new Map(results.map((one) => [one.id, one])) },
    ...(brokenOff !== undefined && { brokenOff }),
  };
}

function isResult(value: unknown): value is Result {
  const { id, verdict, reason = "", hint = "" } = Object(value);
  return [id, verdict, reason, hint].every((one) => typeof one === "string");
}

/**
 * What happened to a requirement or a claim:
 * - `broken`: it fails, or warns, and did not before;
 * - `undecided`: this run decided less of it than the earlier one;
 * - `decided`: this run decided more of it, and it holds;
 * - `fixed`: it failed or warned, and passes;
 * - `other`: any other change, such as from failed to warned.
 */
export type ChangeKind = "broken" | "undecided" | "decided" | "fixed" | "other";

/** A requirement or a claim whose verdict changed. */
export interface Change extends Pick<Result, "reason" | "hint"> {
  readonly id: string;
  /** The verdicts; `absent` if the report does not list the requirement. */
  readonly from: string;
  readonly to: string;
  readonly change: ChangeKind;
  /** Whether it passed and no longer does. */
  readonly regression: boolean;
}

/** Two runs, compared. */
export interface Comparison {
  /** What makes the reports hard to compare, in sentences. */
  readonly remarks: readonly string[];
  readonly changes: readonly Change[];
  /** The number of requirements and claims that passed and no longer do. */
  readonly regressions: number;
}

/** Compares a later run B with an earlier run A. */
export function compareReports(a: ReadReport, b: ReadReport): Comparison {
  const changes = [...new Set([...a.results.keys(), ...b.results.keys()])].flatMap((id) => {
    const [before, after] = [a.results.get(id), b.results.get(id)];
    // Only a run that did not select the requirement omits its claims.
    if (id.includes(".") && !(before && after)) return [];
    const [from, to] = [before?.verdict ?? "absent", after?.verdict ?? "absent"];
    if (from === to) return [];
    const change = kindOf(from, to);
    const { reason, hint } = (change === "undecided" ? after : undefined) ?? {};
    const why = { ...(reason && { reason }), ...(hint && { hint }) };
    return { id, from, to, change, regression: from === "passed", ...why };
  });
  const remarks = [
    ...(a.target === b.target ? [] : [`The targets differ: ${a.target} and ${b.target}.`]),
    ...(a.profile === b.profile ? [] : [`The profiles differ: ${a.profile} and ${b.profile}.`]),
    ...(a.brokenOff === undefined ? [] : [`The run of A stopped early: ${a.brokenOff}`]),
    ...(b.brokenOff === undefined ? [] : [`The run of B stopped early: ${b.brokenOff}`]),
  ];
  return { remarks, changes, regressions: changes.filter((one) => one.regression).length };
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

/** The headings of the kinds, the most urgent first. */
const TITLES: Readonly<Record<ChangeKind, string>> = {
  broken: "broken",
  undecided: "newly undecided",
  other: "changed",
  decided: "newly decided",
  fixed: "fixed",
};

/** Changes of one kind: a heading, and groups between the same verdicts for the same reason. */
function sectionsOf({ changes }: Comparison) {
  return (Object.keys(TITLES) as ChangeKind[]).flatMap((kind) => {
    const own = changes.filter(({ change }) => change === kind);
    const groups = Map.groupBy(own, ({ from, to, reason = "", hint }) => {
      return `${from} → ${to}${reason && `: ${reason}`}${hint ? ` → ${hint}` : ""}`;
    });
    return own.length === 0 ? [] : [{ kind, title: `${own.length} ${TITLES[kind]}`, groups }];
  });
}

function resultOf({ regressions }: Comparison): string {
  if (regressions === 0) return "everything that passed still passes";
  const what = counted(regressions, "requirement or claim", "requirements and claims");
  return `${what} that passed no longer ${regressions === 1 ? "does" : "do"}`;
}

/** Renders a comparison as text: the changes by kind, and the result last. */
export function renderText(comparison: Comparison, names: string[], style: TextStyle): string {
  const isWorse = comparison.regressions > 0;
  return [
    `${style.bold("compare")} ${names.map(printable).join(" → ")}`,
    ...comparison.remarks.flatMap((remark) => indented(remark, 2)).map(style.warn),
    ...sectionsOf(comparison).flatMap(({ kind, title, groups }) => [
      "",
      `  ${(kind === "broken" ? style.bad : style.bold)(title)}`,
      ...[...groups].flatMap(([head, changes]) => [
        ...indented(head, 4),
        ...(kind === "broken"
          ? changes.flatMap(({ id }) => hanging(id, sentenceOf(id), 6))
          : indented(changes.map(({ id }) => id).join(" "), 6).map(style.dim)),
      ]),
    ]),
    "",
    style.bold((isWorse ? style.bad : style.good)(resultOf(comparison))),
    "",
  ].join("\n");
}

/** Renders a comparison in GitHub's Markdown, for the page of a CI job or a pull request. */
export function renderMarkdown(comparison: Comparison, names: string[]): string {
  const head = [
    `## Conformance of ${names.map(code).join(" and ")} compared`,
    "",
    `**${comparison.regressions > 0 ? "❌" : "✅"} ${resultOf(comparison)}**`,
    ...comparison.remarks.flatMap((remark) => ["", `> ${plain(remark)}`]),
  ];
  const sections = sectionsOf(comparison).map(({ title, groups }): Block => {
    const lines = [...groups].map(([why, changes]) => {
      return `- ${plain(why)}: ${changes.map(({ id }) => plain(id)).join(" ")}`;
    });
    return [title, ["", `### ${title}`, "", ...lines]];
  });
  return limited([["summary", head], ...sections], "`--json` has everything.");
}
