import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Report } from "../../conformance/index.ts";
import { createSandbox, type Sandbox } from "../../src/sandbox/index.ts";
import { startNode, TXFEED, txfeed } from "../support/program.ts";
import { tempDir } from "../support/temp-dir.ts";
import { relayTo } from "./relay.ts";

let sandbox: Sandbox;
const dir = tempDir();

beforeAll(async () => {
  sandbox = await createSandbox({ world: "small" });
});

afterAll(async () => {
  await sandbox[Symbol.asyncDispose]();
});

/** A correct server, except that it never returns its cards. */
async function hanging(): Promise<{ url: string; requested: Promise<void> }> {
  let onRequest = () => {};
  const requested = new Promise<void>((resolve) => {
    onRequest = resolve;
  });
  const url = await relayTo(sandbox.baseUrl, async (_, request) => {
    if (!request.url.startsWith("/cards")) return;
    onRequest();
    await new Promise(() => {});
  });
  return { url, requested };
}

/** Starts a run as the sandbox's first account. */
function start(...args: string[]) {
  const [{ accountId, clientId, clientSecret }] = sandbox.accounts;
  const env = {
    ...{ TXFEED_ACCOUNT_ID: accountId, TXFEED_CLIENT_ID: clientId },
    TXFEED_CLIENT_SECRET: clientSecret,
  };
  return startNode([TXFEED, "conformance", ...args], { env });
}

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)(
  "%s stops the run, which writes a partial report and exits %i",
  async (signal, status) => {
    const { url, requested } = await hanging();
    const files = ["evidence", "report-json", "junit", "html", "markdown"];
    const file = (name: string) => join(dir, `${signal}-${name}`);
    const { child, ended } = start(url, ...files.flatMap((name) => [`--${name}`, file(name)]));
    await requested;
    child.kill(signal);
    const over = await ended;
    expect(over.status).toBe(status);
    expect(over.stderr).toBe(
      "txfeed: stopping; the report follows. Press Ctrl-C again to exit immediately\n",
    );
    expect(over.stdout).toContain(`The run stopped early: the run was interrupted (${signal}).`);
    expect(over.stdout).toMatch(/ of \d+ claims decided, .+\n$/);
    const report: Report = JSON.parse(await readFile(file("report-json"), "utf8"));
    const brokenOff = `the run was interrupted (${signal})`;
    expect(report).toMatchObject({ brokenOff, suiteErrors: [] });
    expect(report.requirements).toHaveLength(143);
    expect(await readFile(file("junit"), "utf8")).toMatch(/<\/testsuites>\n$/);
    const again = await txfeed("report", file("evidence"));
    expect(again.stdout).toContain(`The run stopped early: the run was interrupted (${signal}).`);
    const sumOf = (text: string) => text.trimEnd().split("\n").at(-1);
    expect(sumOf(again.stdout)).toBe(sumOf(over.stdout));
  },
);

test("a second Ctrl-C ends it at once, even during a driver call", async () => {
  const driver = join(dir, "stuck.mjs");
  await writeFile(driver, "export default { subscribe: () => new Promise(() => {}) };");
  const { child, output, ended } = start(sandbox.baseUrl, "--driver", driver);
  while (!output.stderr.includes("receiving deliveries")) await once(child.stderr, "data");
  child.kill("SIGINT");
  while (!output.stderr.includes("stopping")) await once(child.stderr, "data");
  child.kill("SIGINT");
  expect(await ended).toMatchObject({ status: 130, stdout: "" });
});

test("a killed run leaves complete lines of evidence", async () => {
  const { url, requested } = await hanging();
  const evidence = join(dir, "killed.ndjson");
  const { child, ended } = start(url, "--evidence", evidence, "--concurrency", "1");
  await requested;
  child.kill("SIGKILL");
  await ended;
  const text = await readFile(evidence, "utf8");
  expect(text.endsWith("\n")).toBe(true);
  const entries = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(entries.map(({ kind }) => kind).slice(0, 2)).toEqual(["run", "exchange"]);
});
