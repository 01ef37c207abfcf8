import { type Command, EXIT, type Flag, usageError } from "../../src/cli/command.ts";
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
import { hasCode, reasonOf, UsageError } from "../../src/errors.ts";
import { applyBaseline, parseBaseline } from "../report/ending.ts";
import { renderHtml } from "../report/html/index.ts";
import { renderJunit } from "../report/junit.ts";
import { renderMarkdown } from "../report/markdown.ts";
import type { KnownFailure, Report } from "../report/report.ts";
import { renderText } from "../report/text.ts";
import { type View, viewOf } from "../report/view.ts";
import { replayEvidence } from "../run/run.ts";
import { type Evidence, EvidenceReader, evidenceLine } from "../wire/evidence.ts";
import {
  BASELINE_NOTE,
  CHECK_FLAGS,
  examplesOf,
  type Named,
  onlyIn,
  switching,
  taking,
  type Values,
} from "./flags.ts";
import { runProgressOn } from "./progress.ts";

/** The flags that name report files, and the one that prints all of the text. */
export const REPORT_FLAGS = {
  "report-json": taking("FILE", "write the full report to FILE"),
  junit: taking("FILE", "write a JUnit XML report to FILE"),
  html: taking("FILE", "write the report to FILE as a single HTML page"),
  markdown: taking("FILE", "append a summary to FILE, such as $GITHUB_STEP_SUMMARY"),
  verbose: switching("list what was not decided, with reasons"),
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

/** The files and options for a report. */
export interface Publication {
  readonly files: readonly WantedFile[];
  readonly baseline?: readonly KnownFailure[] | undefined;
  /** Facts about the run, for the head of the text. */
  readonly facts?: readonly string[];
  /** The run's evidence; it is closed before the files are written. */
  readonly evidence?: EvidenceFile;
  /** Whether to print the report as JSON instead of the text. */
  readonly isJson: boolean;
  /** Whether the text lists what was not decided. */
  readonly isVerbose: boolean;
}

/**
 * Reads the flags of a report, and its baseline.
 *
 * @param taken Other files that the command reads or writes.
 * @throws {TxfeedError} `file` if a report file is not writable or the baseline can't be read,
 * `usage` if two files are the same or the baseline is invalid
 */
export async function publicationIn(
  command: Named,
  values: Values,
  taken: readonly WantedFile[],
): Promise<Publication> {
  const named = (flags: readonly string[]) =>
    flags.flatMap((flag): WantedFile[] =>
      values[flag] === undefined ? [] : [{ flag: `--${flag}`, file: String(values[flag]) }],
    );
  const files = named(Object.keys(RENDERERS));
  const all = [...taken, ...named(["baseline"]), ...files];
  for (const [at, { flag, file }] of all.entries()) {
    const other = all.slice(0, at).find((one) => isSameTarget(one.file, file));
    if (other) throw usageError(command, `${other.flag} and ${flag} name the same file: ${file}`);
  }
  for (const { file } of files) await refuseUnwritable(file);
  const baseline = values.baseline === undefined ? undefined : String(values.baseline);
  return {
    files,
    ...(baseline !== undefined && { baseline: await baselineOf(baseline) }),
    ...{ isJson: values.json === true, isVerbose: values.verbose === true },
  };
}

async function baselineOf(file: string): Promise<readonly KnownFailure[]> {
  const text = await textOf(file);
  try {
    return parseBaseline(text);
  } catch (error) {
    throw new UsageError(`${file}: ${reasonOf(error)}`, { cause: error });
  }
}

/**
 * Applies the baseline to a report, writes its files and prints the text or the report.
 *
 * @returns Resolves to the exit status.
 * @throws {TxfeedError} `file` if a file can't be written, after writing the others and the text
 */
export async function publish(
  checked: Report,
  { files, baseline, facts = [], evidence, isJson, isVerbose }: Publication,
): Promise<number> {
  const today = new Date().toISOString().slice(0, "2025-03-04".length);
  const report = baseline ? applyBaseline(checked, baseline, today) : checked;
  const view = viewOf(report);
  const written: string[] = [];
  let failure: unknown;
  const write = async (name: string, file: string, content: () => Promise<void> | void) => {
    try {
      await content();
      written.push(`${name} in ${file}`);
    } catch (error) {
      failure ??= error;
    }
  };
  if (evidence) await write("evidence", evidence.name, () => evidence.close());
  for (const { flag, file } of files) {
    const name = flag.slice("--".length);
    const writeFile = name === "markdown" ? appendTo : writeAtomically;
    await write(name, file, () => writeFile(file, RENDERERS[name]?.(view) ?? ""));
  }
  const text = isJson
    ? JSON.stringify(report)
    : renderText(view, styleFor(process.stdout), { facts, files: written, isVerbose });
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
  examples: examplesOf("txfeed report run.ndjson", {
    "": "check the recorded run again",
    "--only PAGE --strict": "count warnings as failures",
    "--html report.html": "write a web page",
    "--json": "print the report for a program",
  }),
  run: async ({ positionals: [file = ""], values }) => {
    const only = onlyIn(report, values);
    const publication = await publicationIn(report, values, [{ flag: "EVIDENCE", file }]);
    const progress = runProgressOn(process.stderr);
    const replay = async () =>
      replayEvidence(await readEvidence(file, progress.noteLines), {
        strict: values.strict === true,
        onProgress: progress.noteCheck,
        ...(only && { only }),
      });
    return publish(await replay().finally(progress.end), publication);
  },
};

/**
 * Writes a run's evidence as it arrives, in whole lines, so that the evidence of a killed run is
 * kept. The file is created on the first response: an unreachable target does not overwrite the
 * evidence of an earlier run.
 */
export class EvidenceFile {
  readonly name: string;
  /** Entries that are not written yet: those before the first response. */
  #head = "";
  #output: OpenOutputSync | undefined;
  #failure: unknown;

  constructor(name: string) {
    this.name = name;
  }

  /** Adds an entry. Errors such as a full disk must not fail a check: {@link close} throws them. */
  readonly add = (entry: Evidence): void => {
    if (this.#failure) return;
    this.#head += evidenceLine(entry);
    if (!this.#output && isSilent(entry)) return;
    try {
      this.#output ??= openForWritingSync(this.name);
      this.#output.write(this.#head);
      this.#head = "";
    } catch (error) {
      this.#failure = error;
    }
  };

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
