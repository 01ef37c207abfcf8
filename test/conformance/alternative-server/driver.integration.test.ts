import { expect, test } from "vitest";
import { explore, runConformance, type Target } from "../../../conformance/index.ts";
import type { Report } from "../../../conformance/report/report.ts";
import { type Delivering, driverOf } from "./driver.ts";
import type { Choices } from "./enrollment.ts";
import { AlternativeServer, type Manners, SDK } from "./server.ts";

/** How many scripts each variant plays: 10,000 in all with TXFEED_SCRIPTS=2500. */
const SCRIPTS = Number(process.env["TXFEED_SCRIPTS"] ?? 25);
const SEED = Number(process.env["TXFEED_SCRIPTS_SEED"] ?? 1);

/** The suite must not fail a server for a choice that the interface leaves open. */
const variants: [string, Manners & Choices & Delivering][] = [
  ["lists by offset, messages projected", { style: "offset", projection: true }],
  [
    "lists by cursor, no projection, an end of consents that is known",
    { style: "cursor", projection: false, knowsExpiry: true },
  ],
  [
    "two currencies, abridged messages, repeated deliveries",
    { style: "cursor", projection: true, billing: "USD", abridged: true, repeatEach: 4 },
  ],
  [
    "parts that stay PENDING, superseded messages of netted movements, removed ones kept",
    {
      ...{ style: "offset", projection: true, exactSelf: true },
      ...{ pendingParts: true, supersedesNetted: true, remembers: true },
    },
  ],
];

function targetOf(server: AlternativeServer, how: Choices & Delivering): Target {
  const { baseUrl } = server;
  const [credentials, secondAccount] = server.accounts;
  if (!credentials || !secondAccount) throw new Error("two accounts");
  return {
    ...{ baseUrl, credentials, secondAccount, sdkCredentials: SDK, profile: "full" },
    ...{ writes: true, webhooks: { host: "127.0.0.1", port: 0 } },
    driver: driverOf(server, how),
  };
}

function findingsOf({ requirements }: Report): string[] {
  return requirements
    .filter(({ verdict }) => /failed|warned/.test(verdict))
    .flatMap(({ id, checks }) =>
      checks.flatMap(
        ({ name, findings }) => findings?.map(({ message }) => `${id} ${name}: ${message}`) ?? [],
      ),
    );
}

test.each(variants)("the scenarios find nothing in another server: %s", async (_, how) => {
  await using server = await new AlternativeServer(how).start();
  const report = await runConformance(targetOf(server, how));
  expect(findingsOf(report)).toEqual([]);
  expect(report.suiteErrors).toEqual([]);
  expect(report.claims.decided).toBeGreaterThan(250);
});

test.each(variants)(
  "random scripts find nothing in another server: %s",
  async (_, how) => {
    await using server = await new AlternativeServer(how).start();
    const report = await explore(targetOf(server, how), { seed: SEED, scripts: SCRIPTS });
    expect(
      report.findings.map(({ requirement, step, expected, actual }) => {
        return `${requirement} after ${step}: expected ${expected}, got ${actual}`;
      }),
    ).toEqual([]);
    expect(report).toMatchObject({ scripts: SCRIPTS, failedScripts: 0, missingVerbs: [] });
  },
  60_000 + SCRIPTS * 1_000,
);
