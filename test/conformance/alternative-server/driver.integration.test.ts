import { expect, test } from "vitest";
import { explore, runConformance } from "../../../conformance/index.ts";
import { findingsIn } from "../runs.ts";
import { choicesOf, targetOf } from "./driver.ts";
import { AlternativeServer } from "./server.ts";

/** How many scripts each variant plays: 10,000 in all with TXFEED_SCRIPTS=1250. */
const SCRIPTS = Number(process.env["TXFEED_SCRIPTS"] ?? 20);
const SEED = Number(process.env["TXFEED_SCRIPTS_SEED"] ?? 1);

/** The suite must not fail a server for a choice that the interface leaves open. */
const VARIANTS = Array.from({ length: 8 }, (_, at) => SEED + at);

test.each(VARIANTS)("the scenarios find nothing in another server: choices %d", async (seed) => {
  const how = choicesOf(seed);
  await using server = await new AlternativeServer(how).start();
  const report = await runConformance(targetOf(server, how));
  expect(findingsIn(report)).toEqual([]);
  expect(report.suiteErrors).toEqual([]);
  expect(report.claims.decided).toBeGreaterThan(250);
});

test.each(VARIANTS)(
  "random scripts find nothing in another server: choices %d",
  async (seed) => {
    const how = choicesOf(seed);
    await using server = await new AlternativeServer(how).start();
    const report = await explore(targetOf(server, how), { seed: SEED, scripts: SCRIPTS });
    expect(
      report.findings.map(({ requirement, step, expected, actual }) => {
        return `${requirement} after ${step}: expected ${expected}, got ${actual}`;
      }),
    ).toEqual([]);
    expect(report).toMatchObject({ scripts: SCRIPTS, missingVerbs: [] });
    // Deliveries that overtake each other or come twice explain some failures.
    if (!how.shuffles && !how.repeats) expect(report.failedScripts).toBe(0);
  },
  60_000 + SCRIPTS * 1_000,
);
