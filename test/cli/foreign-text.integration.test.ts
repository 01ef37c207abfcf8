import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { make } from "../../src/fixtures/index.ts";
import { sqliteInbox } from "../../src/webhooks/sqlite/index.ts";
import { withToken } from "../conformance/runs.ts";
import { runVitest } from "../conformance/vitest-run.ts";
import { ROOT, readDocument } from "../document.ts";
import { type LocalServer, startServer } from "../support/local-server.ts";
import { captureLine } from "../support/payloads.ts";
import { startNode, TXFEED } from "../support/program.ts";
import { tempDir } from "../support/temp-dir.ts";
import { received } from "./queue-calls.ts";

/** Text with commands at its start, in it, and after each space, where a line may wrap. */
const LINE =
  "::error::canary ##vso[task.complete]canary ##[error]canary ##TeamCity[buildStop]canary" +
  " ::error::canary".repeat(25);
/** The same after line ends, with escape sequences. */
const TEXT = `${LINE}\n::stop-commands::canary\r\u3000::x::canary\u001b[8m\u009b2J\u202e\u2028::y::`;

/** Whether a CI service runs a command in this line, as GitHub, Azure and TeamCity read it. */
const isCommand = (line: string) =>
  /^\s*::/.test(stripVTControlCharacters(line)) || /##(vso|teamcity)?\[/i.test(line);

const dir = tempDir();
const inDir = (name: string) => join(dir, name);
let target: LocalServer;
let control: LocalServer;

/** Runs the command line in the folder of the fixtures. */
function runIn(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  return startNode([TXFEED, ...args], { cwd: dir, env: { ...CREDENTIALS, ...env } }).ended;
}

const CREDENTIALS = {
  TXFEED_ACCOUNT_ID: "a",
  TXFEED_CLIENT_ID: "b",
  TXFEED_CLIENT_SECRET: "canary-secret",
};

const verbs = [{ name: "purchase", summary: TEXT, params: { properties: { [LINE]: {} } } }];

beforeAll(async () => {
  const body = { id: TEXT, [LINE]: TEXT, status: TEXT, _links: { self: { href: TEXT } } };
  target = await startServer(
    withToken((_request, response) => {
      response.writeHead(200, { "content-type": "application/json", "x-request-id": LINE });
      response.end(JSON.stringify({ ...body, _embedded: { cards: [body], [LINE]: [body] } }));
    }),
  );
  control = await startServer(({ method, url }, response) => {
    const outcome = {
      verb: LINE,
      result: { [LINE]: TEXT },
      events: [{ name: TEXT, resource: "" }],
    };
    const isRefused = url?.endsWith("/pay");
    response.writeHead(isRefused ? 409 : 200, { "content-type": "application/json" });
    const refusal = { status: 409, title: "Conflict", detail: TEXT };
    const verb = isRefused ? refusal : outcome;
    const all = [...verbs, { ...verbs[0], name: "pay" }];
    response.end(JSON.stringify(method === "GET" ? all : verb));
  });
  const capture = [
    captureLine(TEXT, { id: TEXT }),
    captureLine("transaction.created", { id: TEXT, [TEXT]: TEXT }),
    captureLine("transaction.updated", { ...make("transaction.updated"), status: TEXT }),
    TEXT,
  ];
  writeFileSync(inDir("capture.ndjson"), capture.join("\n"));
  const inbox = sqliteInbox({ path: inDir("feed.db") });
  await inbox.add(received(1, { body: TEXT, event: TEXT, lane: TEXT, headers: { a: TEXT } }));
  await inbox.add(received(2, { body: JSON.stringify({ [LINE]: TEXT }) }));
  inbox.close();
  const document = readDocument();
  writeFileSync(inDir("old.json"), JSON.stringify(document));
  const { TransactionEvent } = document.components.schemas;
  Object.assign(TransactionEvent?.properties ?? {}, { [TEXT]: { type: "string" } });
  TransactionEvent?.required?.push(TEXT);
  writeFileSync(inDir("new.json"), JSON.stringify(document));
  const driver = `export default { enroll() { throw new Error(${JSON.stringify(TEXT)}); } };`;
  writeFileSync(inDir("driver.mjs"), driver);
  const files = ["--evidence", "run.ndjson", "--report-json", "b.json"];
  await runIn(["conformance", target.origin, "--only", "PAGE", ...files]);
  const report = JSON.parse(readFileSync(inDir("b.json"), "utf8"));
  const changed = { ...report, causes: [], target: TEXT };
  writeFileSync(inDir("a.json"), JSON.stringify(changed));
});

afterAll(() => Promise.all([target?.close(), control?.close()]));

/** Checks that the output has the text, and that no line of it is a command. */
function expectHarmless({ stdout, stderr }: { stdout: string; stderr: string }): void {
  const output = stdout + stderr;
  expect(output).toContain("canary");
  expect(output.split(/\r\n|\n|\r/).filter(isCommand)).toEqual([]);
  for (const mark of "\r\u001b\u009b\u202e\u2028") expect(output).not.toContain(mark);
}

const DRIVER = ["--driver", "driver.mjs", "--webhook-listen", "127.0.0.1:0"];

const CALLS: Readonly<Record<string, () => readonly string[]>> = {
  validate: () => ["validate", "capture.ndjson"],
  history: () => ["history", "capture.ndjson"],
  conformance: () => ["conformance", target.origin, "--only", "PAGE"],
  explore: () => ["conformance", target.origin, "--explore", "--scripts", "2", ...DRIVER],
  report: () => ["report", "run.ndjson"],
  compare: () => ["compare", "a.json", "b.json"],
  "driver check": () => ["driver", "check", target.origin, ...DRIVER.slice(0, 2)],
  "queue list": () => ["queue", "list", "--inbox", "feed.db"],
  "queue show": () => ["queue", "show", "1", "2", "--inbox", "feed.db"],
  breaks: () => ["breaks", "old.json", "new.json"],
  trigger: () => ["trigger", "purchase", "--url", control.origin],
};

describe.each(Object.entries(CALLS))("%s prints foreign text", (_name, argsOf) => {
  test("without commands of a CI service", async () => {
    expectHarmless(await runIn(argsOf()));
  });

  test("with --json as the same values", async () => {
    const printed = await runIn([...argsOf(), "--json"]);
    expectHarmless(printed);
    const lines = printed.stdout.trim().split("\n");
    const values = (printed.stdout.startsWith("{\n") ? [printed.stdout] : lines).map((line) =>
      JSON.stringify(JSON.parse(line)),
    );
    expect(values.join("\n")).toContain("##vso[task.complete]canary");
  });
});

test.each([
  ["compare --format markdown", () => ["compare", "a.json", "b.json", "--format", "markdown"]],
  [
    "breaks --markdown to the standard output",
    () => ["breaks", "old.json", "new.json", "--markdown", "/dev/stdout"],
  ],
  ["--evidence to the standard output", () => [...conformanceCall(), "--evidence", "/dev/stdout"]],
  ["--junit to the standard output", () => [...conformanceCall(), "--junit", "/dev/stdout"]],
  ["a refused trigger", () => ["trigger", "pay", "--url", control.origin]],
  ["an unknown command", () => [TEXT]],
  ["a wrong value of mock", () => ["mock", "--port", TEXT]],
  ["a wrong value of sandbox", () => ["sandbox", "--world", TEXT]],
])("%s has no commands of a CI service, with or without a stack", async (_name, argsOf) => {
  expectHarmless(await runIn(argsOf()));
  expectHarmless(await runIn(argsOf(), { TXFEED_DEBUG: "1" }));
});

const conformanceCall = () => ["conformance", target.origin, "--only", "PAGE"];

test("listen prints deliveries without commands of a CI service", async () => {
  for (const flags of [[], ["--json"]]) {
    const args = ["listen", "--port", "0", "--out", inDir("listened.ndjson"), ...flags];
    const listener = startNode([TXFEED, ...args]);
    const [url] = await listener.until(/http:[^\s",]+/);
    const headers = { "content-type": "application/json", "webhook-event-type": LINE };
    await fetch(url, { method: "POST", headers, body: JSON.stringify({ id: TEXT }) });
    await listener.until(/canary/);
    await listener.stop();
    expectHarmless(listener.output);
  }
});

test("a run in Vitest reports foreign text without commands of a CI service", async () => {
  const credentials = { accountId: "a", clientId: "b", clientSecret: "canary-secret" };
  const run = { baseUrl: target.origin, credentials, profile: "full" };
  const source = `describeConformance(${JSON.stringify(run)}, { only: ["CONV", "TXN"] });`;
  const { tests } = await runVitest({ source });
  const texts = tests.flatMap(({ note = "", warnings, errors }) => [note, ...warnings, ...errors]);
  expect(texts.join("\n")).toContain("canary");
  expect(texts.flatMap((text) => text.split("\n")).filter(isCommand)).toEqual([]);
});

test("only one file of the commands writes to the standard output and error", () => {
  const folders = ["bin", "src/cli", "conformance/cli"].map((folder) => join(ROOT, folder));
  const files = folders.flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)));
  const writing = files.filter((file) =>
    /\bconsole\.|\bstd(out|err)\.write|\bwriteSync\([12],/.test(readFileSync(file, "utf8")),
  );
  // bin/txfeed.ts prints a fixed text on an old Node.js.
  expect(writing.map((file) => relative(ROOT, file))).toEqual([
    "bin/txfeed.ts",
    "src/cli/output.ts",
  ]);
});
