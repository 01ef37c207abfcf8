import { type ClientRequest, Agent as HttpAgent, request as httpRequest } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { headersOf, type Message } from "./request.ts";

/** What came of an attempt. */
export interface Answer {
  /** null where no answer came. */
  readonly status: number | null;
  /** Why none came; null where one did. */
  readonly error: string | null;
  /** Real milliseconds. */
  readonly durationMs: number;
}

/** How much of an answer's body is read, to have the connection again; its content is no matter. */
const DRAINED_BYTES = 64 * 1024;

/** Sends attempts, over connections that are kept for the next ones. */
export class Poster {
  readonly #timeoutMs: number;
  readonly #signal: AbortSignal;
  readonly #agents = {
    http: new HttpAgent({ keepAlive: true }),
    https: new HttpsAgent({ keepAlive: true }),
  };

  /**
   * @param timeoutMs the real time that an attempt may take
   * @param signal ends all that are under way
   */
  constructor(timeoutMs: number, signal: AbortSignal) {
    this.#timeoutMs = timeoutMs;
    this.#signal = signal;
  }

  /** Sends a message once. Follows no redirect, and never rejects. */
  async post(message: Message): Promise<Answer> {
    const startMs = performance.now();
    const first = await this.#send(message, { isFresh: false, startMs });
    // A receiver may close a kept connection in the moment in which it is used again. That says
    // nothing of whether it would take the delivery.
    const { status, error } = first.isStale
      ? await this.#send(message, { isFresh: true, startMs })
      : first;
    return { status, error, durationMs: performance.now() - startMs };
  }

  /** Closes the connections. */
  close(): void {
    this.#agents.http.destroy();
    this.#agents.https.destroy();
  }

  #send(message: Message, { isFresh, startMs }: { isFresh: boolean; startMs: number }) {
    const sent = this.#request(message, isFresh);
    return new Promise<Omit<Answer, "durationMs"> & { readonly isStale: boolean }>((resolve) => {
      let status: number | null = null;
      let error: NodeJS.ErrnoException | undefined;
      const destroy = (why: string) => sent.destroy(new Error(why));
      const abort = () => destroy("the sandbox was closed");
      this.#signal.addEventListener("abort", abort, { once: true });
      const timer = setTimeout(
        () => destroy(`no answer within ${this.#timeoutMs / 1000} s`),
        startMs + this.#timeoutMs - performance.now(),
      );
      sent.on("response", (response) => {
        status = response.statusCode ?? null;
        let left = DRAINED_BYTES;
        response.on("data", (chunk: Buffer) => {
          left -= chunk.length;
          if (left < 0) response.destroy();
        });
        // The status is known, so whatever becomes of the body does not matter.
        response.on("error", () => undefined);
      });
      sent.on("error", (thrown) => (error = thrown));
      sent.on("close", () => {
        clearTimeout(timer);
        this.#signal.removeEventListener("abort", abort);
        const code = error?.code ?? "";
        const isStale = status === null && sent.reusedSocket && STALE_CODES.includes(code);
        resolve({ status, error: status === null ? reasonOf(error) : null, isStale });
      });
      sent.end(message.body);
    });
  }

  #request(message: Message, isFresh: boolean): ClientRequest {
    const isTls = new URL(message.url).protocol === "https:";
    const kept = isTls ? this.#agents.https : this.#agents.http;
    const options = { method: "POST", headers: headersOf(message), agent: isFresh ? false : kept };
    return (isTls ? httpsRequest : httpRequest)(message.url, options);
  }
}

const STALE_CODES = ["ECONNRESET", "EPIPE"];

/** Where a name has several addresses, what went wrong with each stands behind a code alone. */
function reasonOf(error: NodeJS.ErrnoException | undefined): string {
  return error?.message || error?.code || "the connection was closed without an answer";
}
