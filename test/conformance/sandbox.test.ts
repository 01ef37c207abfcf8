import { expect, test } from "vitest";
import type { Verdict } from "../../conformance/reports/report.ts";
import { runConformance } from "../../conformance/run.ts";
import { createSandbox, type WorldName } from "../../src/sandbox/index.ts";

test.each<WorldName>(["empty", "small"])(
  "nothing is held against the sandbox with the %s world, by any check",
  async (world) => {
    await using sandbox = await createSandbox({ world, validate: true });
    const [credentials] = sandbox.accounts;
    const { baseUrl } = sandbox;
    const report = await runConformance({ baseUrl, credentials, profile: "full" });
    const ids = (...wanted: Verdict[]) =>
      report.requirements.filter(({ verdict }) => wanted.includes(verdict)).map(({ id }) => id);
    expect(ids("failed", "warned")).toEqual([]);
    expect(ids("passed").length).toBeGreaterThan(world === "small" ? 40 : 20);
    expect(sandbox.violations).toEqual([]);
  },
);
