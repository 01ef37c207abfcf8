import { beforeAll, expect, test } from "vitest";
import sandboxDriver from "../../../conformance/drivers/sandbox.ts";
import type { CheckReport, Report } from "../../../conformance/report/report.ts";
import { replayEvidence, runConformance } from "../../../conformance/run/run.ts";
import type { Evidence } from "../../../conformance/wire/evidence.ts";
import { createSandbox } from "../../../src/sandbox/index.ts";

/** A request without a response makes no assertion. Evidence is replayed without responses. */

let whole: Evidence[] = [];

beforeAll(async () => {
  await using sandbox = await createSandbox({ world: "small" });
  const [credentials, secondAccount] = sandbox.accounts;
  const { sdkClientId: clientId, sdkClientSecret: clientSecret } = credentials;
  const { result } = await sandbox.trigger("link-start");
  await runConformance(
    {
      ...{ baseUrl: sandbox.baseUrl, credentials, secondAccount, profile: "full" },
      sdkCredentials: { clientId, clientSecret },
      ...{ writes: true, bankLinkId: result.bankLinkId, driver: sandboxDriver(sandbox) },
    },
    { onEvidence: (entry) => whole.push(JSON.parse(JSON.stringify(entry))) },
  );
  return () => {
    whole = [];
  };
}, 60_000);

/** Replays the run as if some requests had got no response. */
function replayWithout(isLost: (scope: string, nr: number) => boolean): Promise<Report> {
  return replayEvidence(
    whole.map((entry) => {
      if (entry.kind !== "exchange" || !isLost(entry.scope, entry.nr)) return entry;
      const { response: _, ...rest } = entry;
      return { ...rest, failure: "other side closed" };
    }),
  );
}

const checksOf = ({ requirements }: Report): ReadonlyMap<string, CheckReport> =>
  new Map(
    requirements.flatMap(({ id, checks }) =>
      checks.map((check) => [`${id}: ${check.name}`, check] as const),
    ),
  );

test("no check counts its own requests if none got a response", async () => {
  const scopes = new Set(
    whole.map((entry) => (entry.kind === "exchange" ? entry.scope : undefined)),
  );
  const before = checksOf(await replayWithout(() => false));
  const after = checksOf(await replayWithout((scope) => before.has(scope)));
  const own = [...after].filter(([name]) => scopes.has(name));
  expect(own.length).toBeGreaterThan(40);
  const passed = own.filter(([, { verdict }]) => verdict === "passed");
  // Other checks' requests and deliveries may also decide it.
  const alike = passed.filter(([name, { assertions }]) => {
    return assertions === before.get(name)?.assertions;
  });
  expect(alike.map(([name]) => name)).toEqual([]);
});

/** The scopes of token requests with an empty credential, or without one. */
const NO_CREDENTIAL = /^token request .*"client_(id|secret) (undefined)?"/;

test("a token request without a credential fails if it got no response", async () => {
  const report = await replayWithout((scope) => NO_CREDENTIAL.test(scope));
  for (const id of ["AUTH-05", "AUTH-06"]) {
    const checks = report.requirements.find((one) => one.id === id)?.checks ?? [];
    const failed = checks.filter(({ verdict }) => verdict === "failed");
    expect(failed).toHaveLength(2);
    const { expected, actual } = failed[0] ?? {};
    expect(expected).toBe("a response without a token");
    expect(actual).toBe("no response (other side closed)");
  }
});

test("links of pages that got no response decide nothing", async () => {
  const checks = checksOf(await replayWithout((scope) => scope.startsWith("pages of ")));
  for (const name of [
    "PAGE-04: self leads to the page's own collection",
    "PAGE-06: first leads to the first page",
    "PAGE-12: last leads to the page without next",
    "PAGE-12: prev leads to the previous page",
  ]) {
    expect([name, checks.get(name)?.verdict]).toEqual([name, "skipped"]);
  }
});

test("limits that got no response are not counted as accepted", async () => {
  const checks = checksOf(await replayWithout((scope) => /^GET \/\S+ by \d/.test(scope)));
  // Each of the 7 collections is read with the limit of 100.
  expect(checks.get("PAGE-01: every limit from 1 to 100 is accepted")).toMatchObject({
    assertions: 7,
  });
  const walk = checks.get("PAGE-11: walking next returns no resource twice");
  // The walks without a limit, and with the limit of 100, had responses.
  expect(walk?.assertions).toBe(14);
});

test("a second PATCH without a response does not prove that nothing is sent", async () => {
  const scope = "bank links are completed by PATCH";
  const patches = whole.flatMap((entry) =>
    entry.kind === "exchange" && entry.scope === scope ? [entry.nr] : [],
  );
  // Of the given link, and of two that the driver started.
  expect(patches).toHaveLength(6);
  const second = new Set(patches.filter((_, at) => at % 2 === 1));
  const report = await replayWithout((_, nr) => second.has(nr));
  const name = "BLK-02: PATCH of a completed bank link sends no second banklink.completed";
  expect(checksOf(report).get(name)).toMatchObject({ verdict: "skipped" });
});
