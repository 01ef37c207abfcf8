import type { BaseAddress } from "./base-address.ts";
import type { CallFacts } from "./errors.ts";
import type { CallOptions } from "./options.ts";
import type { Secrets } from "./secrets.ts";
import type { CallTrace } from "./tracing.ts";
import type { TransportAnswer } from "./transport.ts";

/** A call on its way out. */
export interface OutgoingCall {
  /** Method and path template, such as `GET /cards/{id}`. */
  readonly operation: string;
  readonly method: "GET" | "PATCH" | "POST";
  /** The absolute address, below the base address. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly options: CallOptions;
}

/** An answer with what came before it. */
export interface Answer extends TransportAnswer {
  /** How often the request was sent. */
  readonly attempts: number;
  /** When the attempt that was answered was sent, by the local clock. */
  readonly sentAt: number;
}

/** How far a call has come. */
export class CallProgress implements CallTrace {
  readonly operation: string;
  readonly method: string;
  attempts = 0;
  status: number | undefined = undefined;
  sentAt = 0;
  readonly #url: string;
  readonly #base: BaseAddress;
  readonly #secrets: Secrets;

  constructor({ operation, method, url }: OutgoingCall, base: BaseAddress, secrets: Secrets) {
    this.operation = operation;
    this.method = method;
    this.#url = url;
    this.#base = base;
    this.#secrets = secrets;
  }

  /** Only who looks has to pay for it. */
  get path(): string {
    // The account stands in the path of the token exchange.
    if (this.method === "POST") return this.operation.slice("POST ".length);
    return this.#secrets.scrub(this.#base.pathOf(this.#url));
  }

  get facts(): CallFacts {
    const { method, path, attempts } = this;
    return { method, path, attempts };
  }
}
