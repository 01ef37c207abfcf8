import { type Command, EXIT } from "../../src/cli/command.ts";
import { FORMAT_FLAG, formatIn, JSON_FLAG } from "../../src/cli/format.ts";
import { textOf } from "../../src/cli/input.ts";
import { outputTo } from "../../src/cli/output.ts";
import { styleFor } from "../../src/cli/terminal.ts";
import { compareReports, readReport, renderMarkdown, renderText } from "../report/compare.ts";

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
  examples: [
    { command: "txfeed compare before.json after.json", does: "list what no longer passes" },
    { command: "txfeed compare before.json after.json --json", does: "print it for a program" },
    {
      command: "txfeed compare before.json after.json --format markdown",
      does: "print it for a pull request",
    },
  ],
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
