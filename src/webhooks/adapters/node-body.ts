import type { IncomingMessage } from "node:http";
import { BodyIncompleteError } from "../../errors.ts";
import { bodyConsumed } from "../read-body.ts";
import type { Deadline } from "./deadline.ts";

/** How the body of a request of Node's is read. */
export interface NodeBodyOptions {
  readonly limitBytes: number;
  /** Within it the whole body has to come. */
  readonly deadline: Deadline;
  /** What reads bodies in this kind of server, for people. */
  readonly culprit: string;
}

/**
 * Reads the body of a request of Node's, as it came.
 *
 * @returns Resolves to the bytes, or to `too-large` with the rest of the body unread. Rejects with
 * a TxfeedError: `body-consumed` where something read the body before, `body-incomplete` where it
 * broke off or took longer than allowed.
 */
export function readNodeBody(
  request: IncomingMessage,
  { limitBytes, deadline, culprit }: NodeBodyOptions,
): Promise<Uint8Array | "too-large"> {
  return new Promise((resolve, reject) => {
    // An empty body that was read shows by its end alone.
    if (request.readableDidRead || request.readableEnded || request.readableEncoding !== null) {
      return reject(bodyConsumed(culprit));
    }
    if (Number(request.headers["content-length"]) > limitBytes) return resolve("too-large");

    const chunks: Uint8Array[] = [];
    let length = 0;
    let isOver = false;
    const stop = () => {
      isOver = true;
      callOff();
    };
    const fail = (how: string) => {
      if (isOver) return;
      stop();
      reject(new BodyIncompleteError(`the body ${how}, after ${length} bytes`));
    };
    const callOff = deadline.start(() => fail("did not come in time"));
    // Listeners stay, as taking them off costs more than the calls that come to nothing.
    request.on("data", (chunk: Uint8Array) => {
      if (isOver) return;
      length += chunk.length;
      if (length <= limitBytes) {
        chunks.push(chunk);
        return;
      }
      stop();
      request.pause();
      resolve("too-large");
    });
    request.on("end", () => {
      if (isOver) return;
      stop();
      const [only] = chunks;
      resolve(only && chunks.length === 1 ? only : Buffer.concat(chunks, length));
    });
    // Node tells of a sender that broke off by `close`, and by `error` only to who listens for it.
    request.on("close", () => fail("broke off"));
    if (request.destroyed) fail("broke off");
  });
}
