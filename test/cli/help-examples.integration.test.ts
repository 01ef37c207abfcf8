import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadCommand, loadCommands } from "../../bin/commands.ts";
import { readCall } from "../../src/cli/command.ts";
import { make, scenario } from "../../src/fixtures/index.ts";
import { createSandbox, type Sandbox } from "../../src/sandbox/index.ts";
import { sqliteInbox } from "../../src/webhooks/sqlite/index.ts";
import { ROOT } from "../document.ts";
import { startNode, TXFEED, txfeed } from "../support/program.ts";
import { tempDir } from "../support/temp-dir.ts";
import { fill } from "./queue-calls.ts";

const commands = await loadCommands();
const examples = commands.flatMap((command) => [
  ...command.examples,
  ...Object.values(command.verbs ?? {}).flatMap((verb) => verb.examples),
]);
const lines = [...new Set(examples.map(({ command }) => command))];
const isServer = (line: string) => /^txfeed (listen|mock|sandbox)\b/.test(line);
/** Needs the registry of npm. */
const needsNetwork = (line: string) => line.includes("txfeed@0.1.0");

const DRIVER = pathToFileURL(join(ROOT, "conformance/drivers/sandbox.ts")).href;

const dir = tempDir();
let sandbox: Sandbox;
/** A delivery in the inbox, in quarantine. */
let id = 0;

beforeAll(async () => {
  sandbox = await createSandbox({ port: 0 });
  const deliveries = scenario("everything-at-once").map((one) => JSON.stringify(one));
  writeFileSync(join(dir, "capture.ndjson"), `${deliveries.join("\n")}\n`);
  writeFileSync(join(dir, "body.json"), JSON.stringify(make("transaction.updated"), null, 2));
  mkdirSync(join(dir, "generated"));
  for (const name of ["old.json", "new.json", "generated/openapi.json"]) {
    copyFileSync(join(ROOT, "generated/openapi.json"), join(dir, name));
  }
  const git = (...args: string[]) => execFileSync("git", ["-C", dir, ...args]);
  git("init", "--quiet", "--initial-branch", "main");
  git("add", "generated");
  git("-c", "user.name=x", "-c", "user.email=x@example.com", "commit", "--quiet", "-m", "x");
  // The files that other commands write.
  const check = `txfeed conformance ${sandbox.baseUrl} --only PAGE`;
  expect((await run(`${check} --evidence run.ndjson --report-json before.json`)).status).toBe(0);
  copyFileSync(join(dir, "before.json"), join(dir, "after.json"));
});

afterAll(() => sandbox?.close());

function environment(): NodeJS.ProcessEnv {
  const [{ accountId, clientId, clientSecret }] = sandbox.accounts;
  return {
    TXFEED_ACCOUNT_ID: accountId,
    TXFEED_CLIENT_ID: clientId,
    TXFEED_CLIENT_SECRET: clientSecret,
  };
}

/** Starts a command line in the folder. */
function started(line: string) {
  const [, ...args] = line.split(" ");
  return startNode([TXFEED, ...args], { cwd: dir, env: environment(), input: "" });
}

const run = (line: string) => started(line).ended;

/** The command line with the addresses, ids and limits of this test. */
function adapted(line: string): string {
  const own = line.replace("http://127.0.0.1:4020", sandbox.baseUrl).replace(/ 17\b/, ` ${id}`);
  if (line.startsWith("txfeed trigger")) return `${own} --url ${sandbox.baseUrl}`;
  if (line.endsWith("--explore")) return `${own} --scripts 1`;
  const isComplete = /^txfeed conformance http/.test(line) && !line.includes("--only");
  return isComplete ? `${own} --only PAGE` : own;
}

test.each(lines.filter((line) => !isServer(line) && !needsNetwork(line)))(
  "%s runs",
  async (line) => {
    rmSync(join(dir, "conformance-driver.mjs"), { force: true });
    writeFileSync(join(dir, "my-driver.mjs"), `export { default } from ${JSON.stringify(DRIVER)};`);
    const path = join(dir, "feed.db");
    const inbox = sqliteInbox({ path });
    await inbox.drop({});
    await fill(inbox);
    id = (await inbox.list({ state: "quarantined" }))[0]?.id ?? 0;
    inbox.close();
    // The mock profile needs no mock: it sends only what a sandbox answers too.
    const target = line.replace("http://127.0.0.1:4010", sandbox.baseUrl);
    const { status, stdout, stderr } = await run(adapted(target));
    // With a driver, conformance says where it receives deliveries.
    expect(stderr.replace(/^receiving deliveries at http:\S+\n$/, "")).toBe("");
    expect(status).toBe(line.endsWith("--check") ? 1 : 0);
    expect(stdout).not.toBe("");
    if (!line.includes("--json")) return;
    for (const text of stdout.trimEnd().split("\n")) expect(JSON.parse(text)).toBeTypeOf("object");
  },
);

test.each(lines.filter(isServer))("%s runs until it is interrupted", async (line) => {
  const program = started(
    /--port \d+/.test(line) ? line.replace(/--port \d+/, "--port 0") : `${line} --port 0`,
  );
  await program.until(line.includes("--json") ? /\}\n$/ : /press Ctrl-C to stop\n$/);
  expect(await program.stop()).toBe(0);
  const { stdout, stderr } = program.output;
  expect(stderr).toBe("");
  if (!line.includes("--json")) return;
  for (const text of stdout.trimEnd().split("\n")) expect(JSON.parse(text)).toBeTypeOf("object");
});

test("only one example needs the network", () => {
  expect(lines.filter(needsNetwork)).toHaveLength(1);
});

test("the overview starts with commands that exist", async () => {
  const { stdout } = await txfeed("--help");
  const [, start = ""] = /\nstart here:\n(.*?)\n\n/s.exec(stdout) ?? [];
  const calls = [...start.matchAll(/txfeed ([a-z]+)((?: [^\s,]+)*)/g)];
  expect(calls.length).toBeGreaterThan(3);
  for (const [, name = "", words = ""] of calls) {
    const command = await loadCommand(name);
    expect(command?.name).toBe(name);
    if (command) readCall(command, words.split(" ").filter(Boolean));
  }
});
