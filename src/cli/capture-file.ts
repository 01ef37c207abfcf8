import { open } from "node:fs/promises";
import { reasonOf } from "../errors.ts";
import { type OpenOutput, openForAppending, refuseUnwritable } from "./file.ts";
import { targetOf, unwritable } from "./output-target.ts";

/** A delivery to append to a capture. */
export interface CapturedDelivery {
  /** ISO 8601. */
  readonly receivedAt: string;
  /** Headers by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as text. */
  readonly text: string;
  readonly isJson: boolean;
}

const NEWLINE = 0x0a;

/**
 * A file to which deliveries are appended, one per line, for `validate` and `history`. A killed
 * process loses at most the last line.
 */
export class CaptureFile {
  readonly name: string;
  /** Whether the last line of the file was incomplete. It was then terminated. */
  readonly isRepaired: boolean;
  readonly #output: OpenOutput;
  #last: Promise<void> = Promise.resolve();
  #isWithinLine = false;

  private constructor(name: string, output: OpenOutput, isRepaired: boolean) {
    this.name = name;
    this.#output = output;
    this.isRepaired = isRepaired;
  }

  /**
   * Opens or creates the file.
   *
   * @throws {TxfeedError} `file` if that fails.
   */
  static async open(name: string): Promise<CaptureFile> {
    await refuseUnwritable(name);
    const isWithinLine = await endsWithinLine(name);
    const output = await openForAppending(name);
    if (isWithinLine) await output.write("\n");
    return new CaptureFile(name, output, isWithinLine);
  }

  /**
   * Appends a delivery. Resolves when it is in the file. After a failure, the next delivery still
   * starts on a new line.
   *
   * @throws {TxfeedError} `file` if it can't be written.
   */
  append(received: CapturedDelivery): Promise<void> {
    const appended = this.#last.then(() => this.#write(lineFor(received)));
    this.#last = appended.catch(() => undefined);
    return appended;
  }

  /** Closes the file after the pending writes. */
  async close(): Promise<void> {
    await this.#last;
    this.#output.close();
  }

  async #write(line: string): Promise<void> {
    try {
      await this.#output.write(this.#isWithinLine ? `\n${line}` : line);
      this.#isWithinLine = false;
    } catch (error) {
      this.#isWithinLine = true;
      throw error;
    }
  }
}

/** Whether the last line has no line feed, because a process was killed while writing it. */
async function endsWithinLine(name: string): Promise<boolean> {
  const target = targetOf(name);
  if (target.kind !== "file" || !target.stats || target.stats.size === 0) return false;
  try {
    const handle = await open(target.path);
    const { buffer } = await handle
      .read(Buffer.alloc(1), 0, 1, target.stats.size - 1)
      .finally(() => handle.close());
    return buffer[0] !== NEWLINE;
  } catch (error) {
    throw unwritable(name, reasonOf(error), error);
  }
}

/**
 * Renders a delivery as a line. It contains the body's text, not a reserialization, with line
 * breaks replaced by spaces: in JSON they occur only between tokens.
 */
function lineFor({ receivedAt, headers, text, isJson }: CapturedDelivery): string {
  const head = JSON.stringify({ receivedAt, headers }).slice(0, -1);
  const body = isJson
    ? `"body":${text.replace(/[\r\n]+/g, " ")}`
    : `"rawBody":${JSON.stringify(text)}`;
  return `${head},${body}}\n`;
}
