import type { ClientContext } from "./context.ts";
import { Deadline, Interrupted } from "./deadline.ts";
import { type CallFacts, FeedAbortedError, type FeedError, FeedTimeoutError } from "./errors.ts";
import type { CallOptions } from "./options.ts";

/** The request of one call, and its progress. */
export class Call implements CallFacts {
  /** Method and path template, such as `GET /cards/{id}`. */
  readonly operation: string;
  readonly method: string;
  /** The absolute address, below the base address. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly options: CallOptions;
  body: string | undefined;
  /** Starts when the call is created. */
  readonly deadline: Deadline;
  attempts = 0;
  /** The status of the last response; undefined before the first. */
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

  /** The path for messages and logs. The token exchange's is a template without the account id. */
  get path(): string {
    if (this.operation.startsWith("POST /auth/")) return this.operation.slice(5);
    return this.#context.secrets.scrub(this.#context.base.pathOf(this.url));
  }

  /**
   * Reads the request's body before the deadline.
   *
   * @throws {FeedError} `timeout` or `aborted`
   */
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
   * Checks the deadline after parsing and validation, during which no timer can fire.
   *
   * @throws {FeedTimeoutError} `timeout`
   */
  checkDeadline(): void {
    if (this.deadline.remainingMs < 0) throw this.errorOf(new Interrupted("call"));
  }

  /** Creates the error for an interrupted call. */
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
