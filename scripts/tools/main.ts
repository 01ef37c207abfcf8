/**
 * `npm run check:tools`: runs other tools on the OpenAPI and Arazzo documents. Each tool is
 * installed from npm, at a pinned version, into a temporary folder. Prints a line for each tool;
 * exit status 1 if one fails. `--only NAME` runs the tools whose names start with NAME.
 */
import { parseArgs } from "node:util";
import { startMock } from "../../src/cli/prism.ts";
import { UsageError } from "../../src/errors.ts";
import { createSandbox } from "../../src/sandbox/index.ts";
import { type CheckResult, failureReason, renderResult, renderSummary } from "../result-lines.ts";
import { runScript } from "../run-script.ts";
import { TempWorkspace } from "../temp-workspace.ts";
import { generators } from "./generators.ts";
import { serverTools } from "./servers.ts";
import { type Servers, type Tool, ToolFolder, ToolMissing } from "./tool.ts";

const TOOLS: readonly Tool[] = [...generators, ...serverTools];

/** The number of tools that run concurrently. */
const CONCURRENCY = 2;

async function runTool(
  tool: Tool,
  workspace: TempWorkspace,
  servers: Servers,
): Promise<CheckResult> {
  const { name, version, packages } = tool;
  const start = performance.now();
  const folder = new ToolFolder(workspace, name);
  const outcome = await folder
    .install(packages)
    .then(() => tool.check(folder, servers))
    .then(
      (text) => ({ outcome: "passed", text }) as const,
      (error: unknown) => {
        const text = failureReason(error instanceof Error ? error.message : String(error));
        return { outcome: error instanceof ToolMissing ? "skipped" : "failed", text } as const;
      },
    );
  return { name, version, ...outcome, durationMs: performance.now() - start };
}

const FLAGS = {
  only: {
    type: "string",
    value: "NAME",
    help: "run only the tools whose names start with NAME",
    default: "",
  },
} as const;

async function main(): Promise<number> {
  const { values } = parseArgs({ options: FLAGS });
  const prefix = values.only.toLowerCase();
  const chosen = TOOLS.filter(({ name }) => name.toLowerCase().startsWith(prefix));
  if (chosen.length === 0) {
    const names = TOOLS.map(({ name }) => name).join(", ");
    throw new UsageError(`--only: no tool starts with "${values.only}"; the tools are ${names}`);
  }
  const start = performance.now();
  const workspace = new TempWorkspace();
  const mock = await startMock();
  await using sandbox = await createSandbox({ world: "small" });
  const lines: CheckResult[] = [];
  try {
    const queue = chosen.values();
    const work = async () => {
      for (const tool of queue) {
        const line = await runTool(tool, workspace, { mockUrl: mock.url, sandbox });
        lines.push(line);
        console.log(renderResult(line));
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, work));
  } finally {
    await mock.stop();
  }
  console.log(renderSummary(lines, performance.now() - start));
  return lines.some(({ outcome }) => outcome === "failed") ? 1 : 0;
}

const summary = "runs other tools on the OpenAPI and Arazzo documents";
await runScript({ name: "check:tools", summary, flags: FLAGS }, main);
