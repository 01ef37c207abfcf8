import { beforeAll, expect, test } from "vitest";
import { conformance } from "../../conformance/cli/conformance.ts";
import type { Report } from "../../conformance/report/report.ts";
import { replayEvidence, runConformance } from "../../conformance/run/run.ts";
import type { Evidence } from "../../conformance/wire/evidence.ts";
import { createSandbox, type WorldName } from "../../src/sandbox/index.ts";
import { checksIn, findingsIn, fullTarget, runTwice, verdictsOf } from "./runs.ts";

/** One run against the sandbox with every capability, and what its evidence shows. */

let report: Report;
let evidence: Evidence[] = [];

beforeAll(async () => {
  await using sandbox = await createSandbox({ world: "small", seed: 7, validate: true });
  const { bankLinkId } = (await sandbox.trigger("link-start")).result;
  ({ report, evidence } = await runTwice({ ...fullTarget(sandbox), bankLinkId }));
  expect(sandbox.violations).toEqual([]);
  return () => {
    evidence = [];
  };
}, 120_000);

const isDecided = ({ verdict }: { verdict: string }) => /passed|partly|excluded/.test(verdict);

test("the sandbox passes every requirement, at least partly", () => {
  expect([findingsIn(report), report.suiteErrors]).toEqual([[], []]);
  expect(report.requirements.filter((one) => !isDecided(one))).toEqual([]);
  expect(report.claims.decided).toBeGreaterThanOrEqual(364);
  expect(report.assertions).toBeGreaterThan(1_000);
});

test.each([1, 32])("a concurrency of %d gives the same verdicts", async (concurrency) => {
  await using sandbox = await createSandbox({ world: "small", seed: 7 });
  const { bankLinkId } = (await sandbox.trigger("link-start")).result;
  const run = await runTwice({ ...fullTarget(sandbox), bankLinkId }, { concurrency });
  expect(verdictsOf(run.report)).toEqual(verdictsOf(report));
});

test("a replay may be strict, or of some requirements", async () => {
  expect(verdictsOf(await replayEvidence(evidence, { strict: true }))).toEqual(verdictsOf(report));
  const auth = await replayEvidence(evidence, { only: ["AUTH"] });
  for (const [at, { id, verdict, reason }] of auth.requirements.entries()) {
    if (id.startsWith("AUTH")) expect([id, verdict]).toEqual(verdictsOf(report)[at]);
    else if (verdict !== "excluded") expect([id, reason]).toEqual([id, "not selected"]);
  }
});

test("requests that the evidence lacks leave requirements undecided", async () => {
  const isFor = (entry: Evidence) => "scope" in entry && entry.scope.startsWith("AUTH-07: ");
  const again = await replayEvidence(evidence.filter((entry) => !isFor(entry)));
  const { reason } = again.requirements.find(({ id }) => id === "AUTH-07") ?? {};
  expect(reason).toBe("the evidence does not contain it");
  expect([findingsIn(again), again.suiteErrors]).toEqual([[], []]);
});

test("incomplete evidence is replayed as a run that was stopped", async () => {
  for (const share of [0.1, 0.35, 0.6, 0.85]) {
    const again = await replayEvidence(evidence.slice(0, 1 + share * evidence.length));
    expect(again.brokenOff).toBe("the evidence is incomplete");
    expect(again.suiteErrors).toEqual([]);
    expect(again.summary.passed).toBeLessThanOrEqual(report.summary.passed);
  }
});

/** Replays the run as if some requests had got no response. */
async function replayWithout(isLost: (scope: string, nr: number) => boolean): Promise<Report> {
  return replayEvidence(
    evidence.map((entry) => {
      if (entry.kind !== "exchange" || !isLost(entry.scope, entry.nr)) return entry;
      const { response: _, ...rest } = entry;
      return { ...rest, failure: "other side closed" };
    }),
  );
}

test("no check counts its own requests if none got a response", async () => {
  const scopes = new Set(evidence.map((entry) => (entry.kind === "exchange" ? entry.scope : "")));
  const before = checksIn(report);
  const after = checksIn(await replayWithout((scope) => before.has(scope)));
  const own = [...after].filter(([name]) => scopes.has(name));
  expect(own.length).toBeGreaterThan(40);
  // Other checks' requests and deliveries may also decide it.
  const alike = own.filter(([name, { verdict, assertions }]) => {
    return verdict === "passed" && assertions === before.get(name)?.assertions;
  });
  expect(alike.map(([name]) => name)).toEqual([]);
});

test("a token request without a credential fails if it got no response", async () => {
  // The scopes of token requests with an empty credential, or without one.
  const noCredential = /^token request .*"client_(id|secret) (undefined)?"/;
  const { requirements } = await replayWithout((scope) => noCredential.test(scope));
  for (const id of ["AUTH-05", "AUTH-06"]) {
    const { checks = [] } = requirements.find((one) => one.id === id) ?? {};
    const failed = checks.filter(({ verdict }) => verdict === "failed");
    const [expected, actual] = ["a response without a token", "no response (other side closed)"];
    expect(failed).toMatchObject([{ expected, actual }, {}]);
  }
});

test("pages and limits that got no response decide nothing", async () => {
  const unlinked = checksIn(await replayWithout((scope) => scope.startsWith("pages of ")));
  for (const name of [
    "PAGE-04: self leads to the page's own collection",
    "PAGE-06: first leads to the first page",
    "PAGE-12: last leads to the page without next",
    "PAGE-12: prev leads to the previous page",
  ]) {
    expect([name, unlinked.get(name)?.verdict]).toEqual([name, "skipped"]);
  }
  const checks = checksIn(await replayWithout((scope) => /^GET \/\S+ by \d/.test(scope)));
  // Each of the 7 collections is read with the limit of 100, and walked without a limit, too.
  expect(checks.get("PAGE-01: every limit from 1 to 100 is accepted")?.assertions).toBe(7);
  expect(checks.get("PAGE-11: walking next returns no resource twice")?.assertions).toBe(14);
});

test("a second PATCH without a response does not prove that nothing is sent", async () => {
  const patches = evidence.flatMap((entry) => {
    const isPatch = entry.kind === "exchange" && entry.request.method === "PATCH";
    return isPatch && entry.response?.status === 200 ? [entry.nr] : [];
  });
  expect(patches.length).toBeGreaterThan(1);
  const again = checksIn(await replayWithout((_, nr) => patches.includes(nr)));
  const name = "BLK-02: PATCH of a completed bank link sends no second banklink.completed";
  expect(again.get(name)?.verdict).toBe("skipped");
});

test("the large seed is walked to its end", async () => {
  await using sandbox = await createSandbox({ world: "large" });
  const large = await runConformance(fullTarget(sandbox));
  expect(large.brokenOff).toBeUndefined();
  expect(large.requirements.filter((one) => !isDecided(one))).toEqual([]);
  expect(large.claims.decided).toBeGreaterThanOrEqual(360);
}, 120_000);

test.each<[WorldName, number]>([
  ["empty", 60],
  ["small", 151],
])(
  "a run of the %s seed without a driver has no findings and sends only what its help lists",
  async (world, least) => {
    await using sandbox = await createSandbox({ world, validate: true });
    const { writes: _, driver: __, ...target } = fullTarget(sandbox);
    const sent = new Set<string>();
    const run = await runConformance(target, {
      onEvidence: (entry) => {
        if (entry.kind !== "exchange" || entry.request.method === "GET") return;
        const { method, url, headers, body } = entry.request;
        const path = url.replace(sandbox.baseUrl, "").replace(/realms\/[^/]+/, "realms/…");
        const isAccepted = /^Bearer \$TXFEED_(SECOND_)?TOKEN$/.test(headers["authorization"] ?? "");
        sent.add(`${method} ${path} ${method === "PATCH" ? `${body} ${isAccepted}` : ""}`);
      },
    });
    expect([findingsIn(run), run.suiteErrors, sandbox.violations]).toEqual([[], [], []]);
    expect(run.claims.decided).toBeGreaterThanOrEqual(least);
    expect(conformance.notes?.join(" ")).toMatch(/GET requests .*token requests.* PATCH requests/);
    expect([...sent].toSorted()).toEqual([
      "PATCH /bank-links/00000000-0000-4000-8000-000000000000 {} false",
      "POST /auth/realms/…/protocol/openid-connect/token ",
    ]);
  },
);
