import { describe, expect, test } from "vitest";
import { checkHistory } from "../../src/contract/index.ts";
import { type CaptureName, captureLines, captures } from "../history/capture.ts";

const deliveriesOf = (name: CaptureName, count: number) =>
  [...captureLines(name, count)].map((line) => JSON.parse(line));

describe.each(Object.keys(captures) as CaptureName[])("the capture %s", (name) => {
  // The steady capture has a thousand purchases before its changes begin.
  const deliveries = deliveriesOf(name, 12_000);

  test("is a valid and complete history", async () => {
    const { findings } = await checkHistory(deliveries, { complete: true });
    // An account type outside the known values is a notice.
    expect(findings.filter(({ level }) => level !== "notice")).toEqual([]);
  });

  test("is deterministic and has the requested length", () => {
    expect(deliveriesOf(name, 12_000)).toEqual(deliveries);
    expect(deliveries).toHaveLength(12_000);
  });
});

test("a steady capture only changes existing resources", () => {
  const bodies = deliveriesOf("steady", 13_500).map(({ body }) => body);
  const ids = new Set(bodies.slice(0, 11_001).map(({ id }) => id));
  const later = bodies.slice(11_001).filter(({ id }) => id !== undefined);
  expect(later.length).toBeGreaterThan(1000);
  expect(later.filter(({ id }) => !ids.has(id))).toEqual([]);
});
