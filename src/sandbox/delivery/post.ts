import { Agent as HttpAgent, request as httpRequest } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { headersOf, type Message } from "./request.ts";

/** The response of a receiver to an attempt. */
export interface ReceiverResponse {
  /** null if there was no response. */
  readonly status: number | null;
  /** Why there was no response; null if there was one. */
  readonly error: string | null;
  /** In real milliseconds. */
  readonly durationMs: number;
}

/** The most bytes of a response to read before its connection is reused; they are ignored. */
const DRAINED_BYTES = 64 * 1024;

/**
 * How long an idle connection is kept: less than receivers keep theirs, because an attempt fails
 * if the receiver closes the connection at the same moment.
 */
const KEPT_MS = 1_000;

/** Sends attempts over keep-alive connections. */
export class Poster {
  readonly #timeoutMs: number;
  readonly #signal: AbortSignal;
  readonly #http = new HttpAgent({ keepAlive: true, timeout: KEPT_MS });
  readonly #https = new HttpsAgent({ keepAlive: true, timeout: KEPT_MS });

  /**
   * @param timeoutMs the timeout of an attempt, in real time
   * @param signal aborts all running attempts
   */
  constructor(timeoutMs: number, signal: AbortSignal) {
    this.#timeoutMs = timeoutMs;
    this.#signal = signal;
  }

  /** Sends a message once. Does not follow redirects, and never rejects. */
  post(message: Message): Promise<ReceiverResponse> {
    const startMs = performance.now();
    const sent = this.#request(message);
    return new Promise((resolve) => {
      let status: number | null = null;
      let error: NodeJS.ErrnoException | undefined;
      const abort = () => sent.destroy(new Error("the sandbox was closed"));
      this.#signal.addEventListener("abort", abort, { once: true });
      const late = new Error(`no response within ${this.#timeoutMs / 1000} s`);
      const timer = setTimeout(() => sent.destroy(late), this.#timeoutMs);

      sent.on("response", (response) => {
        // The status is known; errors of the body do not matter.
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

/** The message of an error. If a host has several addresses, its errors only have a code. */
function reasonOf(error: NodeJS.ErrnoException | undefined): string {
  return error?.message || error?.code || "the connection was closed without a response";
}
