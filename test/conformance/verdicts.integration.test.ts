import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import sandboxDriver from "../../conformance/drivers/sandbox.ts";
import type { Target } from "../../conformance/index.ts";
import type { Report, Verdict } from "../../conformance/report/report.ts";
import { runConformance } from "../../conformance/run/run.ts";
import { requirements } from "../../generated/requirements.ts";
import { startMutant } from "../../mutation/mutant.ts";
import type { HttpHook } from "../../mutation/mutation.ts";
import { mutations } from "../../mutation/mutations/index.ts";
import { startMock } from "../../src/cli/prism.ts";
import { createSandbox } from "../../src/sandbox/index.ts";
import { ROOT } from "../document.ts";
import { runVitest, type SeenTest } from "./vitest-run.ts";

/** The command line and the Vitest tests give the same verdicts. */

const DRIVER = JSON.stringify(join(ROOT, "conformance/drivers/sandbox.ts"));

/** Each run gets its own target, because drivers change it. */
async function startSandbox(http?: HttpHook): Promise<Target> {
  const sandbox = await createSandbox({ world: "small" });
  const faulty = await startMutant(sandbox, { http });
  onTestFinished(async () => {
    await faulty.close();
    await sandbox.close();
  });
  const [credentials, secondAccount] = sandbox.accounts;
  const { sdkClientId: clientId, sdkClientSecret: clientSecret } = credentials;
  const { result } = await sandbox.trigger("link-start");
  return {
    ...{ baseUrl: faulty.baseUrl, credentials, secondAccount, profile: "full" },
    sdkCredentials: { clientId, clientSecret },
    ...{ writes: true, bankLinkId: result.bankLinkId },
  };
}

/** The verdict that a test's state means. */
function verdictOf({ state, warnings }: SeenTest): string {
  return state === "passed" && warnings.length > 0 ? "warned" : state;
}

/** A test's check, verdict and skip reason, in one line. */
function lineOf(seen: SeenTest): string {
  return [seen.name, verdictOf(seen), seen.note ?? ""].join(" | ");
}

/** The expected test lines of a report's requirements. */
function linesOf({ requirements: all }: Report): string[] {
  return all.flatMap(({ id, verdict, reason = "", checks }) => {
    if (verdict === "excluded") return [`${id} ${requirements[id].text} | skipped | ${reason}`];
    return checks.map((check) => {
      const { reason: why = "", hint, hintOptions = hint } = check;
      const note = hintOptions === undefined ? why : `${why}: ${hintOptions}`;
      return [`${id} ${check.name}`, check.verdict, note].join(" | ");
    });
  });
}

/** The requirements of tests that failed or warned. */
function idsOf(tests: readonly SeenTest[], wanted: "failed" | "warned"): Set<string> {
  const own = tests.filter((seen) => verdictOf(seen) === wanted);
  return new Set(own.map(({ name }) => name.split(" ")[0] ?? ""));
}

/** Compares the tests with the report by check and by requirement. */
function compare(report: Report, tests: readonly SeenTest[]): void {
  const own = tests;
  expect(own.map(lineOf).sort()).toEqual(linesOf(report).sort());
  const failed = idsOf(own, "failed");
  const warned = idsOf(own, "warned");
  for (const id of failed) warned.delete(id);
  const idsWith = (wanted: Verdict) =>
    new Set<string>(
      report.requirements.filter(({ verdict }) => verdict === wanted).map(({ id }) => id),
    );
  expect({ failed, warned }).toEqual({ failed: idsWith("failed"), warned: idsWith("warned") });
}

test("both give the same verdicts against the mock", async () => {
  const mock = await startMock();
  onTestFinished(() => mock.stop());
  const credentials = { accountId: "a", clientId: "b", clientSecret: "c-secret" };
  const target: Target = { baseUrl: mock.url, credentials, profile: "mock" };
  const report = await runConformance(target);
  const source = `describeConformance(${JSON.stringify(target)});`;
  const { tests } = await runVitest({ source });
  compare(report, tests);
  expect(report.summary.passed).toBe(29);
});

const [warning, failing] = ["page/last-to-total", "txn/cardless-empty"].map(
  (wanted) => mutations.find(({ id }) => id === wanted)?.http,
) as [HttpHook, HttpHook];

/** Causes a warning and a failure. */
const warnAndFail: HttpHook = (exchange, run) =>
  (exchange.path === "/cards" ? warning : failing)(exchange, run);

test.each<[string, HttpHook | undefined]>([
  ["without faults", undefined],
  ["with two faults", warnAndFail],
])("both give the same verdicts against the sandbox %s", async (_name, http) => {
  const target = await startSandbox(http);
  const report = await runConformance({ ...target, driver: sandboxDriver(target) });
  const { failed, warned } = report.summary;
  expect(failed + warned > 1).toBe(http !== undefined);
  const source = `import driverOf from ${DRIVER};
    const target = ${JSON.stringify(await startSandbox(http))};
    describeConformance({ ...target, driver: driverOf(target) });`;
  const { tests } = await runVitest({ source });
  compare(report, tests);
});
