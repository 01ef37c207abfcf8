import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { scenario } from "../../src/fixtures/index.ts";
import { createSandbox, type Sandbox } from "../../src/sandbox/index.ts";
import { ROOT } from "../document.ts";
import { start, TXFEED } from "../support/program.ts";
import { tempDir } from "../support/temp-dir.ts";

/** The program `script` of util-linux runs a command on a pseudo terminal. */
const hasTerminal = String(spawnSync("script", ["--version"]).stdout).includes("util-linux");
const SKIPPED = "(skipped without util-linux)";

const DOCUMENT = join(ROOT, "generated/openapi.json");

const dir = tempDir();
const LINE = "\r\u001b[K";
const GREEN = "\u001b[32m";

const variables = { TERM: "xterm", NO_COLOR: "", FORCE_COLOR: "" };

/** Runs a shell command with `txfeed` on a pseudo terminal. Returns what the terminal got. */
async function onTerminal(command: string, env: NodeJS.ProcessEnv = {}) {
  const line = command.replace("txfeed", `${process.execPath} ${TXFEED}`);
  const program = start("script", ["-qec", line, "/dev/null"], {
    cwd: dir,
    env: { ...variables, ...env },
  });
  const { status, stdout } = await program.ended;
  return { status, screen: stdout };
}

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await createSandbox({ port: 0 });
  const lines = scenario("everything-at-once").map((one) => JSON.stringify(one));
  const small = `${lines.join("\n")}\n`;
  writeFileSync(join(dir, "small.ndjson"), small);
  writeFileSync(join(dir, "large.ndjson"), small.repeat(2_000));
});

afterAll(() => sandbox?.close());

test.skipIf(!hasTerminal).each<[boolean, string, NodeJS.ProcessEnv]>([
  [true, "txfeed validate small.ndjson", {}],
  [false, "txfeed validate small.ndjson", { NO_COLOR: "1" }],
  [false, "txfeed validate small.ndjson", { TERM: "dumb" }],
  [true, "txfeed validate small.ndjson", { TERM: "dumb", FORCE_COLOR: "1" }],
  [false, "txfeed validate small.ndjson | cat", {}],
  [true, "txfeed validate small.ndjson | cat", { FORCE_COLOR: "1" }],
  [false, "txfeed validate --json small.ndjson", { FORCE_COLOR: "1" }],
])(`colours are %s: %s %j ${SKIPPED}`, async (expected, command, env) => {
  const { status, screen } = await onTerminal(command, env);
  expect(status).toBe(0);
  expect(screen.includes(GREEN)).toBe(expected);
});

test.skipIf(!hasTerminal).each([
  ["txfeed validate large.ndjson", / payloads, [\d,]+\/s/],
  ["txfeed validate --json large.ndjson", / payloads, [\d,]+\/s/],
  ["txfeed history --json large.ndjson", / deliveries, [\d,]+\/s/],
  [`txfeed breaks ${DOCUMENT} ${DOCUMENT}`, /loading.*reading .*comparing/s],
])(`%s shows progress on the terminal, and erases it ${SKIPPED}`, async (command, text) => {
  const { status, screen } = await onTerminal(`${command} > out.txt`);
  expect(status).toBe(0);
  expect(screen).toMatch(text);
  expect(screen.startsWith(LINE)).toBe(true);
  expect(screen.endsWith(LINE)).toBe(true);
  expect(readFileSync(join(dir, "out.txt"), "utf8")).not.toContain(LINE);
});

test.skipIf(!hasTerminal)(`a run, its report and a trial show progress ${SKIPPED}`, async () => {
  const [{ accountId, clientId, clientSecret }] = sandbox.accounts;
  const env = {
    TXFEED_ACCOUNT_ID: accountId,
    TXFEED_CLIENT_ID: clientId,
    TXFEED_CLIENT_SECRET: clientSecret,
  };
  const runs: [string, RegExp][] = [
    ["conformance BASE_URL --evidence run.ndjson", /\d+ of \d+ checks, \d+ requests/],
    ["report run.ndjson", /\d+ of \d+ checks/],
    ["driver check BASE_URL --driver sandbox", /reaching the target|calling [a-zA-Z]+/],
  ];
  for (const [command, text] of runs) {
    const line = command.replace("BASE_URL", sandbox.baseUrl);
    const { status, screen } = await onTerminal(`txfeed ${line} > out.txt`, env);
    expect([command, status]).toEqual([command, 0]);
    expect(screen).toMatch(text);
    expect(screen.endsWith(LINE)).toBe(true);
  }
});

test.skipIf(!hasTerminal).each([
  ["txfeed validate --json large.ndjson | tail -1", {}],
  ["txfeed validate large.ndjson 2> errors.txt", {}],
  ["txfeed history large.ndjson", { TERM: "dumb" }],
])(`%s shows no progress %j ${SKIPPED}`, async (command, env) => {
  const { status, screen } = await onTerminal(command, env);
  expect(status).toBe(0);
  expect(screen).not.toContain(LINE);
  if (command.includes("errors.txt"))
    expect(readFileSync(join(dir, "errors.txt"), "utf8")).toBe("");
});
