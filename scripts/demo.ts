/**
 * `npm run demo`: regenerates what is stale, starts the mock on a free port, runs conformance
 * against it, says where the report lies, and stops what it started.
 */
import { spawnSync } from "node:child_process";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startMock } from "../src/cli/prism.ts";

const CLI = fileURLToPath(new URL("../src/cli/main.ts", import.meta.url));
const GENERATE = fileURLToPath(new URL("generate/main.ts", import.meta.url));

/** Runs one of our own programs on this screen. */
function run(program: string, ...args: string[]): number {
  return spawnSync(process.execPath, [program, ...args], { stdio: "inherit" }).status ?? 1;
}

async function demo(): Promise<number> {
  console.log("generate");
  const generated = run(GENERATE);
  if (generated !== 0) return generated;

  const mock = await startMock();
  console.log(`\nmock on ${mock.url}\n`);
  try {
    const report = join(await mkdtemp(join(tmpdir(), "txfeed-demo-")), "report.json");
    return run(CLI, "conformance", mock.url, "--profile", "mock", "--report-json", report);
  } finally {
    await mock.stop();
  }
}

try {
  process.exitCode = await demo();
} catch (error) {
  if (process.env.TXFEED_DEBUG) throw error;
  console.error(`demo: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
