import { join } from "node:path";
import { describe, expect, test } from "vitest";
import sandboxDriver from "../../conformance/drivers/sandbox.ts";
import { explore, replayScript, type Target } from "../../conformance/index.ts";
import { startMutant } from "../../mutation/mutant.ts";
import type { Mutation } from "../../mutation/mutation.ts";
import { sequenceFaults } from "../../mutation/sequences/faults.ts";
import { createSandbox } from "../../src/sandbox/index.ts";
import { runVitest } from "../conformance/vitest-run.ts";
import { ROOT } from "../document.ts";

const faultNamed = (id: string) => sequenceFaults.find((one) => one.id === id) as Mutation;

function targetAt(baseUrl: string, credentials: Target["credentials"]): Target {
  return { baseUrl, credentials, profile: "full", driver: sandboxDriver({ baseUrl }) };
}

describe("a fault that shows only after a sequence", () => {
  test("is found, named, shrunk, and reproduced by its script and its test", async () => {
    await using sandbox = await createSandbox({ world: "empty" });
    const [credentials] = sandbox.accounts;
    const fault = faultNamed("seq/stale-previous-state");
    let source = "";
    {
      await using mutant = await startMutant(sandbox, fault);
      const target = targetAt(mutant.baseUrl, credentials);
      const report = await explore(target, { seed: 5, timeMs: 40_000, mostFindings: 1 });
      const [finding] = report.findings;
      expect(finding).toMatchObject({ requirement: "BAC-03", level: "warning" });
      const { script, test: text, curl } = finding as NonNullable<typeof finding>;
      expect(script.steps.length).toBeLessThanOrEqual(5);
      const verbs = [...script.opening, ...script.steps].map(({ verb }) => verb);
      expect(verbs).toContain("recover");
      // A delivery about a connection has no request.
      const requests = curl.filter((line) => !line.startsWith("TXFEED_TOKEN="));
      for (const line of requests) expect(line).toMatch(/^curl -i /);
      expect(text + curl.join()).not.toContain(credentials.clientSecret);

      const replayed = await replayScript(target, script);
      expect(replayed.map(({ requirement }) => requirement)).toContain("BAC-03");
      source = runnable(text, credentials);
      const failing = await runVitest({ source });
      expect(failing.tests).toMatchObject([
        { name: text.match(/test\("(.+)",/)?.[1], state: "failed" },
      ]);
      expect(failing.output).toContain("BAC-03");
      source = source.replace(mutant.baseUrl, sandbox.baseUrl);
    }
    // Without the fault, the same script and test hold.
    const fixed = await runVitest({ source });
    expect(fixed.tests).toMatchObject([{ state: "passed" }]);
  });

  test("does not leak into the next script through a restored snapshot", async () => {
    await using sandbox = await createSandbox({ world: "empty" });
    const [credentials] = sandbox.accounts;
    await using mutant = await startMutant(sandbox, faultNamed("seq/second-rematch-reuses-id"));
    const report = await explore(targetAt(mutant.baseUrl, credentials), { depth: 1 });
    expect(report.findings).toEqual([]);
    expect(mutant.fired()).toBe(0);
  });
});

/** The printed test with the sources in place of the package, and with credentials. */
function runnable(text: string, { accountId, clientId, clientSecret }: Target["credentials"]) {
  const path = (file: string) => JSON.stringify(join(ROOT, file));
  const variables = { TXFEED_ACCOUNT_ID: accountId, TXFEED_CLIENT_ID: clientId };
  const env = { ...variables, TXFEED_CLIENT_SECRET: clientSecret };
  return text
    .replace('"txfeed/conformance"', path("conformance/index.ts"))
    .replace('"vitest"', path("node_modules/vitest/dist/index.js"))
    .replace('"./driver.js"', path("conformance/drivers/sandbox.ts"))
    .replace("const baseUrl", `Object.assign(process.env, ${JSON.stringify(env)});\nconst baseUrl`);
}
