/** A process that runs one fault at a time, because faults patch the sandbox's modules. */
import { runSequence, type SequenceTask } from "./trial.ts";

process.on("message", async (task: SequenceTask) => {
  try {
    process.send?.(await runSequence(task));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const nothing = { fired: 0, scripts: 0, findings: [], fixed: [], durationMs: 0 };
    process.send?.({ nr: task.nr, ...nothing, error: why });
  }
});
