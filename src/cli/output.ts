import { fstatSync } from "node:fs";
import type { Writable } from "node:stream";
import { inspect } from "node:util";
import { FileError, reasonOf } from "../errors.ts";
import { harmless, harmlessLine } from "../text.ts";

/** An output that may be slow, and that its reader may close, as `head` does. */
export interface Output {
  /** Whether the reader closed it. */
  readonly isClosed: boolean;
  /**
   * Writes a text. Resolves when the output accepts more.
   *
   * @throws {TxfeedError} `file` if writing fails, except if the reader closed the output.
   */
  readonly write: (text: string) => Promise<void>;
}

/** Writes harmless texts to a stream, at the pace of its reader. */
export function outputTo(stream: Writable): Output {
  let failure: NodeJS.ErrnoException | undefined;
  // An error without a listener would end the process with a stack trace.
  stream.on("error", (error) => {
    failure ??= error;
  });
  return {
    get isClosed() {
      return failure?.code === "EPIPE";
    },
    async write(text) {
      if (text === "" || failure?.code === "EPIPE") return;
      const error = await new Promise<Error | null | undefined>((resolve) => {
        stream.write(harmless(text), resolve);
      });
      failure ??= error ?? undefined;
      if (failure && failure.code !== "EPIPE") {
        throw new FileError(`the output can't be written: ${reasonOf(failure)}`);
      }
    },
  };
}

/** Writes a line to the standard error. */
export function warn(line: string): void {
  process.stderr.write(`${harmlessLine(line)}\n`);
}

/** Writes an error with its stack to the standard error if TXFEED_DEBUG is set. */
export function debug(error: unknown): void {
  if (process.env.TXFEED_DEBUG) process.stderr.write(harmless(`${inspect(error)}\n`));
}

/** Whether the output is redirected to a regular file. */
export function isFile({ fd }: { readonly fd: number }): boolean {
  return fstatSync(fd).isFile();
}
