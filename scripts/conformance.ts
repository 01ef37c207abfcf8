/**
 * `npm run conformance`: starts the mock on a free port, runs the mock profile against it, and
 * stops what it started. The report goes to a new folder for temporary files.
 */
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { conformance } from "../src/cli/conformance.ts";
import { startMock } from "../src/cli/prism.ts";
import { runScript } from "./program.ts";

async function main(): Promise<number> {
  parseArgs();
  const mock = await startMock();
  try {
    const report = join(await mkdtemp(join(tmpdir(), "txfeed-")), "report.json");
    const values = { profile: "mock", "report-json": report };
    return await conformance.run({ positionals: [mock.url], values });
  } finally {
    await mock.stop();
  }
}

// An interrupted run ends by way of exit, which takes the mock along.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.once(signal, () => process.exit(1));
}

await runScript("conformance", main);
