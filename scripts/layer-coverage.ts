/**
 * `npm run coverage`: runs the tests with coverage and prints a table with one row for each layer:
 * each folder of `src/`, and `conformance/`. `--markdown FILE` also appends the table to FILE.
 */
import { spawnSync } from "node:child_process";
import { appendFile, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { runScript } from "./run-script.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const FOLDER = join(ROOT, "coverage");
const METRICS = ["lines", "branches", "functions"] as const;

/** Covered and total counts of one metric. */
interface Count {
  readonly covered: number;
  readonly total: number;
}

type Counts = Readonly<Record<(typeof METRICS)[number], Count>>;

/** Vitest's `coverage-summary.json`: counts by absolute file name, and `total`. */
export type CoverageSummary = Readonly<Record<string, Counts>>;

/** Returns the layer of a file, such as `src/client`, or `src` for a file directly in it. */
function layerOf(file: string): string {
  const [top = "", folder = "", ...rest] = file.split("/");
  return top === "src" && rest.length > 0 ? `${top}/${folder}` : top;
}

/** Renders a Markdown table of the coverage of each layer, in percent. */
export function renderLayers(summary: CoverageSummary, root = ROOT): string {
  const files = Object.entries(summary).filter(([file]) => file !== "total");
  const layers = Map.groupBy(files, ([file]) => layerOf(relative(root, file)));
  const rows = [...layers]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([layer, own]) => {
      const cells = METRICS.map((metric) => percent(own.map(([, counts]) => counts[metric])));
      return `| ${[layer, own.length, ...cells].join(" | ")} |`;
    });
  return [
    "| layer | files | lines | branches | functions |",
    "|---|---|---|---|---|",
    ...rows,
  ].join("\n");
}

function percent(counts: readonly Count[]): string {
  const total = counts.reduce((sum, count) => sum + count.total, 0);
  const covered = counts.reduce((sum, count) => sum + count.covered, 0);
  return total === 0 ? "-" : `${((100 * covered) / total).toFixed(1)} %`;
}

const FLAGS = {
  markdown: { type: "string", value: "FILE", help: "append the table to FILE" },
} as const;

async function main(): Promise<number> {
  const { values } = parseArgs({ options: FLAGS });
  const vitest = fileURLToPath(import.meta.resolve("vitest/vitest.mjs"));
  const flags = ["enabled", "provider=v8", "reporter=json-summary", `reportsDirectory=${FOLDER}`];
  flags.push("include=src/**/*.ts", "include=conformance/**/*.ts", "exclude=conformance/suite/**");
  const args = [
    "run",
    "--project",
    "unit",
    "--project",
    "integration",
    ...flags.map((flag) => `--coverage.${flag}`),
  ];
  const { status } = spawnSync(process.execPath, [vitest, ...args], {
    cwd: ROOT,
    stdio: "inherit",
  });
  const summary = await readFile(join(FOLDER, "coverage-summary.json"), "utf8");
  const table = renderLayers(JSON.parse(summary));
  console.log(`\n${table}`);
  if (values.markdown !== undefined) await appendFile(values.markdown, `${table}\n`);
  return status ?? 1;
}

const summary = "runs the tests with coverage and prints a row for each layer";
if (import.meta.main) await runScript({ name: "coverage", summary, flags: FLAGS }, main);
