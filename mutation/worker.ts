/** A process that runs one task at a time, because mutations may patch the sandbox's modules. */
import { mutations } from "./mutations/index.ts";
import type { Result, Task } from "./task.ts";
import { runTrial } from "./trial.ts";

process.on("message", async (task: Task) => {
  process.send?.(await runTask(task));
});

async function runTask({ nr, mutationId, world, scripts }: Task): Promise<Result> {
  const start = performance.now();
  const durationMs = () => Math.round(performance.now() - start);
  try {
    const mutation = mutations.find(({ id }) => id === mutationId);
    const { report, fired, violations } = await runTrial({ mutation, world, scripts });
    const hasFindings = ({ findings = [] }: { findings?: readonly unknown[] }) =>
      findings.length > 0;
    const findings = report.requirements
      .filter(({ verdict }) => verdict === "failed" || verdict === "warned")
      .map(({ id, checks }) => {
        const check = checks.find(hasFindings);
        const { expected = "", actual = "" } = check ?? {};
        return { id, check: check?.name ?? "", expected, actual };
      });
    const failedChecks = report.requirements.flatMap(({ id, checks }) =>
      checks.filter(hasFindings).map(({ name }) => `${id}: ${name}`),
    );
    const failedClaims = report.requirements
      .flatMap(({ claims = [] }) => claims)
      .filter(({ verdict }) => verdict === "failed" || verdict === "warned")
      .map(({ id }) => id);
    const errors = [
      ...report.suiteErrors.map(({ check, message }) => `error in the suite: ${check}: ${message}`),
      ...(report.brokenOff === undefined ? [] : [`broken off: ${report.brokenOff}`]),
      // A mutation inside the sandbox may cause violations.
      ...(mutation ? [] : violations),
    ];
    const { summary, checks, assertions } = report;
    const firstCause = report.causes[0]?.requirements[0];
    return {
      ...{ nr, findings, failedChecks, failedClaims, fired, errors },
      ...(firstCause !== undefined && { firstCause }),
      ...{ summary, checks, assertions, durationMs: durationMs() },
    };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const nothing = { findings: [], failedChecks: [], failedClaims: [], fired: 0 };
    return { nr, ...nothing, errors: [`no run: ${why}`], durationMs: durationMs() };
  }
}
