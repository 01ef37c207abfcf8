import {
  type Command,
  type CommandCall,
  EXIT,
  type Flag,
  usageError,
} from "../../src/cli/command.ts";
import {
  appendTo,
  type OpenOutputSync,
  openForWritingSync,
  refuseUnwritable,
  writeAtomically,
} from "../../src/cli/file.ts";
import { JSON_FLAG } from "../../src/cli/format.ts";
import { inputsNamed, linesIn, textOf } from "../../src/cli/input.ts";
import { outputTo } from "../../src/cli/output.ts";
import { isSameTarget } from "../../src/cli/output-target.ts";
import { styleFor } from "../../src/cli/terminal.ts";
import { hasCode, reasonOf, type TxfeedError, UsageError } from "../../src/errors.ts";
import { applyBaseline, parseBaseline } from "../report/ending.ts";
import { renderHtml } from "../report/html/index.ts";
import { renderJunit } from "../report/junit.ts";
import { renderMarkdown } from "../report/markdown.ts";
import type { KnownFailure, Report } from "../report/report.ts";
import { renderText } from "../report/text.ts";
import { type View, viewOf } from "../report/view.ts";
import { replayEvidence } from "../run/run.ts";
import { type Evidence, EvidenceReader, evidenceLine } from "../wire/evidence.ts";
import { BASELINE_NOTE, CHECK_FLAGS, onlyIn } from "./flags.ts";
import { runProgressOn } from "./progress.ts";

type Named = Pick<Command, "name">;
type Values = CommandCall["values"];

/** The flags that name report files, and the one that prints all of the text. */
export const REPORT_FLAGS = {
  "report-json": { type: "string", value: "FILE", help: "write the full report to FILE" },
  junit: { type: "string", value: "FILE", help: "write a JUnit XML report to FILE" },
  html: { type: "string", value: "FILE", help: "write the report to FILE as a single HTML page" },
  markdown: {
    type: "string",
    value: "FILE",
    help: "append a summary to FILE, such as $GITHUB_STEP_SUMMARY",
  },
  verbose: { type: "boolean", help: "list what was not decided, with reasons" },
} as const satisfies Record<string, Flag>;

const RENDERERS: Readonly<Record<string, (view: View) => string>> = {
  "report-json": ({ report }) => `${JSON.stringify(report, null, 2)}\n`,
  junit: renderJunit,
  html: renderHtml,
  markdown: renderMarkdown,
};

/** A file named by a flag. */
interface WantedFile {
  readonly flag: string;
  readonly file: string;
}

/**
 * Returns the report files that the flags name.
 *
 * @param taken Other files that the command reads or writes.
 * @throws {TxfeedError} `file` if one is not writable, `usage` if two are the same
 */
export async function filesIn(
  command: Named,
  values: Values,
  taken: readonly WantedFile[] = [],
): Promise<readonly WantedFile[]> {
  const wanted = Object.keys(RENDERERS).flatMap((flag): WantedFile[] => {
    const file = values[flag];
    return file === undefined ? [] : [{ flag: `--${flag}`, file: String(file) }];
  });
  const all = [...taken, ...wanted];
  for (const [at, { flag, file }] of all.entries()) {
    const other = all.slice(0, at).find((one) => isSameTarget(one.file, file));
    if (other) throw usageError(command, `${other.flag} and ${flag} name the same file: ${file}`);
  }
  for (const { file } of wanted) await refuseUnwritable(file);
  return wanted;
}

/** Reads the known failures from `--baseline`; undefined without the flag. */
export async function baselineIn({
  baseline,
}: Values): Promise<readonly KnownFailure[] | undefined> {
  if (baseline === undefined) return undefined;
  const file = String(baseline);
  const text = await textOf(file);
  try {
    return parseBaseline(text);
  } catch (error) {
    throw new UsageError(`${file}: ${reasonOf(error)}`, { cause: error });
  }
}

/** The files and options for a report. */
export interface Publication {
  readonly files: readonly WantedFile[];
  readonly baseline?: readonly KnownFailure[] | undefined;
  /** Facts about the run, for the head of the text. */
  readonly facts?: readonly string[];
  /** Other files written, such as "evidence in e.ndjson". */
  readonly written?: readonly string[];
  /** Whether to print the report as JSON instead of the text. */
  readonly isJson?: boolean;
  /** Whether the text lists what was not decided. */
  readonly isVerbose?: boolean;
}

/**
 * Applies the baseline to a report, writes its files and prints the text or the report.
 *
 * @returns Resolves to the exit status.
 * @throws {TxfeedError} `file` if a file can't be written, after writing the others and the text
 */
export async function publish(
  checked: Report,
  { files, baseline, facts = [], written = [], isJson = false, isVerbose = false }: Publication,
): Promise<number> {
  const today = new Date().toISOString().slice(0, "2025-03-04".length);
  const report = baseline ? applyBaseline(checked, baseline, today) : checked;
  const view = viewOf(report);
  const outputs = [...written];
  let failure: unknown;
  for (const { flag, file } of files) {
    try {
      const content = RENDERERS[flag.slice("--".length)]?.(view) ?? "";
      await (flag === "--markdown" ? appendTo : writeAtomically)(file, content);
      outputs.push(`${flag.slice("--".length)} in ${file}`);
    } catch (error) {
      failure ??= error;
    }
  }
  const text = isJson
    ? JSON.stringify(report)
    : renderText(view, styleFor(process.stdout), { facts, files: outputs, isVerbose });
  await outputTo(process.stdout).write(`${text}\n`);
  if (failure) throw failure;
  return { failed: EXIT.found, held: EXIT.ok, undecided: EXIT.undecided }[view.ending];
}

/** `txfeed report`: checks the evidence of an earlier run, offline. */
export const report: Command = {
  name: "report",
  positionals: ["EVIDENCE"],
  summary: "rechecks the evidence of an earlier conformance run, offline",
  notes: [
    "EVIDENCE is a file written by conformance --evidence, or - for standard input.",
    BASELINE_NOTE,
  ],
  flags: {
    ...CHECK_FLAGS,
    ...REPORT_FLAGS,
    json: { ...JSON_FLAG, help: "print the report as one line of JSON" },
  },
  examples: [
    { command: "txfeed report run.ndjson", does: "check the recorded run again" },
    {
      command: "txfeed report run.ndjson --only PAGE --strict",
      does: "count warnings as failures",
    },
    { command: "txfeed report run.ndjson --html report.html", does: "write a web page" },
    { command: "txfeed report run.ndjson --json", does: "print the report for a program" },
  ],
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
    const progress = runProgressOn(process.stderr);
    const replay = async () =>
      replayEvidence(await readEvidence(file, progress.noteLines), {
        strict: values.strict === true,
        onProgress: progress.noteCheck,
        ...(only && { only }),
      });
    const checked = await replay().finally(progress.end);
    const [isJson, isVerbose] = [values.json === true, values.verbose === true];
    return publish(checked, { files, baseline, isJson, isVerbose });
  },
};

/**
 * Writes a run's evidence as it arrives, in whole lines, so that the evidence of a killed run is
 * kept. The file is created on the first response: an unreachable target does not overwrite the
 * evidence of an earlier run.
 */
export class EvidenceFile {
  readonly name: string;
  /** Entries before the first response. */
  #head = "";
  #output: OpenOutputSync | undefined;
  #failure: TxfeedError | undefined;

  constructor(name: string) {
    this.name = name;
  }

  /** Adds an entry. Errors such as a full disk must not fail a check: {@link close} throws them. */
  readonly add = (entry: Evidence): void => {
    if (this.#failure) return;
    const line = evidenceLine(entry);
    try {
      if (!this.#output && isSilent(entry)) this.#head += line;
      else this.#write(line);
    } catch (error) {
      this.#failure = error as TxfeedError;
    }
  };

  #write(line: string): void {
    if (this.#output === undefined) {
      this.#output = openForWritingSync(this.name);
      this.#output.write(this.#head);
    }
    this.#output.write(line);
  }

  /**
   * Closes the file.
   *
   * @throws {TxfeedError} `file` if an entry could not be written
   */
  close(): void {
    this.#output?.close();
    this.#output = undefined;
    if (this.#failure) throw this.#failure;
  }
}

/** Whether an entry contains nothing from the target. */
function isSilent(entry: Evidence): boolean {
  if (entry.kind === "exchange") return entry.response === undefined;
  return entry.kind === "run" || entry.kind === "unsent";
}

/**
 * Reads evidence from a file, or from standard input.
 *
 * @throws {TxfeedError} `file` if it can't be read, `usage` with the line if it is not evidence
 */
async function readEvidence(
  file: string,
  noteLines: (lines: number) => void,
): Promise<readonly Evidence[]> {
  const [input] = await inputsNamed([file]);
  const reader = new EvidenceReader();
  try {
    for await (const batch of linesIn(input.read())) {
      for (const line of batch) {
        if ("problem" in line) {
          throw new UsageError(`line ${line.number} is ${line.problem}`);
        }
        reader.add(line.text, line.number);
      }
      noteLines(batch.at(-1)?.number ?? 0);
    }
    return reader.end();
  } catch (error) {
    if (!hasCode(error, "usage")) throw error;
    const place = file === "-" ? "standard input" : file;
    throw new UsageError(`${place}: ${error.message}`, { cause: error });
  }
}
