import { type OpenOutputSync, openForWritingSync } from "../../src/cli/file.ts";
import { inputsNamed, linesIn } from "../../src/cli/input.ts";
import { TxfeedError, UsageError } from "../../src/errors.ts";
import { type Evidence, EvidenceReader, evidenceLine } from "../wire/evidence.ts";

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
export async function readEvidence(file: string): Promise<readonly Evidence[]> {
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
    }
    return reader.end();
  } catch (error) {
    if (!(error instanceof TxfeedError) || error.code !== "usage") throw error;
    const place = file === "-" ? "standard input" : file;
    throw new UsageError(`${place}: ${error.message}`, { cause: error });
  }
}
