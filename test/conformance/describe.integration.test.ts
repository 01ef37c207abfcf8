import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { requirementOf } from "../../conformance/check.ts";
import { checks } from "../../conformance/checks/index.ts";
import type { Report } from "../../conformance/report/report.ts";
import { runConformance } from "../../conformance/run/run.ts";
import { exclusions } from "../../generated/exclusions.ts";
import { requirements } from "../../generated/requirements.ts";
import { startMutant } from "../../mutation/mutant.ts";
import type { HttpHook } from "../../mutation/mutation.ts";
import { mutations } from "../../mutation/mutations/index.ts";
import { createSandbox } from "../../src/sandbox/index.ts";
import { notFound, serve } from "../support/local-server.ts";
import { tempDir } from "../support/temp-dir.ts";
import { withToken } from "./runs.ts";
import { inState, runVitest, type SeenTest } from "./vitest-run.ts";

const credentials = { accountId: "a", clientId: "b", clientSecret: "c-secret" };
const CLOSED = { baseUrl: "http://127.0.0.1:4", credentials, profile: "full" };

const describing = (target: object, options = {}) =>
  `describeConformance(${JSON.stringify(target)}, ${JSON.stringify(options)});`;

/** Causes a warning and a failure. */
const faulty: HttpHook = async (exchange, run) => {
  if (exchange.path.startsWith("/bank-links")) return { status: 500, headers: {}, body: "oops" };
  const warning = mutations.find(({ id }) => id === "page/last-to-total")?.http as HttpHook;
  return exchange.path === "/cards" ? warning(exchange, run) : exchange.forward();
};

/** A test's check, verdict and skip reason, in one line. */
function lineOf({ name, state, note, warnings }: SeenTest): string {
  const verdict = state === "passed" && warnings.length > 0 ? "warned" : state;
  return [name, verdict, note ?? ""].join(" | ");
}

/** The expected lines. A hint for Vitest names no flag of the command line. */
function linesOf({ requirements: all }: Report): string[] {
  return all.flatMap(({ id, verdict, reason = "", checks: own }) => {
    if (verdict === "excluded") return [`${id} ${requirements[id].text} | skipped | ${reason}`];
    return own.map(({ name, verdict, reason: why = "", hint, hintOptions = hint }) => {
      const note = hintOptions === undefined ? why : `${why}: ${hintOptions}`;
      return [`${id} ${name}`, verdict, note].join(" | ");
    });
  });
}

test("each check is one test with the verdict of a run, whatever Vitest's options", async () => {
  await using sandbox = await createSandbox({ world: "small" });
  await using mutant = await startMutant(sandbox, { http: faulty });
  const target = { baseUrl: mutant.baseUrl, credentials: sandbox.accounts[0], profile: "full" };
  const report = await runConformance(target as Parameters<typeof runConformance>[0]);
  const file = join(tempDir(), "junit.xml");
  const order = ["--sequence.shuffle", "--sequence.concurrent", "--retry=2"];
  const junit = ["--reporter=junit", `--outputFile.junit=${file}`];
  const args = [...order, "--expect.requireAssertions", ...junit];
  const { status, tests } = await runVitest({ source: describing(target), args });

  expect(status).toBe(1);
  expect(report.summary).toMatchObject({ warned: expect.any(Number), failed: expect.any(Number) });
  expect(report.summary.warned * report.summary.failed).toBeGreaterThan(0);
  expect(tests.map(lineOf).sort()).toEqual(linesOf(report).sort());
  expect(tests.filter(({ note = "" }) => /--[a-z]|TXFEED_/.test(note))).toEqual([]);
  expect((await readFile(file, "utf8")).match(/<testcase /g)).toHaveLength(tests.length);

  const failed = inState(tests, "failed");
  const [message = ""] = failed.find(({ name }) => name.startsWith("EP-06"))?.errors ?? [];
  expect(message).toMatch(/^GET \/bank-links: expected 200 with JSON, got 500/m);
  expect(message).toMatch(/\ncurl -i ".*\/bank-links.*\n\$TXFEED_… are placeholders .+$/);
  expect(failed.flatMap(({ errors }) => errors).join("\n")).not.toContain("    at ");
});

test("-t with an id runs only the checks of that requirement", async () => {
  const file = join(tempDir(), "scopes");
  const target = { ...CLOSED, baseUrl: await serve(withToken(notFound)) };
  const source = `import { appendFileSync } from "node:fs";
    const onEvidence = ({ scope = "" }) => appendFileSync(${JSON.stringify(file)}, scope + "\\n");
    describeConformance(${JSON.stringify(target)}, { onEvidence });`;
  const { tests } = await runVitest({ source, args: ["-t", "AUTH-07"] });
  const ran = tests.filter(({ state, note }) => state !== "skipped" || note);
  const own = checks.filter((check) => requirementOf(check) === "AUTH-07");
  expect(ran.map(({ name }) => name)).toEqual(own.map(({ title }) => `AUTH-07 ${title}`));
  const scopes = (await readFile(file, "utf8")).split("\n");
  const ids = scopes.flatMap((scope) => /^[A-Z]+-\d\d(?=: )/.exec(scope) ?? []);
  expect(new Set(ids)).toEqual(new Set(["AUTH-07"]));
});

test("`only` registers the tests of its requirements, and a function is called once", async () => {
  const only = ["AUTH-07", "ERR"];
  const target = { ...CLOSED, baseUrl: await serve(withToken(notFound)) };
  // The longest timeout of timers.
  const options = JSON.stringify({ only, timeoutMs: 2 ** 31 - 1 });
  const source = `let calls = 0;
    describeConformance(async () => {
      calls += 1;
      if (calls > 1) throw new Error("called again");
      return ${JSON.stringify(target)};
    }, ${options});`;
  const { output, tests } = await runVitest({ source });
  const all = [...checks.map(requirementOf), ...Object.keys(exclusions)];
  const own = all.filter((id) => id === "AUTH-07" || id.startsWith("ERR-"));
  expect(tests.map(({ name }) => name.split(" ")[0]).toSorted()).toEqual(own.toSorted());
  expect(inState(tests, "failed").length).toBeGreaterThan(5);
  expect(output).not.toMatch(/called again|timed out|TimeoutOverflow/);
});

test("a run that exceeds its time limit ends with one error", async () => {
  const target = { ...CLOSED, baseUrl: await serve((request) => request.resume()) };
  const source = describing(target, { timeoutMs: 300 });
  const { status, output, tests } = await runVitest({ source });
  expect(status).toBe(1);
  expect(inState(tests, "failed")).toEqual([]);
  expect(output).toContain("the run was aborted: the run took longer than 0.3 s");
});

const COLLECTING = `{ ...${JSON.stringify(CLOSED)},
  webhooks: { host: "127.0.0.1", port: 0, collectSeconds: 5 } }`;

test.each<[string, string]>([
  ["{}, { timeoutMs: NaN }", "timeoutMs must be an integer of at least 1; got NaN"],
  [`${COLLECTING}, { timeoutMs: 3000 }`, "timeoutMs of 3000 ms is too short: webhooks.collectS"],
  ['{}, { only: ["MAT-99"] }', 'only: there is no group or requirement "MAT-99"; did you mean'],
])("describeConformance(%s) fails the file and names the option", async (args, message) => {
  const { status, output, tests } = await runVitest({ source: `describeConformance(${args});` });
  expect({ status, tests }).toEqual({ status: 1, tests: [] });
  expect(output).toContain(message);
});

test.each<[string, string]>([
  [JSON.stringify(CLOSED), "can't reach http://127.0.0.1:4: "],
  ["undefined", "the target is missing: pass baseUrl, credentials and profile"],
  [`() => (${COLLECTING}), { timeoutMs: 3000 }`, "timeoutMs of 3000 ms is too short: "],
  ["() => new Promise(() => {}), { timeoutMs: 300 }", "the target's function took longer than 0.3"],
  ['() => { throw new Error("no server"); }', "no server"],
])("describeConformance(%s) fails one test and skips the others", async (args, message) => {
  const { status, output, tests } = await runVitest({ source: `describeConformance(${args});` });
  expect(status).toBe(1);
  const [failed, ...more] = inState(tests, "failed");
  expect([more, inState(tests, "passed")]).toEqual([[], []]);
  expect(failed?.errors[0]).toContain(message);
  // Only the error of the user's function has a stack trace.
  if (message !== "no server") expect(failed?.errors[0]).not.toContain("    at ");
  expect(output).not.toContain("Failed Suites");
  const notes = inState(tests, "skipped").map(({ note }) => note);
  expect(notes).toContainEqual(expect.stringContaining(`the run ended early: ${message}`));
});
