import { type OpenOutputSync, openForWritingSync } from "../../src/cli/file.ts";
import { inputsNamed, linesIn } from "../../src/cli/input.ts";
import { TxfeedError, UsageError } from "../../src/errors.ts";
import { EvidenceReader, evidenceLine } from "../evidence-file.ts";
import type { Evidence } from "../transport/evidence.ts";

/**
 * A file that a run's evidence is written to as it comes, a whole line at a time: what a run saw
 * that was killed is there. It is made with the first thing that is seen, so that a target which
 * can't be reached leaves the evidence of an earlier run alone.
 */
export class EvidenceFile {
  readonly name: string;
  /** What came before anything was seen. */
  #head = "";
  #output: OpenOutputSync | undefined;
  #failure: TxfeedError | undefined;

  constructor(name: string) {
    this.name = name;
  }

  /** Takes an entry. It never throws: a full disk is no fault of a check. {@link close} tells. */
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

  /** Ends it. Throws a TxfeedError `file` where something of it could not be written. */
  close(): void {
    this.#output?.close();
    this.#output = undefined;
    if (this.#failure) throw this.#failure;
  }
}

/** Whether an entry shows nothing of the target. */
function isSilent(entry: Evidence): boolean {
  if (entry.kind === "exchange") return entry.response === undefined;
  return entry.kind === "run" || entry.kind === "unsent";
}

/**
 * Reads evidence from a file, or from standard input. Rejects with a TxfeedError: `file` where it
 * can't be read, `usage` with the line where it is no evidence.
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
    throw new UsageError(`${file}: ${error.message}`, { cause: error });
  }
}
