/**
 * `npm run bench:breaks`: compares verdicts of other OpenAPI diff tools with the labelled changes
 * of the contract, for consumers and callers. Each tool is installed from npm, at a pinned version,
 * into a temporary folder.
 */
import { parseArgs } from "node:util";
import { failureReason } from "../../../scripts/result-lines.ts";
import { readPositiveInteger, runScript } from "../../../scripts/run-script.ts";
import { TempWorkspace } from "../../../scripts/temp-workspace.ts";
import { ToolFolder } from "../../../scripts/tools/tool.ts";
import { writeAtomically } from "../../../src/cli/file.ts";
import { UsageError } from "../../../src/errors.ts";
import { corpus, type LabelledChange, readDocument } from "../../../test/breaks/corpus/index.ts";
import { apiSmartDiff } from "./api-smart-diff.ts";
import { openapiDiff } from "./openapi-diff.ts";
import { specmatic } from "./specmatic.ts";
import { outcomeOf, type Result, renderTable, type ToolVerdict } from "./table.ts";
import type { Mode, Tool } from "./tool.ts";

const TOOLS: readonly Tool[] = [apiSmartDiff, specmatic, openapiDiff];

const NAMES = TOOLS.map(({ name }) => name).join(", ");

const FLAGS = {
  only: {
    type: "string",
    value: "NAME",
    help: `run only the tools that start with NAME: ${NAMES}`,
  },
  every: { type: "string", value: "N", help: "use every Nth change (default: 1)" },
  json: { type: "string", value: "FILE", help: "write all verdicts to FILE" },
} as const;

function readFlags() {
  const { values } = parseArgs({ options: FLAGS });
  const { only = "", json } = values;
  const tools = TOOLS.filter(({ name }) => name.toLowerCase().startsWith(only.toLowerCase()));
  if (tools.length === 0) {
    throw new UsageError(`--only: no tool starts with "${only}"; the tools are ${NAMES}`);
  }
  const every = readPositiveInteger("--every", values.every ?? "1");
  return { tools, changes: corpus.filter((_, at) => at % every === 0), json };
}

async function compare(
  mode: Mode,
  folder: ToolFolder,
  { edit }: LabelledChange,
): Promise<ToolVerdict> {
  const before = readDocument();
  const after = structuredClone(before);
  edit(after);
  try {
    return { isBreaking: await mode.isBreaking(folder, before, after) };
  } catch (error) {
    return { failed: failureReason(error instanceof Error ? error.message : String(error)) };
  }
}

async function main(): Promise<number> {
  const { tools, changes, json } = readFlags();
  const workspace = new TempWorkspace();
  const results: Result[] = [];
  for (const tool of tools) {
    const folder = new ToolFolder(workspace, tool.name);
    await folder.install(tool.packages);
    for (const mode of tool.modes) {
      const start = performance.now();
      const verdicts: { change: LabelledChange; verdict: ToolVerdict }[] = [];
      for (const change of changes) {
        verdicts.push({ change, verdict: await compare(mode, folder, change) });
      }
      results.push({ tool: `${tool.name} ${tool.version}`, mode: mode.label, verdicts });
      const seconds = ((performance.now() - start) / 1000).toFixed(0);
      console.error(`${tool.name}, ${mode.label}: ${changes.length} changes in ${seconds} s`);
    }
  }
  console.log(renderTable(results).join("\n"));
  if (json !== undefined) {
    const plain = results.map(({ tool, mode, verdicts }) => ({
      ...{ tool, mode },
      verdicts: verdicts.map(({ change, verdict }) => {
        return { name: change.name, outcome: outcomeOf(change, verdict), ...verdict };
      }),
    }));
    await writeAtomically(json, `${JSON.stringify(plain, null, 2)}\n`);
  }
  return 0;
}

const summary = "compares the verdicts of other OpenAPI diff tools with the labelled changes";
await runScript({ name: "bench:breaks", summary, flags: FLAGS }, main);
