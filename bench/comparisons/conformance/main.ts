/**
 * `npm run bench:conformance`: compares `txfeed conformance` with other tools that test a server
 * by its OpenAPI document. Each tool runs against every mutation of `npm run mutation`, configured
 * as its users would configure it. Tools that npm has are installed into a temporary folder.
 */
import { parseArgs } from "node:util";
import type { Mutation } from "../../../mutation/mutation.ts";
import { mutations } from "../../../mutation/mutations/index.ts";
import { runTrial } from "../../../mutation/trial.ts";
import { readPositiveInteger, runScript } from "../../../scripts/run-script.ts";
import { TempWorkspace } from "../../../scripts/temp-workspace.ts";
import { ToolFolder } from "../../../scripts/tools/tool.ts";
import { writeAtomically } from "../../../src/cli/file.ts";
import { UsageError } from "../../../src/errors.ts";
import { dredd } from "./dredd.ts";
import { portman } from "./portman.ts";
import { prism } from "./prism.ts";
import { specmatic } from "./specmatic.ts";
import { renderTable, type ToolResult } from "./table.ts";
import { withTarget } from "./target-server.ts";
import type { Tool } from "./tool.ts";

const TOOLS: readonly Tool[] = [prism, portman, specmatic, dredd];
const TXFEED = { name: "txfeed conformance", configuration: "every option" };
const NAMES = [...TOOLS, { name: "txfeed" }].map(({ name }) => name).join(", ");

const FLAGS = {
  tools: { type: "string", value: "NAME,...", help: `run only these tools: ${NAMES}` },
  every: { type: "string", value: "N", help: "use every Nth mutation (default: 1)" },
  json: { type: "string", value: "FILE", help: "write all results to FILE" },
} as const;

function readFlags() {
  const { values } = parseArgs({ options: FLAGS });
  const every = readPositiveInteger("--every", values.every ?? "1");
  const wanted = values.tools?.toLowerCase().split(",");
  const tools = TOOLS.filter(({ name }) => {
    return wanted?.some((word) => name.toLowerCase().startsWith(word)) ?? true;
  });
  const includesTxfeed = wanted?.includes("txfeed") ?? true;
  if (tools.length === 0 && !includesTxfeed) {
    throw new UsageError(`--tools: no tool of ${values.tools}; the tools are ${NAMES}`);
  }
  return { tools, every, json: values.json, includesTxfeed };
}

/** Runs a tool against a mutant, or the unmodified sandbox; returns the findings. */
type Run = (mutation: Mutation | undefined) => Promise<string[]>;

/** Only a receiver of deliveries can detect these mutations. */
const isOnlyDelivered = ({ http, inside, deliveries }: Mutation) =>
  deliveries !== undefined && http === undefined && inside === undefined;

/** Runs a tool against the unmodified sandbox, and then against each mutation. */
async function measure(
  chosen: readonly Mutation[],
  run: Run,
  canDetect: (mutation: Mutation) => boolean,
): Promise<Omit<ToolResult, "name" | "configuration">> {
  const start = performance.now();
  const falsePositives = await run(undefined);
  const baselineSeconds = (performance.now() - start) / 1_000;
  const caught: string[] = [];
  const failed: string[] = [];
  let totalMs = 0;
  let runs = 0;
  for (const mutation of chosen.filter(canDetect)) {
    const startMs = performance.now();
    try {
      const findings = await run(mutation);
      if (findings.some((line) => !falsePositives.includes(line))) caught.push(mutation.id);
    } catch (error) {
      failed.push(`${mutation.id}: ${error instanceof Error ? error.message : error}`);
    }
    totalMs += performance.now() - startMs;
    runs += 1;
    if (process.stderr.isTTY) process.stderr.write(`\r${runs} of ${chosen.length}`);
  }
  if (process.stderr.isTTY) process.stderr.write("\n");
  const seconds = runs === 0 ? baselineSeconds : totalMs / runs / 1_000;
  return { total: chosen.length, falsePositives, caught, failed, seconds };
}

/** Runs this project's suite with all its options. */
async function runTxfeed(mutation: Mutation | undefined): Promise<string[]> {
  const { report } = await runTrial({ mutation });
  const found = report.requirements.filter(({ verdict }) => ["failed", "warned"].includes(verdict));
  return found.map(({ id, verdict }) => `${id} ${verdict}`);
}

async function measureTool(
  tool: Tool,
  chosen: readonly Mutation[],
  workspace: TempWorkspace,
): Promise<ToolResult> {
  const { name, configuration, packages } = tool;
  const folder = new ToolFolder(workspace, name);
  await folder.install(packages);
  const run: Run = (mutation) => withTarget(mutation, (target) => tool.run(target, folder));
  const result = await measure(chosen, run, (mutation) => !isOnlyDelivered(mutation));
  return { name, configuration, ...result };
}

async function main(): Promise<number> {
  const { tools, every, json, includesTxfeed } = readFlags();
  const chosen = mutations.filter((_, index) => index % every === 0);
  const workspace = new TempWorkspace();
  const results: ToolResult[] = [];
  const unavailable: string[] = [];
  for (const tool of tools) {
    process.stderr.write(`${tool.name}\n`);
    try {
      results.push(await measureTool(tool, chosen, workspace));
    } catch (error) {
      const [reason = ""] = String(error instanceof Error ? error.message : error).split("\n");
      unavailable.push(`${tool.name} is not available: ${reason}`);
    }
  }
  if (includesTxfeed) {
    process.stderr.write(`${TXFEED.name}\n`);
    results.push({ ...TXFEED, ...(await measure(chosen, runTxfeed, () => true)) });
  }
  console.log([...renderTable(results, chosen), ...unavailable].join("\n"));
  if (json !== undefined) {
    await writeAtomically(json, `${JSON.stringify({ results, unavailable }, null, 2)}\n`);
  }
  return 0;
}

const summary = "compares txfeed conformance with other tools that test a server";
await runScript({ name: "bench:conformance", summary, flags: FLAGS }, main);
