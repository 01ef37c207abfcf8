import { execFileSync, spawnSync } from "node:child_process";
import { readdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { ROOT } from "../document.ts";
import { freePort, notFound, serve } from "../support/local-server.ts";
import { run, startNode, TXFEED, txfeed } from "../support/program.ts";
import { tempDir } from "../support/temp-dir.ts";

const CLOSED_URL = `http://127.0.0.1:${await freePort()}`;
const CREDENTIALS = ["--account-id", "a", "--client-id", "b", "--client-secret", "c"];

test.each<[string[], string]>([
  [["frobnicate"], 'there is no command "frobnicate"; the commands are validate, history, listen,'],
  [["valdate"], `there is no command "valdate"; did you mean "validate"?`],
  [
    ["validate", "--strct"],
    `unknown option "--strct"; did you mean "--strict"? (see: txfeed validate`,
  ],
  [["listen", "--otu", "x"], `unknown option "--otu"; did you mean "--out"?`],
  [["validate", "-json"], `unknown option "-json"; did you mean "--json"? (see: txfeed validate`],
  [["mock", "--hlep"], `unknown option "--hlep"; did you mean "--help"?`],
  [["conformance"], "BASE_URL is missing"],
  [["conformance", CLOSED_URL, "more"], 'unexpected argument "more"'],
  [["conformance", CLOSED_URL, "--frobnicate"], 'unknown option "--frobnicate"'],
  [["conformance", CLOSED_URL, "--profile"], "--profile requires a value"],
  [["conformance", CLOSED_URL, "--profile", "half"], '--profile takes full or mock, not "half"'],
  [["conformance", "not-a-url"], "BASE_URL takes http(s)://HOST"],
  [["conformance", "ftp://127.0.0.1"], "BASE_URL takes http(s)://HOST"],
  [["conformance", "http://user:pass@127.0.0.1"], "BASE_URL takes http(s)://HOST"],
  [["conformance", CLOSED_URL], "--account-id or TXFEED_ACCOUNT_ID is missing"],
  [["conformance", CLOSED_URL, "--account-id", "a"], "--client-id or TXFEED_CLIENT_ID is missing"],
  [
    ["conformance", CLOSED_URL, "--profile", "mock", "--report-json", "no/such/folder/report.json"],
    "no/such/folder/report.json can't be written",
  ],
  [["conformance", CLOSED_URL, "--profile", "mock", "--report-json", tmpdir()], "is not a file"],
  [["conformance", CLOSED_URL, "--profile", "mock", "--report-json", ""], '"" is not a file'],
  [
    ["conformance", CLOSED_URL, "--profile", "mock", "--report-json", "new/"],
    '"new/" is not a file',
  ],
  [["conformance", CLOSED_URL, "--profile", "mock", "--baseline", tmpdir()], "it is a folder"],
  [["mock", "--port", "http"], '--port takes a number from 0 to 65535, not "http"'],
  [["mock", "--port", "65536"], '--port takes a number from 0 to 65535, not "65536"'],
])("txfeed %j is bad usage: one line and exit 2", async (args, message) => {
  const { status, stdout, stderr } = await txfeed(...args);
  expect(stderr).toContain(`txfeed: `);
  expect(stderr).toContain(message);
  expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
});

test.each([
  ["mock", ["conformance", CLOSED_URL, "--profile", "mock"]],
  ["full", ["conformance", CLOSED_URL, ...CREDENTIALS]],
])("an unreachable target is one line and exit 3, profile %s", async (_profile, args) => {
  const { status, stdout, stderr } = await txfeed(...args);
  expect(stderr).toMatch(/^txfeed: can't reach http:\S+: connect ECONNREFUSED \S+\n$/);
  expect({ status, stdout }).toEqual({ status: 3, stdout: "" });
});

test("an unreachable target leaves no partial report", async () => {
  const dir = tempDir();
  await txfeed(
    "conformance",
    CLOSED_URL,
    "--profile",
    "mock",
    "--report-json",
    join(dir, "r.json"),
  );
  expect(await readdir(dir)).toEqual([]);
});

test("TXFEED_DEBUG adds a stack trace, with the same exit status", async () => {
  const { status, stderr } = await run("bin/txfeed.ts", ["frobnicate"], { TXFEED_DEBUG: "1" });
  expect(stderr).toMatch(/^ +at /m);
  expect(status).toBe(2);
});

test.each([["--help"], ["--version"], ["validate", "--help"]])(
  "txfeed %s on a full disk is one line and exit 2",
  async (...args) => {
    const words = [process.execPath, `${ROOT}bin/txfeed.ts`, ...args].join(" ");
    // Opened for writing, never replaced.
    const { status, stderr } = spawnSync("sh", ["-c", `${words} > /dev/full`]);
    expect(String(stderr)).toMatch(/^txfeed: the output can't be written: ENOSPC.*\n$/);
    expect(status).toBe(2);
  },
);

const QUIET = ["history", "conformance --list --json", "trigger --list", "driver --help"];

test.each(["validate", "conformance --list", "--help", ...QUIET])(
  "a reader of txfeed %s that closes early gets no error",
  async (words) => {
    const line = `{"headers":{"webhook-event-type":"transaction.updated"},"body":{}}`;
    const program = `${process.execPath} ${ROOT}bin/txfeed.ts ${words}`;
    const script = `(yes '${line}' | head -5000 | ${program}) 2>&1 >&3 | cat >&2`;
    const { stderr } = spawnSync("bash", ["-c", `{ ${script}; } 3>&1 | head -c 1 > /dev/null`]);
    expect(String(stderr)).toBe("");
  },
);

test("a reader of the standard error that closes early changes no exit status", () => {
  // It logs that --writes has no effect, and then that the target is unreachable.
  const args = `conformance ${CLOSED_URL} --profile mock --writes`;
  const program = `sleep 0.2; ${process.execPath} ${ROOT}bin/txfeed.ts ${args}`;
  const script = `(${program}) 2>&1 >/dev/null | true; echo \${PIPESTATUS[0]}`;
  expect(String(spawnSync("bash", ["-c", script]).stdout)).toBe("3\n");
});

test("an uncaught exception is one line", async () => {
  const late = "data:text/javascript,setTimeout(() => { throw new Error('late') }, 500)";
  const { status, stderr } = await run("bin/txfeed.ts", ["mock", "--port", "0"], {
    NODE_OPTIONS: `--import="${late}"`,
  });
  expect(stderr).toBe("txfeed: late\n");
  expect(status).toBe(1);
});

test("an error escapes control characters from a file", async () => {
  const dir = tempDir();
  await writeFile(join(dir, "baseline"), "\u001b[31mred");
  const words = [CLOSED_URL, "--profile", "mock", "--baseline", join(dir, "baseline")];
  const { status, stderr } = await txfeed("conformance", ...words);
  expect(stderr).toMatch(/^txfeed: \S+baseline: .+\n$/);
  expect(stderr).not.toContain("\u001b");
  expect(status).toBe(2);
});

test("--version prints the version of the package", async () => {
  const { version } = packageJson;
  expect(await txfeed("--version")).toEqual({ status: 0, stdout: `${version}\n`, stderr: "" });
});

test.each([
  [["help"], ["--help"]],
  [
    ["help", "validate"],
    ["validate", "--help"],
  ],
  [
    ["help", "queue", "list"],
    ["queue", "list", "--help"],
  ],
])("txfeed %j is the same as txfeed %j", async (short, long) => {
  expect(await txfeed(...short)).toEqual(await txfeed(...long));
});

test("the program without a command prints the overview and gives exit 2", async () => {
  const { status, stdout, stderr } = await txfeed();
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  expect(stderr).toContain("usage: txfeed COMMAND");
});

test.each([
  [["--help"], "usage: txfeed COMMAND"],
  [["conformance", "--help"], "usage: txfeed conformance [BASE_URL] [FLAGS]"],
  [["report", "--help"], "usage: txfeed report EVIDENCE [FLAGS]"],
  [["mock", "-h"], "usage: txfeed mock [FLAGS]"],
  [["validate", "--help"], "usage: txfeed validate [FILE...] [FLAGS]"],
  [["history", "--help"], "usage: txfeed history [FILE] [FLAGS]"],
  [["listen", "--help"], "usage: txfeed listen [FLAGS]"],
  [["queue", "replay", "--help"], "usage: txfeed queue replay [ID...] [FLAGS]"],
  [["trigger", "purchase", "--help"], "usage: txfeed trigger purchase [NAME=VALUE...] [FLAGS]"],
])("txfeed %j shows help, within 100 columns, and exits 0", async (args, usage) => {
  const { status, stdout, stderr } = await txfeed(...args);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout).toContain(usage);
  expect(stdout.split("\n").filter((line) => line.length > 100)).toEqual([]);
});

test("txfeed mock on a used port is one line and exit 2", async () => {
  const { port } = new URL(await serve(notFound));
  const { status, stderr } = await txfeed("mock", "--port", port);
  expect(status).toBe(2);
  expect(stderr).toMatch(new RegExp(`^txfeed: port ${port} on 127.0.0.1 is not available: .+\n$`));
});

test("txfeed mock reports when Prism ends by itself", async () => {
  const mock = startNode([TXFEED, "mock", "--port", "0"]);
  await mock.until(/./);
  process.kill(Number(execFileSync("pgrep", ["-P", String(mock.child.pid)])), "SIGKILL");
  const { status, stderr } = await mock.ended;
  expect(stderr).toMatch(/^txfeed: Prism on http:\S+ ended by itself\n$/);
  expect(status).toBe(1);
});

test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
  "txfeed mock serves until %s, also under NODE_ENV=production",
  async (signal) => {
    const env = { NODE_ENV: "production" };
    const mock = startNode([TXFEED, "mock", "--port", "0"], { env });
    const started = /^mock on (http:\/\/127\.0\.0\.1:\d+), accepts any bearer token/;
    const [, url = ""] = await mock.until(started);
    expect((await fetch(`${url}/cards`)).status).toBe(401);
    expect(await mock.stop(signal)).toBe(0);
    await expect(fetch(`${url}/cards`)).rejects.toThrow();
  },
);
