import { fstatSync } from "node:fs";
import type { Writable } from "node:stream";
import { FileError, reasonOf } from "../errors.ts";

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

/** Writes to a stream at the pace of its reader. */
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
        stream.write(text, resolve);
      });
      failure ??= error ?? undefined;
      if (failure && failure.code !== "EPIPE") {
        throw new FileError(`the output can't be written: ${reasonOf(failure)}`);
      }
    },
  };
}

/** Whether the output is redirected to a regular file. */
export function isFile({ fd }: { readonly fd: number }): boolean {
  return fstatSync(fd).isFile();
}
