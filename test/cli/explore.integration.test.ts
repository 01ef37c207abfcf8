import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ExploreReport } from "../../conformance/index.ts";
import { event } from "../../mutation/events.ts";
import { startMutant } from "../../mutation/mutant.ts";
import { createSandbox, type Sandbox } from "../../src/sandbox/index.ts";
import { run } from "../support/program.ts";
import { tempDir } from "../support/temp-dir.ts";

/** Runs `txfeed conformance --explore` with the sandbox's driver. */
function explore({ accounts: [own] }: Sandbox, baseUrl: string, ...args: string[]) {
  const flags = ["--explore", "--driver", "sandbox", ...args];
  return run("bin/txfeed.ts", ["conformance", baseUrl, ...flags], {
    ...{ TXFEED_ACCOUNT_ID: own.accountId, TXFEED_CLIENT_ID: own.clientId },
    ...{ TXFEED_CLIENT_SECRET: own.clientSecret, TXFEED_DEBUG: "", NO_COLOR: "" },
  });
}

test("a correct server gives exit 0, with the result last", async () => {
  await using sandbox = await createSandbox({ world: "empty" });
  const file = join(tempDir(), "report.json");
  const args = ["--scripts", "12", "--seed", "4", "--report-json", file];
  const { status, stdout, stderr } = await explore(sandbox, sandbox.baseUrl, ...args);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout).toMatch(
    /^http:\S+: seed 4: 12 scripts, \d+ steps, \d+\.\d s\n\ncard subscription /,
  );
  expect(stdout).toMatch(
    /\n\nno finding in 12 scripts; \d+ of 22 transitions of the state tables happened\n$/,
  );
  const report: ExploreReport = JSON.parse(await readFile(file, "utf8"));
  expect(report).toMatchObject({ seed: 4, scripts: 12, findings: [], mode: "random" });
  expect(report.coverage.map(({ rows }) => rows.total)).toEqual([6, 4, 2, 3]);
});

test("a fault gives exit 1, with its script, its test and its requests", async () => {
  await using sandbox = await createSandbox({ world: "empty" });
  const silent = event("networkbulkfeed.statechanged").silent();
  await using mutant = await startMutant(sandbox, silent);
  const args = ["--scripts", "40", "--strict"];
  const { status, stdout } = await explore(sandbox, mutant.baseUrl, ...args);
  expect(status).toBe(1);
  expect(stdout).toMatch(/^FAILED NBF-04 after (accept|reject)Feed feed="feed 1"\n {2}expected: /);
  expect(stdout).toMatch(/\n {2}script:\n {4}1\. submitFeed as="feed 1"\n {4}2\. \w+Feed feed=/);
  expect(stdout).toMatch(
    /\n {2}requests:\n {4}TXFEED_TOKEN=.+\n {4}curl -i "http:.+\$TXFEED_TOKEN/,
  );
  expect(stdout).toContain('    import { replayScript, type Script } from "txfeed/conformance";\n');
  expect(stdout).toMatch(/\n1 finding: NBF-04\n$/);
  expect(stdout).not.toContain(sandbox.accounts[0].clientSecret);
});

test("a target that refuses every verb is undecided", async () => {
  await using sandbox = await createSandbox({ world: "empty" });
  const driver = join(tempDir(), "refusing.mjs");
  const source = `const no = async () => { throw new Error("not today"); };
export default { subscribe: async () => {}, unsubscribe: async () => {}, enroll: no, submitFeed: no };`;
  await writeFile(driver, source);
  const args = ["--scripts", "3", "--driver", driver];
  const { status, stdout } = await explore(sandbox, sandbox.baseUrl, ...args);
  expect(status).toBe(4);
  expect(stdout).toMatch(/enroll was refused \d+ times?: .+ not today\n/);
  expect(stdout).toMatch(/\nnothing was decided\n$/);
});
