import { beforeAll, describe, test } from "vitest";
import { requirementIds, requirements } from "../generated/requirements.ts";
import type { Target } from "./means.ts";
import type { Report, RequirementReport } from "./reports/report.ts";
import { type RunOptions, runConformance } from "./run.ts";

/** How a run goes about it inside of Vitest. */
export interface DescribeOptions extends RunOptions {
  /** How long the whole run may take; 120,000 unless set. */
  readonly timeoutMs?: number;
}

/**
 * Runs the conformance checks inside of a team's own Vitest: a test a requirement, by its id and
 * text. What fails says what was expected, what came and, as a curl line, how to see it again. What
 * no check could look at is skipped, with the reason; so is what no run decides.
 *
 * @param target What is run against, or a function that gives it when the tests begin: by then a
 * server may be started.
 */
export function describeConformance(
  target: Target | (() => Target | Promise<Target>),
  { timeoutMs = 120_000, ...options }: DescribeOptions = {},
): void {
  describe("conformance", () => {
    let report: Report;
    beforeAll(async () => {
      report = await runConformance(
        typeof target === "function" ? await target() : target,
        options,
      );
    }, timeoutMs);

    for (const id of requirementIds) {
      test(`${id} ${requirements[id].text}`, async ({ annotate, skip }) => {
        const found = report.requirements.find((requirement) => requirement.id === id);
        if (!found) throw new Error(`${id} is missing in the report`);
        const { verdict, reason, unskip } = found;
        if (verdict === "failed") throw failureOf(found);
        if (verdict === "warned") await annotate(failureOf(found).message, "warning");
        skip(
          verdict === "skipped" || verdict === "excluded",
          unskip === undefined ? reason : `${reason}: ${unskip}`,
        );
      });
    }
  });
}

/** An error with all that does not hold of a requirement, and no trace: it leads into the suite. */
function failureOf({ checks }: RequirementReport): Error {
  const broken = checks.filter(({ findings }) => findings !== undefined);
  const lines = broken.flatMap(({ name, findings = [], reproduce }) => [
    name,
    ...findings.slice(0, MOST_SHOWN).map(({ message }) => `  ${message}`),
    ...(findings.length > MOST_SHOWN ? [`  and ${findings.length - MOST_SHOWN} more`] : []),
    ...(reproduce === undefined ? [] : [`  ${reproduce}`]),
  ]);
  const error = new Error(lines.join("\n"));
  error.stack = error.message;
  return error;
}

const MOST_SHOWN = 5;
