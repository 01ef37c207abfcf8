import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ROOT } from "../document.ts";
import { startNode } from "../support/program.ts";
import { tempDir } from "../support/temp-dir.ts";

/** A test as a Vitest reporter sees it. */
export interface SeenTest {
  readonly name: string;
  readonly state: "passed" | "failed" | "skipped";
  /** The skip reason. */
  readonly note?: string;
  readonly warnings: readonly string[];
  /** Messages with stack traces. */
  readonly errors: readonly string[];
}

export const inState = (tests: readonly SeenTest[], wanted: SeenTest["state"]) =>
  tests.filter(({ state }) => state === wanted);

const REPORTER = `import { appendFileSync } from "node:fs";
export default class {
  onTestCaseResult(test) {
    const { state, note, errors = [] } = test.result();
    const warnings = test.annotations().map(({ message }) => message);
    const texts = errors.map(({ stack, message }) => stack ?? message);
    const seen = { name: test.name, state, note, warnings, errors: texts };
    appendFileSync(process.env.SEEN_FILE, JSON.stringify(seen) + "\\n");
  }
}
`;

/**
 * Runs a test file in a separate Vitest process.
 *
 * @param source The lines after the import of `describeConformance`.
 */
export async function runVitest({ source, args = [] }: { source: string; args?: string[] }) {
  const dir = tempDir();
  const suite = JSON.stringify(join(ROOT, "conformance/vitest.ts"));
  const file = join(dir, "team.test.ts");
  await writeFile(file, `import { describeConformance } from ${suite};\n${source}`);
  await writeFile(join(dir, "reporter.js"), REPORTER);
  const seen = join(dir, "seen.ndjson");
  await writeFile(seen, "");
  const vitest = join(ROOT, "node_modules/vitest/vitest.mjs");
  const reporters = ["--reporter=default", `--reporter=${join(dir, "reporter.js")}`];
  const { status, stdout, stderr } = await startNode(
    [vitest, "run", "--root", dir, ...reporters, ...args],
    { cwd: ROOT, env: { SEEN_FILE: seen, NO_COLOR: "1" } },
  ).ended;
  const lines = (await readFile(seen, "utf8")).split("\n").filter((line) => line !== "");
  const tests = lines.map((line): SeenTest => JSON.parse(line));
  return { status, output: stdout + stderr, tests };
}
