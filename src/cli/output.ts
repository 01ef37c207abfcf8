import type { Writable } from "node:stream";
import { FileError, reasonOf } from "../errors.ts";

/** A place to write to that may be slow, and may be closed by who reads it, as `head` does. */
export interface Output {
  /** Whether nobody reads any more: then there is no use in going on. */
  readonly isClosed: boolean;
  /** Resolves when there is room for more. Rejects with a TxfeedError `file` where it fails. */
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
      const error = await new Promise<Error | null | undefined>((taken) => {
        stream.write(text, taken);
      });
      failure ??= error ?? undefined;
      if (failure && failure.code !== "EPIPE") {
        throw new FileError(`the output can't be written: ${reasonOf(failure)}`);
      }
    },
  };
}
