import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, openSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Finding, validateEvent } from "../../src/contract/index.ts";
import { make } from "../../src/fixtures/index.ts";
import { captureLine } from "../support/payloads.ts";
import { piped, TXFEED, txfeed } from "../support/program.ts";
import { tempDir } from "../support/temp-dir.ts";

const CREATED = "transaction.created";
const good = make(CREATED);
const { cardId: _cardId, ...withoutCard } = good;

interface JsonLine {
  file?: string;
  line: number;
  ok: boolean;
  findings: Finding[];
  error?: string;
}

async function validateJson(input: string | Buffer, ...flags: string[]): Promise<JsonLine[]> {
  const { stdout, stderr } = await piped(["validate", "--format", "json", ...flags], input);
  expect(stderr).toBe("");
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

/** The findings of each line, in a word each. */
const inShort = ({ line, ok, findings, error }: JsonLine) =>
  [
    line,
    ok ? "ok" : "not ok",
    ...findings.map(({ requirement }) => requirement),
    error ?? [],
  ].flat();

const dir = tempDir();
async function fileWith(name: string, text: string): Promise<string> {
  await writeFile(join(dir, name), text);
  return join(dir, name);
}

test("json has a line per payload, and an invalid one gives exit 1", async () => {
  const input = `${captureLine(CREATED, good)}\n${captureLine(CREATED, withoutCard)}\n`;
  const { status, stdout } = await piped(["validate", "--format", "json"], input);
  const { findings } = validateEvent(CREATED, withoutCard);
  expect(findings).not.toEqual([]);
  expect(stdout).toBe(
    `${JSON.stringify({ line: 1, ok: true, findings: [] })}\n` +
      `${JSON.stringify({ line: 2, ok: false, findings })}\n`,
  );
  expect(status).toBe(1);
});

test("a run without errors prints only a summary and gives exit 0", async () => {
  const { status, stdout, stderr } = await piped(["validate"], captureLine(CREATED, good));
  expect(stdout).toMatch(
    /^1 payload: 1 ok, 0 with errors, 0 with warnings, \d+ notices?, \d+\.\d s\n$/,
  );
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
});

test("text groups findings over lines and indexes, summary last", async () => {
  const spoilt = structuredClone(make("transaction.updated"));
  const { messages } = spoilt["_embedded"] as { messages: Record<string, unknown>[] };
  for (const message of messages) message["network"] = 7;
  const line = captureLine("transaction.updated", spoilt);
  const { stdout } = await piped(["validate"], [...Array(4).fill(`${line}\n`), "not JSON\n"]);
  const [first] = validateEvent("transaction.updated", spoilt).findings;
  const output = stdout.split("\n");
  expect(output.slice(0, 3)).toEqual([
    "  ✗ 1 line unreadable",
    "    line 5: not JSON: Unexpected token 'o'",
    "",
  ]);
  expect(output.some((row) => row.startsWith(`  ✗ ${first?.requirement}  error  `))).toBe(true);
  expect(output.filter((row) => row.includes("/network"))).toEqual([
    `    transaction.updated  /_embedded/messages/[]/network   ${messages.length * 4} times, ` +
      "on lines 1, 2, 3, 4",
  ]);
  expect(stdout).toContain(`      expected ${first?.expected}, got ${first?.actual}\n`);
  expect(output.at(-2)).toMatch(/^5 payloads: 0 ok, 1 unreadable, 4 with errors, /);
});

test("a line that is not JSON is reported without its text", async () => {
  const { stdout } = await piped(["validate"], '{"client_secret": s3cret}');
  expect(stdout).toContain("line 1: not JSON: Unexpected token 's'\n");
  expect(stdout).not.toContain("cret");
});

test("byte order marks, CRLF and blank lines are accepted", async () => {
  const line = captureLine(CREATED, good);
  const output = await validateJson(`\ufeff${line}\r\n\r\n  \n${line}`);
  expect(output.map(({ line, ok }) => [line, ok])).toEqual([
    [1, true],
    [4, true],
  ]);
});

test("U+2028 inside a string does not end a line", async () => {
  const line = captureLine(CREATED, { ...good, descriptor: "CORNER\u2028CAFE" });
  expect(await validateJson(line)).toMatchObject([{ line: 1, ok: true }]);
});

test("a line may have 20 MB", async () => {
  const line = captureLine(CREATED, { ...good, descriptor: "x".repeat(20_000_000) });
  expect(await validateJson(`${line}\n{`)).toMatchObject([
    { line: 1, ok: true },
    { line: 2, error: "not JSON: Expected property name or '}' in JSON at position 1" },
  ]);
});

test("several files are named in the output; '-' is standard input", async () => {
  const a = await fileWith("a.ndjson", `${captureLine(CREATED, good)}\n`);
  const b = await fileWith("b.ndjson", `\n${captureLine(CREATED, withoutCard)}\n`);
  const input = captureLine(CREATED, good);
  const { stdout, status } = await piped(["validate", a, "-", b, "--format", "json"], input);
  const lines = stdout.trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { file: a, line: 1, ok: true },
    { file: "-", line: 1, ok: true },
    { file: b, line: 2, ok: false },
  ]);
  expect(status).toBe(1);
  expect((await txfeed("validate", a, b)).stdout).toContain(`/cardId   once, at ${b}:2\n`);
});

test("--event accepts a body of several lines", async () => {
  const file = await fileWith("bare.json", JSON.stringify(withoutCard, null, 2));
  expect(await validateJson("", file, "--event", CREATED)).toMatchObject([
    { line: 1, ok: false, findings: [{ requirement: "TXN-02", path: "/cardId" }] },
  ]);
});

test.each<[input: string, event: string, output: string]>([
  ["", CREATED, "empty"],
  ["{", CREATED, "not JSON: Expected property name or '}' in JSON at position 1"],
  ["[]", CREATED, "WHK-02"],
])("--event: %j as %s is %s", async (input, event, output) => {
  const lines = await validateJson(input, "--event", event);
  expect(lines.map(inShort)).toEqual([[1, "not ok", output]]);
});

const elsewhere = { ...good, _links: { ...(good["_links"] as object), self: { href: "/x" } } };
const isWarned = validateEvent(CREATED, elsewhere).findings.some((f) => f.level === "warning");
test.skipIf(!isWarned)(
  "--strict counts a warning as an error (skipped if no rule warns)",
  async () => {
    const line = captureLine(CREATED, elsewhere);
    expect(await validateJson(line)).toMatchObject([{ ok: true }]);
    expect(await validateJson(line, "--strict")).toMatchObject([{ ok: false }]);
    expect((await piped(["validate"], line)).status).toBe(0);
    expect((await piped(["validate", "--strict"], line)).status).toBe(1);
  },
);

test.each<[string[], string]>([
  [["no-such.ndjson"], "no-such.ndjson can't be read: there is no such file"],
  [[tmpdir()], "can't be read: it is a folder"],
  [["-", "-"], "standard input ('-') can be read only once"],
  [["--format", "xml"], '--format takes text or json, not "xml"'],
  [["--networks", "D=X"], '--networks takes A=...,B=...,C=..., not "D=X"'],
  [["--networks", "A=X,A=Y"], '--networks takes A=...,B=...,C=..., not "A=X,A=Y"'],
  [["--networks", "A="], '--networks takes A=...,B=...,C=..., not "A="'],
  [["--networks", "A=X,B=X"], '--networks gives two networks one code: "A=X,B=X"'],
  [
    ["--event", "transaction.update"],
    `--event: there is no event "transaction.update"; did you mean "transaction.updated"?`,
  ],
  [
    ["--event", "nope"],
    '--event: there is no event "nope"; the events are cardsubscription.created, cardsubscription.updated, ',
  ],
  [
    ["--event", ""],
    '--event: there is no event ""; the events are cardsubscription.created, cardsubscription.updated, ',
  ],
  [["--event", "toString"], '--event: there is no event "toString"; the events are '],
])("txfeed validate %j is bad usage: one line and exit 2", async (args, message) => {
  const { status, stdout, stderr } = await piped(["validate", ...args], "{}");
  expect(stderr).toMatch(/^txfeed: .+\n$/);
  expect(stderr).toContain(message);
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
});

test("a missing file is reported before any is validated", async () => {
  const file = await fileWith("there.ndjson", `${captureLine(CREATED, good)}\n`);
  const { status, stdout } = await txfeed("validate", file, "missing", "--format", "json");
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
});

const WITH_PEAK = [
  "--max-old-space-size=32",
  "--max-semi-space-size=2",
  "--import",
  `data:text/javascript,process.on("exit",()=>console.error(process.resourceUsage().maxRSS))`,
];

test.each(["text", "json"])(
  "100,000 lines run in bounded memory, format %s",
  async (format) => {
    const line = `${captureLine(CREATED, withoutCard)}\n`.repeat(100);
    const input = (function* () {
      for (let block = 0; block < 1_000; block++) yield line;
    })();
    const args = ["validate", "--format", format];
    const { status, stdout, stderr } = await piped(args, input, WITH_PEAK);
    expect(status).toBe(1);
    expect(stdout.trimEnd().split("\n").at(-1)).toMatch(/^100,000 payloads: 0 ok|^{"line":100000,/);
    expect(stderr).toMatch(/^\d+\n$/);
    // The input has 142 MB; an idle process peaks at about 45 MB.
    expect(Number(stderr) / 1024).toBeLessThan(160);
  },
  120_000,
);

test("a line of 300 MB is skipped, in bounded memory", async () => {
  const block = "x".repeat(1_000_000);
  const input = (function* () {
    for (let count = 0; count < 300; count++) yield block;
    yield "\n{";
  })();
  const { stdout, stderr } = await piped(["validate"], input, WITH_PEAK);
  expect(stdout).toContain("line 1: longer than 100,000,000 bytes\n    line 2: not JSON");
  expect(Number(stderr) / 1024).toBeLessThan(250);
});

test("it ends silently when its reader closes the output", async () => {
  const child = spawn(process.execPath, [TXFEED, "validate", "--format", "json"]);
  const stderr = child.stderr.setEncoding("utf8").toArray();
  const ended = once(child, "exit");
  child.stdin.on("error", () => undefined);
  const line = `${captureLine(CREATED, good)}\n`.repeat(100);
  const feed = () => {
    while (child.stdin.writable && child.stdin.write(line));
  };
  child.stdin.on("drain", feed);
  feed();
  await once(child.stdout, "data");
  child.stdout.destroy();
  expect(await ended).toEqual([0, null]);
  expect((await stderr).join("")).toBe("");
});

test.skipIf(!existsSync("/dev/full"))("a full disk is one line and exit 2", async () => {
  const child = spawn(process.execPath, [TXFEED, "validate"], {
    stdio: ["pipe", openSync("/dev/full", "w"), "pipe"],
  });
  child.stdin?.end(captureLine(CREATED, good));
  const stderr = child.stderr?.setEncoding("utf8").toArray();
  expect(await once(child, "exit")).toEqual([2, null]);
  expect((await stderr)?.join("")).toMatch(/^txfeed: the output can't be written: ENOSPC.+\n$/);
});
