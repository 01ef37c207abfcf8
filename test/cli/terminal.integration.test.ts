import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { scenario } from "../../src/fixtures/index.ts";
import { ROOT } from "../document.ts";
import { TXFEED } from "../support/program.ts";
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
function onTerminal(command: string, env: NodeJS.ProcessEnv = {}) {
  const line = command.replace("txfeed", `${process.execPath} ${TXFEED}`);
  const { stdout, status } = spawnSync("script", ["-qec", line, "/dev/null"], {
    cwd: dir,
    env: { ...process.env, ...variables, ...env },
  });
  return { status, screen: String(stdout) };
}

beforeAll(async () => {
  const lines = scenario("everything-at-once").map((one) => JSON.stringify(one));
  const small = `${lines.join("\n")}\n`;
  writeFileSync(join(dir, "small.ndjson"), small);
  writeFileSync(join(dir, "large.ndjson"), small.repeat(2_000));
});

test.skipIf(!hasTerminal).each<[boolean, string, NodeJS.ProcessEnv]>([
  [true, "txfeed validate small.ndjson", {}],
  [false, "txfeed validate small.ndjson", { NO_COLOR: "1" }],
  [false, "txfeed validate small.ndjson", { TERM: "dumb" }],
  [true, "txfeed validate small.ndjson", { TERM: "dumb", FORCE_COLOR: "1" }],
  [false, "txfeed validate small.ndjson | cat", {}],
  [true, "txfeed validate small.ndjson | cat", { FORCE_COLOR: "1" }],
  [false, "txfeed validate --json small.ndjson", { FORCE_COLOR: "1" }],
])(`colours are %s: %s %j ${SKIPPED}`, (expected, command, env) => {
  const { status, screen } = onTerminal(command, env);
  expect(status).toBe(0);
  expect(screen.includes(GREEN)).toBe(expected);
});

test.skipIf(!hasTerminal).each([
  ["txfeed validate large.ndjson", / payloads, [\d,]+\/s/],
  ["txfeed validate --json large.ndjson", / payloads, [\d,]+\/s/],
  ["txfeed history --json large.ndjson", / deliveries, [\d,]+\/s/],
  [`txfeed breaks ${DOCUMENT} ${DOCUMENT}`, /loading.*reading .*comparing/s],
])(`%s shows progress on the terminal, and erases it ${SKIPPED}`, (command, text) => {
  const { status, screen } = onTerminal(`${command} > out.txt`);
  expect(status).toBe(0);
  expect(screen).toMatch(text);
  expect(screen.startsWith(LINE)).toBe(true);
  expect(screen.endsWith(LINE)).toBe(true);
  expect(readFileSync(join(dir, "out.txt"), "utf8")).not.toContain(LINE);
});

test.skipIf(!hasTerminal).each([
  ["txfeed validate --json large.ndjson | tail -1", {}],
  ["txfeed validate large.ndjson 2> errors.txt", {}],
  ["txfeed history large.ndjson", { TERM: "dumb" }],
])(`%s shows no progress %j ${SKIPPED}`, (command, env) => {
  const { status, screen } = onTerminal(command, env);
  expect(status).toBe(0);
  expect(screen).not.toContain(LINE);
  if (command.includes("errors.txt"))
    expect(readFileSync(join(dir, "errors.txt"), "utf8")).toBe("");
});
