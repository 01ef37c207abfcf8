import { expect, test } from "vitest";
import { ClaimAssertions, once } from "../../../conformance/assert.ts";
import { type Check, type Found, Skip } from "../../../conformance/check.ts";
import type { Report } from "../../../conformance/report/report.ts";
import { runConformance } from "../../../conformance/run/run.ts";
import { Refused, Unmet } from "../../../conformance/skip.ts";
import type { Exchange } from "../../../conformance/wire/exchange.ts";
import { type ClaimId, claimIds, claims } from "../../../generated/requirements.ts";
import { notFound, serve } from "../../support/local-server.ts";
import { withToken } from "../serve.ts";

/** The verdicts on claims, and those on requirements that follow from them. */

const UNTIL = "AUTH-09.accepted-until";
const AFTER = "AUTH-09.refused-after";
const REST = claimIds.filter(
  (id) => claims[id].requirement === "AUTH-09" && id !== UNTIL && id !== AFTER,
);
const held = REST.map((id) => `${id.slice("AUTH-09.".length)}: passed`);

const exchange: Exchange = {
  nr: 1,
  request: { method: "GET", url: "http://127.0.0.1:1/cards?limit=1", headers: {} },
  durationMs: 1,
};
const breach = { expected: "a", actual: "b", evidence: [exchange] as const };

function check(claims: readonly ClaimId[], result: Found | Skip): Check {
  const title = `decides ${claims.join(", ")}`;
  return { claims, title, requires: [], run: async () => result } as unknown as Check;
}

async function run(...checks: Check[]): Promise<Report> {
  const target = {
    baseUrl: await serve(withToken(notFound)),
    credentials: { accountId: "a-1", clientId: "client-1", clientSecret: "canary-secret" },
    profile: "full" as const,
  };
  return runConformance(target, { patienceMs: 500 }, checks);
}

async function verdicts(...checks: Check[]) {
  return resultOf(await run(...checks));
}

function resultOf(report: Report) {
  const found = report.requirements.find(({ id }) => id === "AUTH-09");
  const claims = found?.claims?.map(({ id, verdict, reason }) =>
    [id.slice("AUTH-09.".length), verdict, ...(reason === undefined ? [] : [reason])].join(": "),
  );
  return { verdict: found?.verdict, claims, summary: report.claims };
}

test("a requirement passes if each of its claims is decided", async () => {
  const { verdict, claims, summary } = await verdicts(
    check([UNTIL, AFTER], once([])),
    check(REST, once([])),
  );
  expect(verdict).toBe("passed");
  expect(claims).toEqual(["accepted-until: passed", "refused-after: passed", ...held]);
  expect(summary).toMatchObject({ decided: 2 + REST.length, failed: 0 });
});

test("a requirement passes partly if a claim has no check or no case", async () => {
  const { verdict, claims, summary } = await verdicts(
    check([UNTIL], once([])),
    check([AFTER], new Skip("no clock")),
  );
  expect(verdict).toBe("partly");
  expect(claims?.slice(0, 3)).toEqual([
    "accepted-until: passed",
    "refused-after: undecided: no clock",
    "own-exp: undecided: no check decides it",
  ]);
  expect(summary).toMatchObject({ decided: 1, failed: 0 });
});

test("a requirement without a decided claim is skipped", async () => {
  expect((await verdicts(check([UNTIL], new Skip("no clock")))).verdict).toBe("skipped");
});

test.each([
  ["refused", new Refused("the verb was refused")],
  ["without its promised effect", new Unmet("no match came")],
])("a verb that is %s leaves the claim undecided, whatever others decide", async (_, skip) => {
  const { claims } = await verdicts(check([UNTIL], once([])), check([UNTIL], skip));
  expect(claims?.[0]).toBe(`accepted-until: undecided: ${skip.reason}`);
});

test("a breach that names a claim violates only that claim", async () => {
  const { verdict, claims } = await verdicts(
    check([UNTIL, AFTER], once([{ ...breach, claim: AFTER }])),
    check(REST, once([])),
  );
  expect(verdict).toBe("failed");
  expect(claims).toEqual(["accepted-until: passed", "refused-after: failed", ...held]);
});

test("a breach of a derived claim is a warning, whatever its requirement is", async () => {
  const empty = "SUB-09.no-empty-update";
  const one = check([empty], once([breach]));
  const other = check(["SUB-09.one-created"], once([breach]));
  const of = (report: Report) => report.requirements.find(({ id }) => id === "SUB-09");
  const level = (report: Report) => of(report)?.checks[0]?.findings?.[0]?.level;
  const warned = await run(one);
  expect([of(warned)?.verdict, level(warned)]).toEqual(["warned", "warning"]);
  const both = await run(one, other);
  expect(of(both)?.verdict).toBe("failed");
  expect(of(both)?.claims?.find(({ id }) => id === empty)?.verdict).toBe("warned");
});

test("a check decides only the claims for which it asserted something", async () => {
  const assertions = new ClaimAssertions();
  assertions.of(UNTIL).check(true, breach);
  const { claims } = await verdicts(check([UNTIL, AFTER], assertions.result("nothing")));
  expect(claims?.slice(0, 2)).toEqual([
    "accepted-until: passed",
    "refused-after: undecided: no case of it occurred",
  ]);
});

/** A claim with two situations, and its requirement's other claims. */
const SITUATED = "TXN-12.settles";

test.each<[string, Check[], object]>([
  [
    "no case of it occurred",
    [check([SITUATED], { ...once([]), situations: ["network-bulk"] })],
    { reason: "no case of it occurred" },
  ],
  [
    "a check was skipped",
    [
      check([SITUATED], { ...once([]), situations: ["network-bulk"] }),
      check([SITUATED], new Skip("no feed", "add one")),
    ],
    { reason: "no feed", hint: "add one" },
  ],
  [
    "a check lacks a capability",
    [
      check([SITUATED], { ...once([]), situations: ["network-bulk"] }),
      check([SITUATED], new Skip("no feed", "add one")),
      { ...check([SITUATED], once([])), requires: ["secondAccount"] },
    ],
    { reason: "requires a second account", hintOptions: "give secondAccount" },
  ],
  [
    "a verb was refused",
    [
      check([SITUATED], { ...once([]), situations: ["network-bulk"] }),
      check([SITUATED], new Refused("the verb was refused")),
      { ...check([SITUATED], once([])), requires: ["secondAccount"] },
    ],
    { reason: "the verb was refused" },
  ],
])("an unmet situation has the reason: %s", async (_, checks, unmet) => {
  const report = await run(...checks);
  const requirement = report.requirements.find(({ id }) => id === "TXN-12");
  const { situations = [] } = requirement?.claims?.find(({ id }) => id === SITUATED) ?? {};
  expect(situations.filter(({ met }) => met)).toEqual([{ name: "network-bulk", met: true }]);
  const others = situations.filter(({ met }) => !met);
  expect(others.length).toBeGreaterThan(0);
  for (const one of others) expect(one).toMatchObject(unmet);
});
