import { type FileHandle, open } from "node:fs/promises";
import { reasonOf, TxfeedError } from "../errors.ts";
import { refuseUnwritable } from "./file.ts";

/** A delivery as it came. */
export interface Received {
  /** ISO 8601. */
  readonly receivedAt: string;
  /** The headers that a capture keeps, by their lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body's text. */
  readonly text: string;
  readonly isJson: boolean;
}

const NEWLINE = 0x0a;

/**
 * A file that deliveries are appended to, a line each, as `validate` and `history` read them. A
 * line is written as a whole, so that a process that is killed leaves behind all but the last.
 */
export class CaptureFile {
  readonly name: string;
  /** Whether the file ended within a line, which was then ended. */
  readonly isRepaired: boolean;
  readonly #handle: FileHandle;
  #last: Promise<void> = Promise.resolve();
  #isWithinLine = false;

  private constructor(name: string, handle: FileHandle, isRepaired: boolean) {
    this.name = name;
    this.#handle = handle;
    this.isRepaired = isRepaired;
  }

  /** Opens or makes the file. Rejects with a TxfeedError `file` where that fails. */
  static async open(name: string): Promise<CaptureFile> {
    await refuseUnwritable(name);
    try {
      const handle = await open(name, "a+");
      return new CaptureFile(name, handle, await endLastLine(handle));
    } catch (error) {
      throw unwritable(name, error);
    }
  }

  /**
   * Appends a delivery; resolves when it is in the file. Rejects with a TxfeedError `file` where it
   * can't be written; what is appended later stands on a line of its own all the same.
   */
  append(received: Received): Promise<void> {
    const appended = this.#last.then(() => this.#write(lineFor(received)));
    this.#last = appended.catch(() => undefined);
    return appended;
  }

  /** Closes the file when all that was appended is in it. */
  async close(): Promise<void> {
    await this.#last;
    await this.#handle.close();
  }

  async #write(line: string): Promise<void> {
    try {
      await this.#handle.appendFile(this.#isWithinLine ? `\n${line}` : line);
      this.#isWithinLine = false;
    } catch (error) {
      this.#isWithinLine = true;
      throw unwritable(this.name, error);
    }
  }
}

/** Ends a line that a killed process left half written, so that it spoils none but itself. */
async function endLastLine(handle: FileHandle): Promise<boolean> {
  const { size } = await handle.stat();
  if (size === 0) return false;
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
  if (buffer[0] === NEWLINE) return false;
  await handle.appendFile("\n");
  return true;
}

/**
 * The line for a delivery. The body stands in it as it came, not as JSON.parse understood it: a
 * line break in JSON is never within a string, so a space does as well.
 */
function lineFor({ receivedAt, headers, text, isJson }: Received): string {
  const head = JSON.stringify({ receivedAt, headers }).slice(0, -1);
  const body = isJson
    ? `"body":${text.replace(/[\r\n]+/g, " ")}`
    : `"rawBody":${JSON.stringify(text)}`;
  return `${head},${body}}\n`;
}

function unwritable(name: string, error: unknown): TxfeedError {
  return new TxfeedError("file", `${name} can't be written: ${reasonOf(error)}`, { cause: error });
}
