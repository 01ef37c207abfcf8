import { expect, test } from "vitest";
import { requirementOf } from "../../../conformance/check.ts";
import { scriptedChecks } from "../../../conformance/checks/index.ts";
import type { Driver, Verb } from "../../../conformance/driver.ts";
import { type Evidence, replayEvidence } from "../../../conformance/index.ts";
import type { RequirementId } from "../../../generated/requirements.ts";
import type { ClockMode, WorldName } from "../../../src/sandbox/index.ts";
import { drive } from "./drive.ts";

test.each<[WorldName, ClockMode]>([
  ["empty", "frozen"],
  ["empty", "real"],
  ["small", "frozen"],
  ["small", "real"],
])("each driven check passes on the sandbox with seed %s and a %s clock", async (...of) => {
  const [world, clock] = of;
  const { report, verdicts, violations } = await drive({ sandbox: { world, clock } });
  const others = [...verdicts].filter(([, { verdict }]) => verdict !== "passed");
  expect(others).toEqual([]);
  const names = scriptedChecks.map((check) => `${requirementOf(check)}: ${check.title}`);
  expect([...verdicts.keys()].sort()).toEqual(names.toSorted());
  expect(report.assertions).toBeGreaterThan(200);
  expect(report.suiteErrors).toEqual([]);
  expect(violations).toEqual([]);
});

test("the same evidence gives the same report", async () => {
  const { report, evidence } = await drive({});
  const lines: Evidence[] = evidence.map((entry) => JSON.parse(JSON.stringify(entry)));
  expect(await replayEvidence(lines, {}, scriptedChecks)).toEqual(
    JSON.parse(JSON.stringify(report)),
  );
});

const without =
  (...verbs: Verb[]) =>
  (driver: Driver): Driver =>
    Object.fromEntries(Object.entries(driver).filter(([verb]) => !verbs.includes(verb as Verb)));

test("without settle, only checks of what follows later are skipped", async () => {
  const { verdicts } = await drive({ wrap: without("settle") });
  const others = [...verdicts].filter(([, { verdict }]) => verdict !== "passed");
  const titles = new Set(others.map(([name]) => name.slice(name.indexOf(": ") + 2)));
  expect(titles).toEqual(
    new Set([
      "parts of purchases are posted and cleared in any order",
      "each part of a purchase settles once, in any order of events",
      "the clearing of a part supersedes only the posting of that part",
      "the clearing of each part of a posted purchase is announced",
      "newer card data is matched as soon as the card data before it",
      "a URL whose subscription ended receives nothing",
      "a URL subscribed to one event receives exactly that event",
    ]),
  );
  for (const [, { verdict, reason }] of others) {
    expect([verdict, reason]).toEqual(["skipped", "requires the driver's verb settle"]);
  }
});

test("a missing verb skips only the checks that need it and is named", async () => {
  const { report, verdicts } = await drive({ wrap: without("rematch", "clear", "linkCard") });
  const skipped = [...verdicts].filter(([, { verdict }]) => verdict !== "passed");
  const ids = new Set(skipped.map(([name]) => name.split(":")[0]));
  for (const id of ["MAT-07", "MAT-08", "MSG-03", "SUB-07", "SUB-08", "TXN-13", "WHK-05"]) {
    expect(ids).toContain(id);
  }
  expect(ids).not.toContain("BTX-07");
  for (const [, { reason }] of skipped) expect(reason).toMatch(/^requires the driver's verb \w+$/);
  const ofSub = report.requirements.find(({ id }) => id === "SUB-07");
  expect(ofSub?.verdict).toBe("passed");
});

test("a refused verb skips the checks that need it, with the refusal", async () => {
  const refuse = async () => {
    throw new Error("409 no such thing here");
  };
  const { verdicts } = await drive({
    only: ["BTX", "MAT-09"],
    wrap: (one) => ({ ...one, tellLate: refuse }),
  });
  const title = "late card data is matched, and nets the bank-only transaction";
  expect(verdicts.get(`MAT-09: ${title}`)).toMatchObject({
    verdict: "skipped",
    reason: "the driver's verb tellLate was refused: 409 no such thing here",
  });
});

const refuse = async () => {
  throw new Error("409 not here");
};

/** Refuses a verb from its nth call on. */
const refusing =
  (verb: Verb, from: number) =>
  (driver: Driver): Driver => {
    let calls = 0;
    const call = driver[verb] as (params: unknown) => Promise<unknown>;
    const counted = (params: unknown) => {
      calls += 1;
      return calls < from ? call(params) : refuse();
    };
    return { ...driver, [verb]: counted };
  };

test.each<[verb: Verb, from: number, requirements: RequirementId[]]>([
  ["disconnect", 1, ["BAC-01", "BAC-03", "BAC-04", "BAC-05"]],
  ["disconnect", 2, ["BAC-01", "BAC-03", "BAC-04", "BAC-05"]],
  ["recover", 2, ["BAC-01", "BAC-04", "BAC-05"]],
  ["expireConsent", 1, ["BAC-04", "BAC-05"]],
  ["deactivate", 1, ["SUB-05", "SUB-09"]],
  ["upgrade", 1, ["SUB-05", "SUB-06", "SUB-08"]],
  ["linkCard", 1, ["SUB-07"]],
  ["linkCard", 2, ["SUB-07"]],
  ["acceptFeed", 2, ["NBF-03", "NBF-04"]],
  ["rejectFeed", 2, ["NBF-02", "NBF-04"]],
  ["retireDuplicate", 1, ["BTX-04", "BTX-05", "MAT-05"]],
  ["rematch", 1, ["MAT-05", "MAT-07"]],
  ["clear", 1, ["MSG-03", "TXN-13", "MAT-08", "WHK-05"]],
  ["tellLate", 1, ["TXN-14", "MAT-09"]],
  ["enrich", 1, ["ENR-01"]],
])("%s refused from call %i on leaves %j undecided", async (verb, from, requirements) => {
  const { report } = await drive({ only: requirements, wrap: refusing(verb, from) });
  for (const id of requirements) {
    const found = report.requirements.find((one) => one.id === id);
    expect([id, found?.verdict]).toEqual([id, expect.stringMatching(/^(skipped|partly)$/)]);
    const reasons = found?.claims?.map(({ reason }) => reason).join("\n");
    expect(reasons).toContain(`the driver's verb ${verb} was refused: 409 not here`);
  }
});

test("a verb that returns too little skips the checks that need it", async () => {
  const { verdicts, report } = await drive({
    only: ["SUB-04"],
    wrap: (one) => ({ ...one, enroll: async () => ({}) as never }),
  });
  const [first] = verdicts.values();
  expect(first).toMatchObject({
    verdict: "skipped",
    reason: "enroll returned no subscriptionId",
  });
  expect(report.suiteErrors).toEqual([]);
});

test("a driver without verbs skips all checks", async () => {
  const { report, verdicts } = await drive({ wrap: () => ({}) });
  expect(report.summary.failed).toBe(0);
  expect(new Set([...verdicts.values()].map(({ verdict }) => verdict))).toEqual(
    new Set(["skipped"]),
  );
});
