import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { ROOT } from "../document.ts";

/** `npm run conformance`. */
function startSuite(...args: string[]) {
  const vitest = `${ROOT}node_modules/vitest/vitest.mjs`;
  const program = spawn(
    process.execPath,
    [vitest, "run", "--project", "conformance", "--reporter=verbose", ...args],
    { cwd: ROOT, env: { ...process.env, NO_COLOR: "1" }, stdio: ["ignore", "pipe", "pipe"] },
  );
  const texts = [program.stdout, program.stderr].map((stream) => stream.toArray());
  const ended = once(program, "close").then(async ([status]) => {
    return { status, output: (await Promise.all(texts)).flat().join("") };
  });
  return { program, ended };
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

async function untilGone(pid: number): Promise<void> {
  while (isRunning(pid)) await sleep(20);
}

test("the suite passes on Prism, which it starts and stops", async () => {
  const { program, ended } = startSuite();
  const prism = await prismStartedBy(program.pid);
  const { status, output } = await ended;
  expect(status, output).toBe(0);
  expect(output).toContain("CONV-01 identifiers are UUID-shaped strings");
  expect(output).toMatch(/Tests +113 passed \| 372 skipped \(485\)/);
  await untilGone(prism);
});

test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
  "%s stops Prism with the suite",
  async (signal) => {
    const { program, ended } = startSuite();
    const prism = await prismStartedBy(program.pid);
    program.kill(signal);
    const { status } = await ended;
    expect(status).not.toBe(0);
    await untilGone(prism);
  },
);
