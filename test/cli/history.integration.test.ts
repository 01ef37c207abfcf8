import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { make } from "../../src/fixtures/index.ts";
import { captureLine } from "../support/payloads.ts";
import { piped } from "../support/program.ts";
import { tempDir } from "../support/temp-dir.ts";

const CREATED = "transaction.created";
const good = make(CREATED);
const { cardId: _cardId, ...withoutCard } = good;
const at = { receivedAt: "2025-03-04T12:30:16.120Z" };

test("json is one line with findings and line numbers", async () => {
  const input = `\n${captureLine(CREATED, good, at)}\n\r\n${captureLine(CREATED, withoutCard, at)}\n`;
  const { status, stdout, stderr } = await piped(["history", "--format", "json"], input);
  expect(stdout.trimEnd().split("\n")).toHaveLength(1);
  const { ok, findings, ...rest } = JSON.parse(stdout);
  expect({ ok, rest }).toEqual({ ok: false, rest: {} });
  expect(findings).toContainEqual(
    expect.objectContaining({ requirement: "TXN-02", level: "error", path: "/cardId", lines: [4] }),
  );
  expect({ status, stderr }).toEqual({ status: 1, stderr: "" });
});

test("a capture without errors gives exit 0", async () => {
  const dir = tempDir();
  const file = join(dir, "capture.ndjson");
  await writeFile(file, `${captureLine(CREATED, good, at)}\n`);
  const { status, stdout } = await piped(["history", file], "");
  expect(stdout).toMatch(/(^|\n)1 delivery: 0 errors, 0 warnings, \d+ notices?, \d+\.\d s\n$/);
  expect(status).toBe(0);
});

test("text groups findings by requirement, with a summary last", async () => {
  const line = `${captureLine(CREATED, withoutCard, at)}\n`;
  const { stdout } = await piped(["history"], `\n${line}${line}`);
  expect(stdout).toMatch(/^ {2}✗ TXN-02 {2}error {4}cardId is null/m);
  expect(stdout).toContain(`    ${CREATED}  /cardId   2 times, on lines 2, 3\n`);
  expect(stdout.trimEnd().split("\n").at(-1)).toMatch(/^2 deliveries: 2 errors, /);
});

test("a line that is not a delivery is reported and skipped", async () => {
  const input = [
    "no JSON",
    JSON.stringify({ operation: "GET /cards", status: 200, body: {} }),
    JSON.stringify({ headers: { "webhook-event-type": CREATED }, rawBody: "{no" }),
    captureLine(CREATED, withoutCard, at),
  ].join("\n");
  const { status, stdout } = await piped(["history", "--format", "json"], input);
  const { ok, findings, unreadable } = JSON.parse(stdout);
  expect(unreadable).toEqual({
    count: 2,
    first: [
      { line: 1, error: "not JSON: Unexpected token 'o'" },
      { line: 2, error: "a response; history takes only deliveries" },
    ],
  });
  expect(findings).toMatchObject([
    { requirement: "WHK-01", lines: [3] },
    { requirement: "TXN-02", lines: [4] },
  ]);
  expect({ ok, status }).toEqual({ ok: false, status: 1 });
  expect((await piped(["history"], input)).stdout).toMatch(
    /^2 deliveries: 2 lines unreadable, 2 errors, /m,
  );
});

test("an unreadable line fails an otherwise valid capture", async () => {
  const { status, stdout } = await piped(["history", "--format", "json"], "{");
  expect(JSON.parse(stdout)).toMatchObject({ ok: false, findings: [] });
  expect(status).toBe(1);
});

test.each<[string[], string]>([
  [["a", "b"], 'unexpected argument "b"'],
  [["no-such.ndjson"], "no-such.ndjson can't be read: there is no such file"],
  [["--format", "xml"], '--format takes text or json, not "xml"'],
  [["--networks", "A"], '--networks takes A=...,B=...,C=..., not "A"'],
  [["--complete=yes"], "--complete takes no value"],
])("txfeed history %j is bad usage: one line and exit 2", async (args, message) => {
  const { status, stdout, stderr } = await piped(["history", ...args], "");
  expect(stderr).toMatch(/^txfeed: .+\n$/);
  expect(stderr).toContain(message);
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
});
