import fc from "fast-check";
import { expect, test } from "vitest";
import { playScript } from "./play-script.ts";
import { problemsOf } from "./state-rules.ts";
import { TestSandbox } from "./test-sandbox.ts";
import { opening, step } from "./verb-scripts.ts";

const SCRIPTS = Number(process.env["TXFEED_SCRIPTS"] ?? 1000);
const SEED = Number(process.env["TXFEED_SCRIPTS_SEED"] ?? 5);

test(`${SCRIPTS} random scripts end in a state without findings`, async () => {
  let [steps, scripts] = [0, 0];
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 5, maxLength: 40, size: "max" }),
      async (script) => {
        const sandbox = new TestSandbox();
        scripts += 1;
        // Comparing whole states takes long.
        const options = { checksRefusals: scripts % 10 === 0, isFrozen: scripts % 3 === 0 };
        steps += await playScript(sandbox, [...opening, ...script], options);
        expect(await sandbox.findings()).toEqual([]);
        expect(problemsOf(sandbox)).toEqual([]);
        sandbox.engine.store.database.close();
      },
    ),
    { numRuns: SCRIPTS, seed: SEED },
  );
  expect(steps).toBeGreaterThan(SCRIPTS * 5);
}, 600_000);
