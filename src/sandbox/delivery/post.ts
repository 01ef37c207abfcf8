import { Agent as HttpAgent, request as httpRequest } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { headersOf, type Message } from "./request.ts";

/** What came of an attempt. */
export interface ReceiverResponse {
  /** null where no answer came. */
  readonly status: number | null;
  /** Why none came; null where one did. */
  readonly error: string | null;
  /** Real milliseconds. */
  readonly durationMs: number;
}

/** How much of an answer's body is read, to have the connection again; its content is no matter. */
const DRAINED_BYTES = 64 * 1024;

/**
 * How long a connection is kept for the next attempt: less than receivers keep theirs, or it would
 * be used in the moment in which they close it, and an attempt fail for nothing.
 */
const KEPT_MS = 1_000;

/** Sends attempts, over connections that are kept for the next ones. */
export class Poster {
  readonly #timeoutMs: number;
  readonly #signal: AbortSignal;
  readonly #http = new HttpAgent({ keepAlive: true, timeout: KEPT_MS });
  readonly #https = new HttpsAgent({ keepAlive: true, timeout: KEPT_MS });

  /**
   * @param timeoutMs the real time that an attempt may take
   * @param signal ends all that are under way
   */
  constructor(timeoutMs: number, signal: AbortSignal) {
    this.#timeoutMs = timeoutMs;
    this.#signal = signal;
  }

  /** Sends a message once. Follows no redirect, and never rejects. */
  post(message: Message): Promise<ReceiverResponse> {
    const startMs = performance.now();
    const sent = this.#request(message);
    return new Promise((resolve) => {
      let status: number | null = null;
      let error: NodeJS.ErrnoException | undefined;
      const abort = () => sent.destroy(new Error("the sandbox was closed"));
      this.#signal.addEventListener("abort", abort, { once: true });
      const late = new Error(`no answer within ${this.#timeoutMs / 1000} s`);
      const timer = setTimeout(() => sent.destroy(late), this.#timeoutMs);

      sent.on("response", (response) => {
        // From here on the status is known, and what becomes of the body changes nothing.
        status = response.statusCode ?? null;
        let left = DRAINED_BYTES;
        response.on("data", (chunk: Buffer) => {
          left -= chunk.length;
          if (left < 0) response.destroy();
        });
      });
      sent.on("error", (thrown) => {
        error = thrown;
      });
      sent.on("close", () => {
        clearTimeout(timer);
        this.#signal.removeEventListener("abort", abort);
        const durationMs = performance.now() - startMs;
        resolve({ status, error: status === null ? reasonOf(error) : null, durationMs });
      });
      sent.end(message.body);
    });
  }

  /** Closes the connections. */
  close(): void {
    this.#http.destroy();
    this.#https.destroy();
  }

  #request(message: Message) {
    const options = { method: "POST", headers: headersOf(message) };
    return new URL(message.url).protocol === "https:"
      ? httpsRequest(message.url, { ...options, agent: this.#https })
      : httpRequest(message.url, { ...options, agent: this.#http });
  }
}

/** Where a name has several addresses, what went wrong with each stands behind a code alone. */
function reasonOf(error: NodeJS.ErrnoException | undefined): string {
  return error?.message || error?.code || "the connection was closed without an answer";
}
