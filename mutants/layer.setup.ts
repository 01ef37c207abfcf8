import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect } from "vitest";

/** What the instrumented code shares. */
const shared = globalThis as {
  __stryker__?: { mutantCoverage?: { static: Record<string, number> } };
};

beforeAll(() => {
  shared.__stryker__ ??= {};
  shared.__stryker__.mutantCoverage ??= { static: {} };
});

afterAll(() => {
  const { mutantCoverage } = shared.__stryker__ ?? {};
  const file = expect.getState().testPath ?? "";
  const ids = Object.keys(mutantCoverage?.static ?? {});
  const name = `covered-${process.pid}-${Math.random()}`;
  writeFileSync(join(process.env["TXFEED_LAYER"] ?? "", name), JSON.stringify({ file, ids }));
  if (mutantCoverage) mutantCoverage.static = {};
});
