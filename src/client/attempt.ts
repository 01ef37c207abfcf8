import type { TransportRequest } from "./transport.ts";

/** Breaks off what is under way for one attempt. */
export class Cancellation {
  #run: (() => void) | undefined;
  #isCancelled = false;

  cancel(): void {
    this.#isCancelled = true;
    this.#run?.();
  }

  /** Runs something when the attempt ends early; at once where it has. */
  onCancel(run: () => void): void {
    const before = this.#run;
    this.#run = before
      ? () => {
          before();
          run();
        }
      : run;
    if (this.#isCancelled) run();
  }
}

/** A request as it goes to the transport. An AbortController costs, so it waits to be asked for. */
export class Attempt implements TransportRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly maxBytes: number;
  readonly #cancellation: Cancellation;
  #controller: AbortController | undefined;

  constructor(
    { method, url, headers, body }: Omit<TransportRequest, "signal" | "onCancel" | "maxBytes">,
    maxBytes: number,
    cancellation: Cancellation,
  ) {
    this.method = method;
    this.url = url;
    this.headers = headers;
    this.body = body;
    this.maxBytes = maxBytes;
    this.#cancellation = cancellation;
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      const controller = new AbortController();
      this.#controller = controller;
      this.onCancel(() => controller.abort());
    }
    return this.#controller.signal;
  }

  onCancel(run: () => void): void {
    this.#cancellation.onCancel(run);
  }
}
