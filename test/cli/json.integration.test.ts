import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadCommands } from "../../bin/commands.ts";
import { claims, requirementIds } from "../../generated/requirements.ts";
import { make, scenario } from "../../src/fixtures/index.ts";
import { createSandbox, type Sandbox } from "../../src/sandbox/index.ts";
import { sqliteInbox } from "../../src/webhooks/sqlite/index.ts";
import { ROOT } from "../document.ts";
import { run, startNode, TXFEED, txfeed } from "../support/program.ts";
import { tempDir } from "../support/temp-dir.ts";
import { fill } from "./queue-calls.ts";

const dir = tempDir();
const [capture, a, b, inbox] = ["c.ndjson", "a.json", "b.json", "feed.db"].map((name) =>
  join(dir, name),
) as [string, string, string, string];
const DOCUMENT = join(ROOT, "generated/openapi.json");

const EVENT = "transaction.updated";

let sandbox: Sandbox;

/** Runs a command with the credentials of the sandbox. */
function check(...args: string[]) {
  const [{ accountId, clientId, clientSecret }] = sandbox.accounts;
  const own = { TXFEED_ACCOUNT_ID: accountId, TXFEED_CLIENT_ID: clientId };
  return run("bin/txfeed.ts", args, { ...own, TXFEED_CLIENT_SECRET: clientSecret });
}

/** The one document on the standard output. */
function documentIn(stdout: string) {
  expect(stdout).toMatch(/^\{.*\}\n$/);
  return JSON.parse(stdout);
}

beforeAll(async () => {
  sandbox = await createSandbox({ port: 0 });
  const lines = scenario("everything-at-once").map((one) => JSON.stringify(one));
  writeFileSync(capture, `${lines.join("\n")}\nnot JSON\n`);
  const report = await check("conformance", sandbox.baseUrl, "--only", "ERR", "--report-json", a);
  expect(report.stdout).toContain("claims decided");
  writeFileSync(b, readFileSync(a));
  const store = sqliteInbox({ path: inbox });
  await fill(store);
  store.close();
});

afterAll(() => sandbox?.close());

test("every command has --json", async () => {
  const lacking = (await loadCommands()).filter(({ flags }) => flags["json"]?.type !== "boolean");
  expect(lacking.map(({ name }) => name)).toEqual([]);
});

test.each([
  ["validate", [capture]],
  ["history", [capture]],
  ["compare", [a, b]],
  ["breaks", [DOCUMENT, DOCUMENT]],
  ["queue", ["list", "--inbox", inbox]],
  ["queue", ["show", "1", "--inbox", inbox]],
  ["queue", ["drop", "--state", "waiting", "--dry-run", "--inbox", inbox]],
])("txfeed %s: --json is the same as --format json", async (name, args) => {
  const short = await txfeed(name, ...args, "--json");
  expect(short).toEqual(await txfeed(name, ...args, "--format", "json"));
  expect(short).toEqual(await txfeed(name, ...args, "--json", "--format", "json"));
  expect(short.stderr).toBe("");
  for (const line of short.stdout.trimEnd().split("\n"))
    expect(JSON.parse(line)).toBeTypeOf("object");
});

test.each([
  ["validate", [capture], "text"],
  ["history", [capture], "text"],
  ["compare", [a, b], "text"],
  ["compare", [a, b], "markdown"],
  ["breaks", [DOCUMENT, DOCUMENT], "text"],
  ["queue", ["list", "--inbox", inbox], "text"],
])("txfeed %s %j: --json and --format %s is bad usage", async (name, args, format) => {
  const { status, stdout, stderr } = await txfeed(name, ...args, "--json", "--format", format);
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  const problem = `--json contradicts --format ${format}; leave one of them out`;
  expect(stderr).toBe(`txfeed: ${problem} (see: txfeed ${name} --help)\n`);
});

test("conformance --list --json lists the catalogue", async () => {
  const plain = documentIn((await txfeed("conformance", "--list", "--json")).stdout);
  expect(plain.requirements.map(({ id }: { id: string }) => id)).toEqual(requirementIds);
  expect(plain.requirements[0]).not.toHaveProperty("claims");
  const args = ["--list", "--claims", "--only", "PAGE-11,SDK-01", "--json"];
  // In the order of the catalogue.
  const [second, first] = documentIn((await txfeed("conformance", ...args)).stdout).requirements;
  expect(first).toMatchObject({
    id: "PAGE-11",
    group: "PAGE",
    derived: false,
    checks: ["http", "driven"],
  });
  const expected = Object.entries(claims).filter(([, one]) => one.requirement === "PAGE-11");
  expect(first.claims).toMatchObject(
    expected.map(([id, { text, at, situations }]) => ({ id, text, at, situations })),
  );
  expect(second).toMatchObject({ id: "SDK-01", checks: [], excluded: expect.any(String) });
});

test("conformance and report print the report that --report-json writes", async () => {
  const evidence = join(dir, "run.ndjson");
  const file = join(dir, "report.json");
  const live = await check(
    ...["conformance", sandbox.baseUrl, "--only", "ERR", "--json"],
    ...["--evidence", evidence, "--report-json", file],
  );
  expect(live.stderr).toBe("");
  expect(documentIn(live.stdout)).toEqual(JSON.parse(readFileSync(file, "utf8")));
  const replayed = await txfeed("report", evidence, "--json");
  expect(documentIn(replayed.stdout).summary).toEqual(documentIn(live.stdout).summary);
  expect(replayed.status).toBe(live.status);
});

test("an exploration prints its report", async () => {
  const flags = ["--driver", "sandbox", "--explore", "--scripts", "1", "--json"];
  const { status, stdout } = await check("conformance", sandbox.baseUrl, ...flags);
  expect(documentIn(stdout)).toMatchObject({ mode: "random", scripts: 1, findings: [] });
  expect(status).toBe(0);
});

test("driver check prints each call, and what the missing verbs would decide", async () => {
  const file = join(dir, "driver.mjs");
  const driver = JSON.stringify(join(ROOT, "conformance/drivers/sandbox.ts"));
  const verbs = "subscribe, unsubscribe, settle, enroll";
  const made = `const { ${verbs} } = sandbox(context); return { ${verbs} };`;
  writeFileSync(file, `import sandbox from ${driver};\nexport default (context) => { ${made} };`);
  const { status, stdout } = await check(
    "driver",
    "check",
    sandbox.baseUrl,
    "--driver",
    file,
    "--json",
  );
  const { ok, tried, missing, wouldDecide } = documentIn(stdout);
  expect({ status, ok }).toEqual({ status: 0, ok: true });
  expect(tried).toContainEqual(expect.objectContaining({ verb: "enroll", problems: [] }));
  expect(missing).toContain("upgrade");
  const upgrade = wouldDecide.find(({ verb }: { verb: string }) => verb === "upgrade");
  expect(upgrade.requirements).toContain("SUB-06");
});

test("driver init refuses --json", async () => {
  const { status, stderr } = await txfeed("driver", "init", "--json");
  expect(stderr).toBe("txfeed: --json is for check, not for init (see: txfeed driver --help)\n");
  expect(status).toBe(2);
});

test("listen prints a line per record", async () => {
  const out = join(dir, "listened.ndjson");
  const program = startNode([TXFEED, "listen", "--port", "0", "--out", out, "--json"]);
  const [line] = await program.until(/^.*\n/);
  const { url } = JSON.parse(line);
  await fetch(url);
  const headers = { "content-type": "application/json", "webhook-event-type": EVENT };
  for (const body of [make(EVENT), {}]) {
    await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  }
  expect(await program.stop()).toBe(1);
  const records = program.output.stdout
    .trimEnd()
    .split("\n")
    .map((text) => JSON.parse(text));
  expect(records).toEqual([
    { type: "listening", url, out },
    { type: "refusal", status: 405, reason: "deliveries must use POST" },
    expect.objectContaining({ type: "delivery", event: EVENT, ok: true, findings: [] }),
    expect.objectContaining({ type: "delivery", ok: false, findings: expect.any(Array) }),
    { type: "summary", deliveries: 2, ok: 1, withErrors: 1, withWarnings: 0, notices: 0 },
  ]);
});
