import { expect, test } from "vitest";
import { checks } from "../../conformance/checks/index.ts";
import { exclusions } from "../../generated/exclusions.ts";
import { notFound, serve } from "./serve.ts";
import { inState, runVitest } from "./vitest-run.ts";

/** What the options of `describeConformance`, and those of Vitest, do to a run. */

const credentials = { accountId: "a", clientId: "b", clientSecret: "c-secret" };
const STRAYS = "no body breaks another requirement";

const describing = (target: object, options = {}) =>
  `describeConformance(${JSON.stringify(target)}, ${JSON.stringify(options)});`;

/** A target that answers, and fails what is asked of it. */
async function startTarget() {
  return { baseUrl: await serve(notFound), credentials, profile: "full" };
}

const excluded = Object.keys(exclusions).slice(0, 1);

test.each([[["MAT-05"]], [["AUTH-07", "ERR"]], [excluded]])(
  "only %j leaves the tests of these requirements, and no empty suite",
  async (only) => {
    const { output, tests } = await runVitest({
      source: describing(await startTarget(), { only }),
    });
    expect(output).not.toContain("No test found");
    const ids = new Set(tests.map(({ name }) => name.split(" ")[0] ?? ""));
    ids.delete("no");
    expect([...ids].every((id) => only.includes(id) || only.includes(id.split("-")[0] ?? ""))).toBe(
      true,
    );
    const wanted = checks.filter(({ requirement }) => ids.has(requirement));
    const known = [...ids].filter((id) => id in exclusions);
    expect(tests).toHaveLength(wanted.length + known.length + 1);
    expect(tests.map(({ name }) => name)).toContain(STRAYS);
  },
);

test("requireAssertions of a configuration changes no result", async () => {
  const source = describing(await startTarget(), { only: ["AUTH", "CONV-10"] });
  const [plain, strict] = [
    await runVitest({ source }),
    await runVitest({ source, args: ["--expect.requireAssertions"] }),
  ];
  const states = (run: typeof plain) => run.tests.map(({ name, state }) => [name, state]).sort();
  expect(states(strict)).toEqual(states(plain));
  expect(inState(strict.tests, "passed").length).toBeGreaterThan(0);
});
