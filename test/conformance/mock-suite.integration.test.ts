import { execFileSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { ROOT } from "../document.ts";
import { startNode } from "../support/program.ts";

/** `npm run conformance`. */
function startSuite() {
  const vitest = `${ROOT}node_modules/vitest/vitest.mjs`;
  const args = [vitest, "run", "--project", "conformance", "--reporter=verbose"];
  return startNode(args, { cwd: ROOT, env: { NO_COLOR: "1" } });
}

/** The process id of the Prism that a process has started; undefined if there is none. */
function prismOf(pid: number | undefined): number | undefined {
  const processes = execFileSync("ps", ["-A", "-o", "pid=,ppid=,args="], { encoding: "utf8" });
  const row = processes
    .split("\n")
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [])
    .find(([, , parent, args]) => Number(parent) === pid && args?.includes("prism-cli"));
  return row && Number(row[1]);
}

async function prismStartedBy(pid: number | undefined): Promise<number> {
  for (;;) {
    const found = prismOf(pid);
    if (found !== undefined) return found;
    await sleep(20);
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function untilExited(pid: number): Promise<void> {
  while (isRunning(pid)) await sleep(20);
}

test("the suite passes on Prism, which it starts and stops", async () => {
  const { child, ended } = startSuite();
  const prism = await prismStartedBy(child.pid);
  const { status, stdout, stderr } = await ended;
  const output = stdout + stderr;
  expect(status, output).toBe(0);
  expect(output).toContain("CONV-01 every body");
  expect(output).toMatch(/Tests +127 passed \| 393 skipped \(520\)/);
  await untilExited(prism);
});

test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
  "%s stops Prism with the suite",
  async (signal) => {
    const { child, stop } = startSuite();
    const prism = await prismStartedBy(child.pid);
    expect(await stop(signal)).not.toBe(0);
    await untilExited(prism);
  },
);
