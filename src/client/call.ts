import type { CallFacts } from "./errors.ts";
import type { CallOptions } from "./options.ts";
import type { Wiring } from "./wiring.ts";

/** One call on its way: what is sent, and how far it has come. */
export class Call implements CallFacts {
  /** Method and path template, such as `GET /cards/{id}`. */
  readonly operation: string;
  readonly method: string;
  /** The absolute address, below the base address. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly options: CallOptions;
  readonly body: string | undefined;
  attempts = 0;
  /** The status of the last answer; undefined until one comes. */
  status: number | undefined = undefined;
  /** When the last attempt was sent, by the local clock. */
  sentAt = 0;
  readonly #wiring: Wiring;

  constructor(
    wiring: Wiring,
    operation: string,
    url: string,
    headers: Readonly<Record<string, string>>,
    options: CallOptions,
    body?: string,
  ) {
    this.#wiring = wiring;
    this.operation = operation;
    this.method = operation.slice(0, operation.indexOf(" "));
    this.url = url;
    this.headers = headers;
    this.options = options;
    this.body = body;
  }

  /** What may be told of the address. The account stands in that of the token exchange. */
  get path(): string {
    if (this.method === "POST") return this.operation.slice(5);
    return this.#wiring.secrets.scrub(this.#wiring.base.pathOf(this.url));
  }
}
