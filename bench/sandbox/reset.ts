import { createControlClient } from "../../src/sandbox/control/client.ts";
import { runInChild } from "../child.ts";
import { median } from "../measure.ts";
import { millisecondsText } from "../process-time.ts";
import { atMost } from "../report.ts";
import type { Section } from "../section.ts";
import { SOURCE_CLI, withSandbox } from "./programs.ts";
import type { ResetJob, Resets } from "./reset-worker.ts";

const LIMIT_MS = 200;

/** Duration of a reset. */
export const reset: Section = async ({ processes, isQuick }) => {
  const job: ResetJob = { resets: isQuick ? 3 : 25 };
  const inProcess: Resets[] = [];
  const overHttp: number[] = [];
  for (let turn = 0; turn < processes; turn += 1) {
    inProcess.push(await runInChild<Resets>(new URL("reset-worker.ts", import.meta.url), job));
    overHttp.push(...(await resetsOverHttp(job)));
  }
  const small = inProcess.flatMap(({ smallMs }) => smallMs);
  const large = inProcess.map(({ largeMs }) => largeMs);
  const rows = Object.entries({
    "reset with the small world, in process": small,
    "reset with the small world, over HTTP": overHttp,
    "a sandbox with the large world": large,
  });
  const targets = rows.slice(0, 2).map(([what, ms]) => {
    return atMost(what, LIMIT_MS, median(ms), millisecondsText);
  });
  return {
    tables: [
      {
        title: "Reset",
        columns: ["median", "worst"],
        rows: rows.map(([name, ms]) => [
          name,
          millisecondsText(median(ms)),
          millisecondsText(Math.max(...ms)),
        ]),
      },
    ],
    targets,
  };
};

function resetsOverHttp({ resets }: ResetJob): Promise<number[]> {
  return withSandbox(SOURCE_CLI, async ({ controlUrl }) => {
    const control = createControlClient(controlUrl);
    const times: number[] = [];
    for (let count = 0; count < resets; count += 1) {
      const startMs = performance.now();
      await control.reset();
      times.push(performance.now() - startMs);
    }
    return times;
  });
}
