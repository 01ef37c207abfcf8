import { expect, test } from "vitest";
import { type CoverageSummary, renderLayers } from "../../scripts/layer-coverage.ts";

const counts = (covered: number, total: number) => {
  const count = { covered, total };
  return { lines: count, branches: { covered: 0, total: 0 }, functions: count };
};

test("each layer has one row, with its files weighted by size", () => {
  const summary: CoverageSummary = {
    total: counts(1, 1),
    "/repo/src/errors.ts": counts(1, 2),
    "/repo/src/client/a.ts": counts(9, 10),
    "/repo/src/client/undici/b.ts": counts(0, 30),
    "/repo/conformance/run.ts": counts(3, 3),
  };
  expect(renderLayers(summary, "/repo").split("\n").slice(2)).toEqual([
    "| conformance | 1 | 100.0 % | - | 100.0 % |",
    "| src | 1 | 50.0 % | - | 50.0 % |",
    "| src/client | 2 | 22.5 % | - | 22.5 % |",
  ]);
});
