import { expect, test } from "vitest";
import { storyChecks } from "../../../conformance/checks/driven/stories.ts";
import type { Driver, Verb } from "../../../conformance/driver.ts";
import { type Evidence, judgeEvidence } from "../../../conformance/index.ts";
import type { ClockMode, WorldName } from "../../../src/sandbox/index.ts";
import { drive, names } from "./stage.ts";

test.each<[WorldName, ClockMode]>([
  ["empty", "frozen"],
  ["empty", "real"],
  ["small", "frozen"],
  ["small", "real"],
])(
  "the sandbox with the %s world and a %s clock shows each check, and fails none",
  async (...of) => {
    const [world, clock] = of;
    const { report, verdicts, violations } = await drive({ sandbox: { world, clock } });
    const others = [...verdicts].filter(([, { verdict }]) => verdict !== "passed");
    expect(others).toEqual([]);
    expect([...verdicts.keys()].sort()).toEqual(names.toSorted());
    expect(report.assertions).toBeGreaterThan(200);
    expect(report.faults).toEqual([]);
    expect(violations).toEqual([]);
  },
);

test("the same evidence gives the same report", async () => {
  const { report, evidence } = await drive({});
  const lines: Evidence[] = evidence.map((entry) => JSON.parse(JSON.stringify(entry)));
  expect(await judgeEvidence(lines, {}, storyChecks)).toEqual(JSON.parse(JSON.stringify(report)));
});

const without =
  (...verbs: Verb[]) =>
  (driver: Driver): Driver =>
    Object.fromEntries(Object.entries(driver).filter(([verb]) => !verbs.includes(verb as Verb)));

test("a driver that can't settle is waited for, and nothing is held against it", async () => {
  const { verdicts } = await drive({ wrap: without("settle") });
  expect([...verdicts].filter(([, { verdict }]) => verdict !== "passed")).toEqual([]);
});

test("a missing verb skips what needs it by name, and nothing else", async () => {
  const { report, verdicts } = await drive({ wrap: without("rematch", "clear", "linkCard") });
  const skipped = [...verdicts].filter(([, { verdict }]) => verdict !== "passed");
  expect(skipped.map(([name]) => name.split(":")[0]).toSorted()).toEqual([
    ...["MAT-07", "MAT-07", "MAT-08", "MSG-03", "SUB-07", "SUB-08", "TXN-13", "WHK-05"],
  ]);
  for (const [, { reason }] of skipped) expect(reason).toMatch(/^needs the driver's verb \w+$/);
  const ofSub = report.requirements.find(({ id }) => id === "SUB-07");
  expect(ofSub?.verdict).toBe("passed");
});

test("a verb that the target refuses leaves unseen what needs it, with what it said", async () => {
  const refuse = async () => {
    throw new Error("409 no such thing here");
  };
  const { verdicts } = await drive({
    only: ["BTX", "MAT-09"],
    wrap: (one) => ({ ...one, tellLate: refuse }),
  });
  expect(verdicts.get("MAT-09: card data that comes late is matched in time")).toMatchObject({
    verdict: "skipped",
    reason: "the driver's verb tellLate was refused: 409 no such thing here",
  });
});

test("a verb that tells too little leaves unseen what needs it", async () => {
  const { verdicts, report } = await drive({
    only: ["SUB-04"],
    wrap: (one) => ({ ...one, enroll: async () => ({}) as never }),
  });
  const [first] = verdicts.values();
  expect(first).toMatchObject({
    verdict: "skipped",
    reason: "the driver's verb enroll gave no subscriptionId",
  });
  expect(report.faults).toEqual([]);
});

test("a driver without a verb skips all", async () => {
  const { report, verdicts } = await drive({ wrap: () => ({}) });
  expect(report.summary.failed).toBe(0);
  expect(new Set([...verdicts.values()].map(({ verdict }) => verdict))).toEqual(
    new Set(["skipped"]),
  );
});
