import { expect, test } from "vitest";
import { requirementOf } from "../../conformance/check.ts";
import { checks } from "../../conformance/checks/index.ts";
import { exclusions } from "../../generated/exclusions.ts";
import { notFound, serve } from "../support/local-server.ts";
import { inState, runVitest } from "./vitest-run.ts";

/** Effects of the options of `describeConformance` and of Vitest on a run. */

const credentials = { accountId: "a", clientId: "b", clientSecret: "c-secret" };

const describing = (target: object, options = {}) =>
  `describeConformance(${JSON.stringify(target)}, ${JSON.stringify(options)});`;

/** A target that responds, but fails the checks. */
async function startTarget() {
  return { baseUrl: await serve(notFound), credentials, profile: "full" };
}

const excluded = Object.keys(exclusions).slice(0, 1);

test.each([[["MAT-05"]], [["AUTH-07", "ERR"]], [excluded]])(
  "only: %j keeps the tests of these requirements and no empty suite",
  async (only) => {
    const { output, tests } = await runVitest({
      source: describing(await startTarget(), { only }),
    });
    expect(output).not.toContain("No test found");
    const ids = new Set(tests.map(({ name }) => name.split(" ")[0] ?? ""));
    ids.delete("no");
    expect([...ids].every((id) => only.includes(id) || only.includes(id.split("-")[0] ?? ""))).toBe(
      true,
    );
    const wanted = checks.filter((check) => ids.has(requirementOf(check)));
    const known = [...ids].filter((id) => id in exclusions);
    expect(tests).toHaveLength(wanted.length + known.length);
  },
);

test("the longest timeout does not end a run", async () => {
  const options = { only: ["AUTH-07"], timeoutMs: 2 ** 31 - 1 };
  const { output, tests } = await runVitest({ source: describing(await startTarget(), options) });
  expect(tests.length).toBeGreaterThan(0);
  expect(output).not.toMatch(/timed out|TimeoutOverflow/);
});

test("requireAssertions of a configuration changes no result", async () => {
  const source = describing(await startTarget(), { only: ["AUTH"] });
  const [plain, strict] = [
    await runVitest({ source }),
    await runVitest({ source, args: ["--expect.requireAssertions"] }),
  ];
  const states = (run: typeof plain) => run.tests.map(({ name, state }) => [name, state]).sort();
  expect(states(strict)).toEqual(states(plain));
  expect(inState(strict.tests, "passed").length).toBeGreaterThan(0);
});

const collecting = `{ ...${JSON.stringify({ baseUrl: "http://127.0.0.1:4", credentials, profile: "full" })},
  webhooks: { host: "127.0.0.1", port: 0, collectSeconds: 5 } }`;

test.each<[string, string]>([
  ["{}, { timeoutMs: NaN }", "timeoutMs must be an integer of at least 1; got NaN"],
  [`${collecting}, { timeoutMs: 3000 }`, "timeoutMs of 3000 ms is too short: webhooks.collectS"],
  ['{}, { only: ["MAT-99"] }', 'only: there is no group or requirement "MAT-99"; did you mean'],
])("describeConformance(%s) fails the file and names the option", async (args, message) => {
  const { status, output, tests } = await runVitest({ source: `describeConformance(${args});` });
  expect(status).toBe(1);
  expect(tests).toEqual([]);
  expect(output).toContain(message);
});

test.each<[string, string]>([
  ["undefined", "the target is missing: pass baseUrl, credentials and profile"],
  ['{ baseUrl: "http://127.0.0.1:4", profile: "full" }', "credentials.accountId is missing"],
  [`() => (${collecting}), { timeoutMs: 3000 }`, "timeoutMs of 3000 ms is too short: "],
  ["() => new Promise(() => {}), { timeoutMs: 300 }", "the target's function took longer than 0.3"],
])("describeConformance(%s) fails one test with the reason", async (args, message) => {
  const { status, tests } = await runVitest({ source: `describeConformance(${args});` });
  expect(status).toBe(1);
  const failed = inState(tests, "failed");
  expect(failed).toHaveLength(1);
  expect(failed[0]?.errors[0]).toContain(message);
  expect(failed[0]?.errors[0]).not.toContain("    at ");
  expect(inState(tests, "passed")).toEqual([]);
});
