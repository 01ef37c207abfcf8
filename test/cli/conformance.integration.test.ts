import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Report } from "../../conformance/index.ts";
import { requirementIds } from "../../generated/requirements.ts";
import type { ProgramResult } from "../../scripts/temp-workspace.ts";
import { createSandbox, type Sandbox } from "../../src/sandbox/index.ts";
import { run } from "../support/program.ts";
import { tempDir } from "../support/temp-dir.ts";
import { relayTo } from "./relay.ts";

/** The real program against a sandbox and faulty servers. */
let sandbox: Sandbox;
const dir = tempDir();

beforeAll(async () => {
  sandbox = await createSandbox({ world: "small" });
});

afterAll(async () => {
  await sandbox[Symbol.asyncDispose]();
});

/** Runs `txfeed conformance` as the sandbox's first account. */
function conformance(baseUrl: string, ...args: string[]): Promise<ProgramResult> {
  const [{ accountId, clientId, clientSecret }] = sandbox.accounts;
  return run("bin/txfeed.ts", ["conformance", baseUrl, ...args], {
    ...{ TXFEED_ACCOUNT_ID: accountId, TXFEED_CLIENT_ID: clientId },
    ...{ TXFEED_CLIENT_SECRET: clientSecret, TXFEED_DEBUG: "", NO_COLOR: "" },
  });
}

const inDir = (name: string) => join(dir, name);
const readReport = async (name: string): Promise<Report> =>
  JSON.parse(await readFile(inDir(name), "utf8"));

test("a correct server gives exit 0, with the summary last", async () => {
  const { status, stdout, stderr } = await conformance(sandbox.baseUrl);
  expect(stdout.split("\n").length).toBeLessThan(40);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout).toMatch(/^conformance of http:\S+, profile full\ntimeouts: 10 s per response/);
  expect(stdout).toMatch(
    /\n[\d,]+ checks made [\d,]+ assertions in \d+\.\d s\n\d+ of \d+ claims decided, 0 failed, \d+ undecided\n$/,
  );
});

test("a fault gives exit 1, one cause, and a finding in every report", async () => {
  const url = await relayTo(sandbox.baseUrl, (response, request) => {
    if (request.url.startsWith("/bank-links")) response.status = 500;
  });
  const files = ["--report-json", "--junit", "--html", "--markdown", "--evidence"].flatMap(
    (flag) => [flag, inDir(`all${flag}`)],
  );
  await writeFile(inDir("all--markdown"), "# Before\n");
  const { status, stdout } = await conformance(url, ...files);
  expect(status).toBe(1);
  expect(stdout).toContain("  1 likely cause\n");
  expect(stdout).toMatch(/✗ EP-06 .+\n( +.+\n)? {4}GET \/bank-links returned 500/);
  expect(stdout).toContain(`report-json in ${inDir("all--report-json")}\n`);
  const report = await readReport("all--report-json");
  expect(report.requirements.map(({ id }) => id)).toEqual(requirementIds);
  expect(report.causes).toHaveLength(1);
  for (const name of ["junit", "html", "markdown"]) {
    expect(await readFile(inDir(`all--${name}`), "utf8")).toContain("EP-06");
  }
  expect(await readFile(inDir("all--markdown"), "utf8")).toMatch(/^# Before\n## Conformance of /);
});

test("only selected requirements are checked; undecidable ones are exit 4", async () => {
  const { status, stdout } = await conformance(sandbox.baseUrl, "--only", "ep-01, AUTH-01");
  expect(status).toBe(0);
  expect(stdout).toMatch(/\n\d of \d claims decided, 0 failed, 0 undecided\n$/);
  const nothing = await conformance(sandbox.baseUrl, "--only", "VER");
  expect(nothing.status).toBe(4);
  expect(nothing.stdout).toContain("\nundecided: no check reached a verdict\n");
});

test("a known failure gives exit 0, a stale baseline entry exit 1", async () => {
  const url = await relayTo(sandbox.baseUrl, (response, request) => {
    if (request.url.startsWith("/auth")) response.json.refresh_token = "x";
  });
  const withBaseline = async (...ids: string[]) => {
    const entry = { reason: "ticket 7", expires: "2999-12-31" };
    const entries = ids.map((requirement) => ({ requirement, ...entry }));
    await writeFile(inDir("baseline.json"), JSON.stringify(entries));
    return conformance(url, "--only", "AUTH", "--baseline", inDir("baseline.json"));
  };
  expect((await withBaseline()).status).toBe(1);
  const known = await withBaseline("AUTH-03", "PAGE-01");
  expect(known.status).toBe(0);
  expect(known.stdout).toMatch(
    / 1 known failures, which do not fail the run\n {4}AUTH-03 {2}until/,
  );
  expect(known.stdout).toMatch(/ 1 known failures, not decided in this run\n {4}PAGE-01/);
  const stale = await withBaseline("AUTH-03", "AUTH-01");
  expect(stale.status).toBe(1);
  expect(stale.stdout).toMatch(/ 1 known failures that pass now: .+\n {4}AUTH-01/);
});

test("the delivery URL is printed at once, and deliveries are collected", async () => {
  const args = ["--only", "AUTH-01", "--webhook-listen", "[::1]:0", "--collect", "1"];
  const { status, stdout, stderr } = await conformance(sandbox.baseUrl, ...args);
  const announcement =
    /^receiving deliveries at http:\/\/\[::1\]:\d+\/([\w-]{24}) for at least 1 s$/m;
  expect(stderr).toMatch(announcement);
  expect(stdout).not.toContain("receiving deliveries");
  expect(status).toBe(0);
  const again = await conformance(sandbox.baseUrl, ...args.slice(0, -2));
  expect(again.stderr).not.toContain(announcement.exec(stderr)?.[1]);
});

test("deliveries are received at the given path, which is in no file", async () => {
  const path = "registered-once-for-all-runs";
  const driver = inDir("echo.mjs");
  await writeFile(
    driver,
    `export default {
       async subscribe({ url }) {
         const body = JSON.stringify({ url });
         await fetch(url, { method: "POST", body, headers: { "webhook-event-type": url } });
         throw new Error("not at " + url);
       },
     };`,
  );
  const names = ["report-json", "junit", "html", "markdown", "evidence"];
  const files = names.flatMap((name) => [`--${name}`, inDir(`path-${name}`)]);
  const listen = ["--webhook-listen", `127.0.0.1:0/${path}`, "--driver", driver];
  const { stderr } = await conformance(sandbox.baseUrl, "--only", "WHK", ...listen, ...files);
  expect(stderr).toMatch(
    new RegExp(`^receiving deliveries at http://127.0.0.1:\\d+/${path}$`, "m"),
  );
  const texts = await Promise.all(names.map((name) => readFile(inDir(`path-${name}`), "utf8")));
  for (const text of texts) expect(text).not.toContain(path);
  expect(texts.at(-1)).toContain("not at ");
});

test("a driver sends deliveries, its open handles delay no exit; --writes alone is useless", async () => {
  const file = inDir("driver.mjs");
  await writeFile(
    file,
    `setInterval(() => {}, 1_000);
     export default ({ baseUrl }) => ({
       subscribe: async ({ url }) => console.error("subscribed", url.startsWith("http:"), baseUrl),
       unsubscribe: async () => console.error("unsubscribed"),
     });`,
  );
  const args = ["--only", "AUTH-01", "--driver", file, "--collect", "0", "--writes"];
  const { status, stderr } = await conformance(sandbox.baseUrl, ...args);
  expect(stderr).toContain(`subscribed true ${sandbox.baseUrl}`);
  expect(stderr).toContain("unsubscribed\n");
  expect(stderr).toContain("txfeed: --writes has no effect without --bank-link ID\n");
  expect(status).toBe(0);
});

test("with all options it decides nearly all, with the same replay", async () => {
  const [{ sdkClientId, sdkClientSecret }, second] = sandbox.accounts;
  const other = `${second.accountId}:${second.clientId}:${second.clientSecret}`;
  const sdk = ["--sdk-client-id", sdkClientId, "--sdk-client-secret", sdkClientSecret];
  const files = ["--evidence", inDir("full.ndjson"), "--report-json", inDir("full.json")];
  const all = ["--driver", "sandbox", ...sdk, "--second-account", other, ...files];
  const { status, stdout } = await conformance(sandbox.baseUrl, ...all);
  expect(status).toBe(0);
  expect(stdout).toMatch(/\n35\d of 366 claims decided, 0 failed, \d undecided\n$/);
  const again = ["report", inDir("full.ndjson"), "--report-json", inDir("again.json")];
  expect(await run("bin/txfeed.ts", again)).toMatchObject({ status: 0, stderr: "" });
  expect(await readReport("again.json")).toEqual(await readReport("full.json"));
});
