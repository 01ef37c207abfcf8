import type { Command } from "../../src/cli/command.ts";
import { replayEvidence } from "../run/run.ts";
import { readEvidence } from "./evidence.ts";
import { BASELINE_NOTE, CHECK_FLAGS, onlyIn } from "./flags.ts";
import { baselineIn, filesIn, publish, REPORT_FILE_FLAGS } from "./reports.ts";

/** `txfeed report`: checks the evidence of an earlier run, offline. */
export const report: Command = {
  name: "report",
  positionals: ["EVIDENCE"],
  summary: "rechecks the evidence of an earlier conformance run, offline",
  notes: [
    "EVIDENCE is a file written by conformance --evidence, or - for standard input.",
    BASELINE_NOTE,
  ],
  flags: { ...CHECK_FLAGS, ...REPORT_FILE_FLAGS },
  run: async ({ positionals: [file = ""], values }) => {
    const only = onlyIn(report, values);
    const taken = [
      { flag: "EVIDENCE", file },
      ...(values.baseline === undefined
        ? []
        : [{ flag: "--baseline", file: String(values.baseline) }]),
    ];
    const files = await filesIn(report, values, taken);
    const baseline = await baselineIn(values);
    const evidence = await readEvidence(file);
    const checked = await replayEvidence(evidence, {
      strict: values.strict === true,
      ...(only && { only }),
    });
    return publish(checked, { files, baseline });
  },
};
