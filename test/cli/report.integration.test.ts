import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { createSandbox } from "../../src/sandbox/index.ts";
import { piped, run, txfeed } from "../support/program.ts";
import { tempDir } from "../support/temp-dir.ts";
import { startRelay } from "./relay.ts";

/** The evidence and reports of a run against a faulty server. */
const dir = tempDir();
let printed: string;
const inDir = (name: string) => join(dir, name);

beforeAll(async () => {
  await using sandbox = await createSandbox({ world: "small" });
  await using relay = await startRelay(sandbox.baseUrl, (response, { url }) => {
    if (url.startsWith("/auth")) response.json.refresh_token = "x";
    if (url.startsWith("/cards") && response.status === 200) response.status = 500;
  });
  const [{ accountId, clientId, clientSecret }] = sandbox.accounts;
  const args = ["--account-id", accountId, "--client-id", clientId];
  const files = ["--evidence", inDir("evidence.ndjson"), "--report-json", inDir("online.json")];
  const { stdout } = await run("bin/txfeed.ts", ["conformance", relay.origin, ...args, ...files], {
    TXFEED_CLIENT_SECRET: clientSecret,
  });
  printed = stdout;
});

test("the same evidence gives the same report and matrix, without a server", async () => {
  const args = ["report", inDir("evidence.ndjson"), "--report-json", inDir("offline.json")];
  const { status, stdout, stderr } = await txfeed(...args);
  expect({ status, stderr }).toEqual({ status: 1, stderr: "" });
  const [online, offline] = await Promise.all(
    ["online.json", "offline.json"].map((name) => readFile(inDir(name), "utf8")),
  );
  expect(JSON.parse(offline ?? "")).toEqual(JSON.parse(online ?? ""));
  const reportLines = (text: string) =>
    text.split("\n").filter((line) => !/^(timeouts:|evidence in|report-json in) /.test(line));
  expect(reportLines(stdout)).toEqual(reportLines(printed));
});

test("it writes the other reports and applies a baseline and --only", async () => {
  await writeFile(
    inDir("baseline.json"),
    JSON.stringify([{ requirement: "AUTH-03", reason: "ticket 7", expires: "2999-12-31" }]),
  );
  const flags = ["--only", "AUTH", "--baseline", inDir("baseline.json"), "--strict"];
  const files = ["--junit", inDir("j.xml"), "--html", inDir("p.html"), "--markdown", inDir("s.md")];
  const { status, stdout } = await txfeed("report", inDir("evidence.ndjson"), ...flags, ...files);
  expect(status).toBe(0);
  expect(stdout).toContain("  1 known failures, which do not fail the run\n");
  for (const name of ["j.xml", "p.html", "s.md"]) {
    expect(await readFile(inDir(name), "utf8")).toContain("AUTH-03");
  }
});

test("evidence can come from standard input", async () => {
  const { status, stdout } = await piped(
    ["report", "-", "--only", "AUTH-01"],
    await readFile(inDir("evidence.ndjson"), "utf8"),
  );
  expect(status).toBe(0);
  expect(stdout).toMatch(/\n(\d+) of \1 claims decided, 0 failed, 0 undecided\n$/);
});

test("incomplete evidence gives a report that says so", async () => {
  const whole = await readFile(inDir("evidence.ndjson"), "utf8");
  await writeFile(inDir("torn.ndjson"), whole.slice(0, whole.length / 2));
  const { stdout, stderr } = await txfeed("report", inDir("torn.ndjson"));
  expect(stderr).toBe("");
  expect(stdout).toContain("The run stopped early: the evidence is incomplete.");
});

test.each<[string, string, string]>([
  ["an empty file", "", "it is empty"],
  ["not JSON", "hello\n", "line 1 is not the start of a file"],
  ["a capture", '{"headers":{},"body":{}}\n', "line 1 is not the start of a file"],
  [
    "a newer version",
    '{"kind":"run","version":2}\n',
    "has version 2, but this txfeed reads version 1",
  ],
])("evidence that is %s is refused with one line and exit 2", async (_, text, message) => {
  const { status, stdout, stderr } = await piped(["report", "-"], text);
  expect(stderr).toMatch(/^txfeed: standard input: [^\n]+\n$/);
  expect(stderr).toContain(message);
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
});

test.each<[string[], string]>([
  [[], "EVIDENCE is missing"],
  [["no-such.ndjson"], "no-such.ndjson can't be read: there is no such file"],
  [["x", "y"], 'unexpected argument "y"'],
  [["x", "--only", "TXN-5"], 'did you mean "TXN-05"?'],
  [["x", "--junit", "x"], "EVIDENCE and --junit name the same file: x"],
])("txfeed report %j is bad usage: one line and exit 2", async (args, message) => {
  const { status, stdout, stderr } = await txfeed("report", ...args);
  expect(stderr).toMatch(/^txfeed: [^\n]+\n$/);
  expect(stderr).toContain(message);
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
});
