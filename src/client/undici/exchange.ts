import { type Dispatcher, errors } from "undici";
import {
  hasBody,
  type ResponseHeaders,
  ResponseTooLong,
  type TransportRequest,
  type TransportResponse,
} from "../transport.ts";

/** A request in flight, and the parts of its response received so far. */
export class Exchange implements Dispatcher.DispatchHandler {
  isCancelled = false;
  readonly #request: TransportRequest;
  readonly #resolve: (response: TransportResponse) => void;
  readonly #reject: (error: Error) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #status = 0;
  #headers = new ReceivedHeaders({});
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(
    request: TransportRequest,
    resolve: (response: TransportResponse) => void,
    reject: (error: Error) => void,
  ) {
    this.#request = request;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  /** Cancels the request, even if it still waits for a connection. */
  cancel(): void {
    this.isCancelled = true;
    this.#fail(new errors.RequestAbortedError());
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.isCancelled) controller.abort(new errors.RequestAbortedError());
  }

  /** Called more than once if interim responses (1xx) arrive first. */
  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    received: Record<string, string | string[] | undefined>,
  ): void {
    this.#status = status;
    this.#headers = new ReceivedHeaders(received);
    const { method, maxBytes } = this.#request;
    const { "content-encoding": encoding = "identity", "content-length": length } = received;
    if (encoding !== "identity") {
      this.#fail(new Error(`the response is compressed (${encoding}), which was not requested`));
    } else if (hasBody(method, status) && Number(length) > maxBytes) {
      this.#fail(new ResponseTooLong());
    }
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.byteLength;
    if (this.#bytes > this.#request.maxBytes) this.#fail(new ResponseTooLong());
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    const text = textOf(this.#chunks);
    this.#resolve({ status: this.#status, headers: this.#headers, text });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#reject(error);
  }

  #fail(error: Error): void {
    this.#reject(error);
    this.#controller?.abort(error);
  }
}

const BYTE_ORDER_MARK = "\uFEFF";

/** Decodes UTF-8 as `Response.text()` does. */
function textOf(chunks: readonly Buffer[]): string {
  const [first] = chunks;
  const whole = first && chunks.length === 1 ? first : Buffer.concat(chunks);
  const text = whole.toString();
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
}

/** The headers of a response from undici: names in lower case, repeated values as an array. */
class ReceivedHeaders implements ResponseHeaders {
  readonly #received: Readonly<Record<string, string | string[] | undefined>>;

  constructor(received: Readonly<Record<string, string | string[] | undefined>>) {
    this.#received = received;
  }

  get(name: string): string | null {
    const value = this.#received[name] ?? this.#received[name.toLowerCase()];
    if (typeof value === "string") return value;
    // Ignores inherited properties such as `constructor`.
    return Array.isArray(value) ? value.join(", ") : null;
  }

  has(name: string): boolean {
    return this.get(name) !== null;
  }

  *[Symbol.iterator](): Iterator<[string, string]> {
    for (const name of Object.keys(this.#received)) {
      // Like `Headers`, do not join cookies, because their dates contain commas.
      const values = name.toLowerCase() === "set-cookie" ? this.#received[name] : this.get(name);
      for (const value of [values ?? ""].flat()) yield [name, value];
    }
  }
}
