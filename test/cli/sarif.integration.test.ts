import { spawnSync } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { SarifLog } from "../../src/cli/sarif.ts";
import type { Finding } from "../../src/contract/index.ts";
import { make } from "../../src/fixtures/index.ts";
import { captureLine } from "../support/payloads.ts";
import { TXFEED } from "../support/program.ts";
import { tempDir } from "../support/temp-dir.ts";
import { SARIF_SHAPE } from "./sarif-shape.ts";

const CREATED = "transaction.created";
const UPDATED = "transaction.updated";
const at = { receivedAt: "2025-03-04T12:30:16.120Z" };
const good = make(CREATED);
const { cardId: _cardId, ...withoutCard } = good;

const dir = tempDir();
const ajv = new Ajv2020({ formats: { "uri-reference": (text) => URL.canParse(text, "file:///") } });
const hasShape = ajv.compile(SARIF_SHAPE);

interface Region {
  artifactLocation: { uri: string };
  region?: { startLine: number };
}

interface Result {
  ruleId: string;
  ruleIndex: number;
  level: string;
  message: { text: string };
  locations: { physicalLocation: Region; logicalLocations?: { fullyQualifiedName: string }[] }[];
  relatedLocations?: { physicalLocation: Region }[];
}

/** The run of a log, after checking its shape. */
function runOf(text: string) {
  const log = JSON.parse(text);
  hasShape(log);
  expect(hasShape.errors ?? []).toEqual([]);
  const [run] = log.runs;
  return {
    results: run.results as Result[],
    rules: run.tool.driver.rules as { id: string; defaultConfiguration: { level: string } }[],
    notifications: (run.invocations[0].toolExecutionNotifications ?? []) as {
      level: string;
      message: { text: string };
      locations?: { physicalLocation: Region }[];
    }[],
  };
}

/** Runs the command in the folder of the test files. */
function run(args: readonly string[], input = "") {
  const { status, stdout, stderr } = spawnSync(process.execPath, [TXFEED, ...args], {
    cwd: dir,
    input,
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

const read = (name: string) => readFile(join(dir, name), "utf8");

test("a finding has rule, line, path in the body and relative URI", async () => {
  await mkdir(join(dir, "a folder"), { recursive: true });
  const lines = [captureLine(CREATED, good, at), "", captureLine(CREATED, withoutCard, at)];
  await writeFile(join(dir, "a folder/capture#1.ndjson"), lines.join("\n"));
  const args = ["a folder/capture#1.ndjson", "--sarif", "one.sarif"];
  expect(run(["history", ...args]).status).toBe(1);
  const { results, rules } = runOf(await read("one.sarif"));
  const found = results.filter(({ level }) => level === "error");
  expect(found).toMatchObject([
    {
      ruleId: "TXN-02",
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: "a%20folder/capture%231.ndjson", uriBaseId: "%SRCROOT%" },
            region: { startLine: 3 },
          },
          logicalLocations: [{ name: "cardId", fullyQualifiedName: "/cardId" }],
        },
      ],
    },
  ]);
  for (const { ruleId, ruleIndex } of results) expect(rules[ruleIndex]?.id).toBe(ruleId);
});

test("a finding on several lines is at the last, relating to the others", async () => {
  const settled = make(UPDATED);
  const earlier = { ...settled, createdAt: "2020-01-01T00:00:00.000Z" };
  const lines = [captureLine(UPDATED, earlier, at), captureLine(UPDATED, settled, at)];
  await writeFile(join(dir, "two.ndjson"), lines.join("\n"));
  run(["history", "two.ndjson", "--sarif", "two.sarif"]);
  const { results, rules } = runOf(await read("two.sarif"));
  const found = results.find(({ ruleId }) => ruleId === "TXN-18");
  expect(found?.level).toBe("warning");
  expect(found?.locations[0]?.physicalLocation.region?.startLine).toBe(2);
  expect(found?.relatedLocations?.map((one) => one.physicalLocation.region?.startLine)).toEqual([
    1,
  ]);
  expect(rules.find(({ id }) => id === "TXN-18")?.defaultConfiguration.level).toBe("warning");
});

test("validate writes the findings of each file and unreadable lines", async () => {
  await writeFile(join(dir, "a.ndjson"), captureLine(CREATED, withoutCard));
  await writeFile(join(dir, "b.ndjson"), `{\n${captureLine(CREATED, withoutCard)}`);
  const args = ["validate", "a.ndjson", "-", "b.ndjson", "--sarif", "all.sarif"];
  const { status, stdout } = run(args, captureLine(CREATED, withoutCard));
  expect(status).toBe(1);
  expect(stdout).toMatch(/^4 payloads: 0 ok, 1 unreadable/m);
  const { results, notifications } = runOf(await read("all.sarif"));
  const places = results.map(({ locations: [place] }) => [
    place?.physicalLocation.artifactLocation.uri,
    place?.physicalLocation.region?.startLine,
  ]);
  expect(places).toEqual([
    ["a.ndjson", 1],
    ["-", 1],
    ["b.ndjson", 2],
  ]);
  expect(notifications).toMatchObject([
    {
      level: "error",
      locations: [{ physicalLocation: { artifactLocation: { uri: "b.ndjson" } } }],
    },
  ]);
});

test("the log is deterministic and does not change the output", async () => {
  await writeFile(join(dir, "same.ndjson"), captureLine(CREATED, withoutCard));
  const args = ["validate", "same.ndjson", "--format", "json"];
  const { stdout } = run(args);
  expect(run([...args, "--sarif", "same-1.sarif"]).stdout).toBe(stdout);
  run([...args, "--sarif", "same-2.sarif"]);
  expect(await read("same-1.sarif")).toBe(await read("same-2.sarif"));
});

test("a capture without findings is a log without results", async () => {
  await writeFile(join(dir, "empty.ndjson"), "");
  expect(run(["history", "empty.ndjson", "--sarif", "empty.sarif"]).status).toBe(0);
  const log = runOf(await read("empty.sarif"));
  expect(log).toEqual({ results: [], rules: [], notifications: [] });
});

test.each([
  [["--sarif", "no-such-folder/x.sarif"], "no-such-folder/x.sarif can't be written"],
  [["--sarif", "."], '"." is not a file'],
  [["--sarif", "./kept.ndjson"], "--sarif would overwrite an input: ./kept.ndjson"],
])("%j is refused before anything is read", async (args, message) => {
  await writeFile(join(dir, "kept.ndjson"), captureLine(CREATED, good, at));
  for (const command of ["history", "validate"]) {
    const { status, stdout, stderr } = run([command, "kept.ndjson", ...args]);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain(message);
  }
  expect(await read("kept.ndjson")).toBe(captureLine(CREATED, good, at));
});

const finding = (level: Finding["level"], message: string): Finding => {
  return { requirement: "TXN-01", level, path: "", message };
};

test("past the limit, the most severe are kept and the rest counted", () => {
  const log = new SarifLog(3);
  for (let line = 1; line <= 5; line += 1) log.add(finding("notice", `n${line}`), "-", [line]);
  for (let line = 6; line <= 7; line += 1) log.add(finding("error", `e${line}`), "-", [line]);
  for (let line = 1; line <= 150; line += 1) log.addUnreadable("-", line, "not JSON");
  const { results, notifications } = runOf(log.render(1_150));
  expect(results.map(({ level, message }) => `${level} ${message.text}`)).toEqual([
    "note n1",
    "error e6",
    "error e7",
  ]);
  expect(notifications).toHaveLength(102);
  expect(notifications.slice(-2).map(({ message }) => message.text)).toEqual([
    "Omitted, past 3 results: 4 notices",
    "1,050 more lines unreadable",
  ]);
});

test("a message can't contain links, placeholders or control characters", () => {
  const log = new SarifLog();
  log.add(finding("error", "{0} [here](http://x) \u001b[2J\u202e"), "-", [1]);
  const { results } = runOf(log.render(0));
  expect(results[0]?.message.text).toBe("{{0}} [here\\](http://x) \\u001b[2J\\u202e");
});

test("the log of a million findings is bounded", () => {
  const log = new SarifLog();
  const one = finding("error", "x".repeat(10_000));
  for (let line = 1; line <= 1_000_000; line += 1) log.add(one, "capture.ndjson", [1, line]);
  const text = log.render(0);
  expect(text.length).toBeLessThan(20_000_000);
  expect(runOf(text).results).toHaveLength(5_000);
});
