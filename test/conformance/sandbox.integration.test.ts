import { expect, test } from "vitest";
import { conformance } from "../../conformance/cli/conformance.ts";
import driverOf from "../../conformance/drivers/sandbox.ts";
import type { Target } from "../../conformance/index.ts";
import type { Report, Verdict } from "../../conformance/report/report.ts";
import { runConformance } from "../../conformance/run/run.ts";
import type { Evidence } from "../../conformance/wire/evidence.ts";
import { createSandbox, type Sandbox, type WorldName } from "../../src/sandbox/index.ts";

const idsOf = ({ requirements }: Report, ...wanted: Verdict[]) =>
  requirements.filter(({ verdict }) => wanted.includes(verdict)).map(({ id }) => id);

/** A target with every capability. */
async function fullTarget(sandbox: Sandbox): Promise<Target> {
  const { baseUrl } = sandbox;
  const [credentials, secondAccount] = sandbox.accounts;
  const { sdkClientId: clientId, sdkClientSecret: clientSecret } = credentials;
  const { result } = await sandbox.trigger("link-start", {});
  return {
    ...{ baseUrl, credentials, secondAccount, profile: "full" },
    sdkCredentials: { clientId, clientSecret },
    ...{ writes: true, bankLinkId: result.bankLinkId },
    driver: await driverOf({ baseUrl }),
  };
}

test("the sandbox passes every requirement, at least partly", async () => {
  await using sandbox = await createSandbox({ world: "small", validate: true });
  const report = await runConformance(await fullTarget(sandbox));
  expect(report.suiteErrors).toEqual([]);
  expect(idsOf(report, "failed", "warned", "skipped")).toEqual([]);
  expect(idsOf(report, "passed", "partly")).toHaveLength(128);
  expect(report.claims.decided).toBeGreaterThanOrEqual(364);
  expect(report.assertions).toBeGreaterThan(1_000);
  expect(sandbox.violations).toEqual([]);
});

test("a run of the large seed is complete, although it walks the long lists many times", async () => {
  await using sandbox = await createSandbox({ world: "large" });
  const report = await runConformance(await fullTarget(sandbox));
  expect(report.brokenOff).toBeUndefined();
  expect(idsOf(report, "failed", "warned", "skipped")).toEqual([]);
  expect(report.claims.decided).toBeGreaterThanOrEqual(360);
}, 120_000);

test.each<WorldName>(["empty", "small"])(
  "the %s seed has no findings without writes",
  async (world) => {
    await using sandbox = await createSandbox({ world, validate: true });
    const [credentials] = sandbox.accounts;
    const { baseUrl } = sandbox;
    const report = await runConformance({ baseUrl, credentials, profile: "full" });
    expect(idsOf(report, "failed", "warned")).toEqual([]);
    expect(report.claims.decided).toBeGreaterThan(world === "small" ? 150 : 59);
    expect(sandbox.violations).toEqual([]);
  },
);

test("a run without writes and a driver sends only what its help lists", async () => {
  await using sandbox = await createSandbox({ world: "small" });
  const evidence: Evidence[] = [];
  const { writes: _, bankLinkId: __, driver: ___, ...target } = await fullTarget(sandbox);
  await runConformance(target, { onEvidence: (entry) => evidence.push(entry) });
  const others = evidence.flatMap((entry) => {
    if (entry.kind !== "exchange" || entry.request.method === "GET") return [];
    const { method, url, headers, body } = entry.request;
    const path = url.replace(sandbox.baseUrl, "").replace(/realms\/[^/]+/, "realms/…");
    const isAccepted = ["$TXFEED_TOKEN", "$TXFEED_SECOND_TOKEN"].some(
      (token) => headers["authorization"] === `Bearer ${token}`,
    );
    return method === "PATCH" ? `${method} ${path} ${body} ${isAccepted}` : `${method} ${path}`;
  });
  expect(conformance.notes?.join(" ")).toMatch(/GET requests .*token requests.* PATCH requests/);
  expect(new Set(others)).toEqual(
    new Set([
      "POST /auth/realms/…/protocol/openid-connect/token",
      "PATCH /bank-links/00000000-0000-4000-8000-000000000000 {} false",
    ]),
  );
});
