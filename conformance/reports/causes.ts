import type { Cause, RequirementReport } from "./report.ts";

/** Groups what does not hold by what is likely to be one fault of the target. */
export function causesOf(requirements: readonly RequirementReport[]): readonly Cause[] {
  return requirements.flatMap(({ id, checks }) =>
    checks.flatMap(({ findings = [] }) => {
      const [first] = findings;
      if (!first) return [];
      const { message, shownBy } = first;
      return [{ message, requirements: [id], findings: findings.length, shownBy }];
    }),
  );
}
