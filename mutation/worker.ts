/** A process that makes trials for `teeth`, one at a time: faults may be inside the sandbox. */
import { mutations } from "./mutations/index.ts";
import type { Result, Task } from "./task.ts";
import { runTrial } from "./trial.ts";

process.on("message", async (task: Task) => {
  process.send?.(await runTask(task));
});

async function runTask({ nr, mutationId: faultId, world, scripts }: Task): Promise<Result> {
  const start = performance.now();
  const durationMs = () => Math.round(performance.now() - start);
  try {
    const fault = mutations.find(({ id }) => id === faultId);
    const { report, fired, violations } = await runTrial({ mutation: fault, world, scripts });
    const findings = report.requirements
      .filter(({ verdict }) => verdict === "failed" || verdict === "warned")
      .map(({ id, checks }) => {
        const check = checks.find(({ findings = [] }) => findings.length > 0);
        const { expected = "", actual = "" } = check ?? {};
        return { id, check: check?.name ?? "", expected, actual };
      });
    const errors = [
      ...report.faults.map(({ check, message }) => `the suite's fault: ${check}: ${message}`),
      ...(report.brokenOff === undefined ? [] : [`broken off: ${report.brokenOff}`]),
      // Of a fault inside, they are its own.
      ...(fault ? [] : violations),
    ];
    const { summary, checks, assertions } = report;
    return {
      ...{ nr, findings, fired, errors },
      summary,
      checks,
      assertions,
      durationMs: durationMs(),
    };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { nr, findings: [], fired: 0, errors: [`no run: ${why}`], durationMs: durationMs() };
  }
}
