import { expect, test } from "vitest";
import { breaches, liberties } from "./breaches.ts";
import { drive, names } from "./harness.ts";

const TIMEOUT_MS = 30_000;

test.each(breaches.map((breach) => [breach.seenBy.join("; "), breach] as const))(
  "seen to fail: %s",
  async (_, { seenBy, wrap, ...fault }) => {
    const only = [...new Set(seenBy.map((name) => name.slice(0, name.indexOf(":"))))];
    const { verdicts, report } = await drive({ only, fault, wrap });
    const failed = [...verdicts].filter(([, { findings = [] }]) => findings.length > 0);
    expect(failed.map(([name]) => name)).toEqual(expect.arrayContaining([...seenBy]));
    for (const [, { expected, actual }] of failed) expect([expected, actual]).not.toContain("");
    expect(report.faults).toEqual([]);
  },
  TIMEOUT_MS,
);

test("each check of a story has been seen to fail", () => {
  const seen = new Set(breaches.flatMap(({ seenBy }) => seenBy));
  expect(names.filter((name) => !seen.has(name))).toEqual([]);
});

test.each(liberties.map((liberty) => [liberty.title, liberty] as const))(
  "nothing is held against a target of which this is true: %s",
  async (_, { title, seenBy, wrap, ...fault }) => {
    const { verdicts, report } = await drive({ fault, wrap });
    expect([...verdicts].filter(([, { findings = [] }]) => findings.length > 0)).toEqual([]);
    expect(report.faults).toEqual([]);
  },
  TIMEOUT_MS,
);
