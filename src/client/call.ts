import type { ClientContext } from "./context.ts";
import { Deadline, Interrupted } from "./deadline.ts";
import { type CallFacts, FeedAbortedError, type FeedError, FeedTimeoutError } from "./errors.ts";
import type { CallOptions } from "./options.ts";

/** One call on its way: what is sent, and how far it has come. */
export class Call implements CallFacts {
  /** Method and path template, such as `GET /cards/{id}`. */
  readonly operation: string;
  readonly method: string;
  /** The absolute address, below the base address. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly options: CallOptions;
  body: string | undefined;
  /** The call's time, which begins when the call is made. */
  readonly deadline: Deadline;
  attempts = 0;
  /** The status of the last answer; undefined until one comes. */
  status: number | undefined = undefined;
  /** When the last attempt was sent, by the local clock. */
  sentAt = 0;
  readonly #context: ClientContext;

  constructor(
    context: ClientContext,
    operation: string,
    url: string,
    headers: Readonly<Record<string, string>>,
    options: CallOptions,
    body?: string,
  ) {
    this.#context = context;
    this.operation = operation;
    this.method = operation.slice(0, operation.indexOf(" "));
    this.url = url;
    this.headers = headers;
    this.options = options;
    this.body = body;
    const { clock, timeoutMs } = context.settings;
    this.deadline = new Deadline(clock, options.timeoutMs ?? timeoutMs, options.signal);
  }

  /** What may be told of the address. The account stands in that of the token exchange. */
  get path(): string {
    if (this.operation.startsWith("POST /auth/")) return this.operation.slice(5);
    return this.#context.secrets.scrub(this.#context.base.pathOf(this.url));
  }

  /** Reads the request's body, in the time of the call. Rejects as the call does. */
  async readBody(stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<void> {
    try {
      this.body = await this.deadline.run<string>((resolve, reject) => {
        const controller = new AbortController();
        const read = stream.pipeThrough(new TransformStream(), { signal: controller.signal });
        new Response(read).text().then(resolve, reject);
        return () => controller.abort();
      });
    } catch (error) {
      this.deadline.close();
      throw error instanceof Interrupted ? this.errorOf(error) : error;
    }
  }

  /**
   * Reading and validating an answer blocks every timer, so the deadline is checked after them.
   *
   * @throws {FeedTimeoutError} `timeout`
   */
  checkDeadline(): void {
    if (this.deadline.remainingMs < 0) throw this.errorOf(new Interrupted("call"));
  }

  /** The error of a call that ended early. */
  errorOf({ ending, message }: Interrupted): FeedError {
    if (ending === "aborted") return new FeedAbortedError("aborted by the caller", { call: this });
    const name = ending === "call" ? "timeoutMs" : "attemptTimeoutMs";
    const limit = `${this.options[name] ?? this.#context.settings[name]} ms of ${name}`;
    return new FeedTimeoutError(message || `took longer than the ${limit}`, {
      call: this,
      of: ending,
    });
  }
}
