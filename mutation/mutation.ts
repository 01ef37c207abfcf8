import type { RequirementId } from "../generated/requirements.ts";
import type { Sandbox, WorldName } from "../src/sandbox/index.ts";

/** A bug that the sandbox gets for one run. */
export interface Mutation {
  readonly id: string;
  /** The requirement that it breaks. */
  readonly requirement: RequirementId;
  /** The bug, as a developer would describe it, in one line. */
  readonly description: string;
  /** The checks that must fail: `PAGE-01: a title`, or `PAGE-01` for all checks of it. */
  readonly checks?: readonly string[];
  /** The seed data in which it shows; default: `small`. */
  readonly world?: WorldName;
  /** Responds instead of the interface. Requests of the control API don't come here. */
  readonly http?: HttpHook;
  /** Delivers instead of the sandbox. */
  readonly deliveries?: DeliveryHook;
  /**
   * Patches the sandbox's modules, and returns a function that restores them. Sandboxes of one
   * process share their modules: only one with such a mutation may run at a time.
   */
  readonly inside?: (run: MutationRun) => () => void;
}

export type HttpHook = (
  exchange: Exchange,
  run: MutationRun,
) => HttpResponse | Promise<HttpResponse>;

export type DeliveryHook = (
  delivery: SentDelivery,
  stream: DeliveryStream,
  run: MutationRun,
) => void | Promise<void>;

/** One run of a mutation, and the state that it keeps in that time. */
export interface MutationRun {
  readonly sandbox: Sandbox;
  /** The mutation's own state, by name. */
  readonly memory: Map<string, unknown>;
  /** Counts an effect. Only `inside` has to call it; those of the other hooks are detected. */
  fire(): void;
}

/** A request as received. */
export interface HttpRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A request, and a function that gets the sandbox's response to it. */
export interface Exchange {
  readonly request: HttpRequest;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Sends the request to the sandbox, with some parts replaced. */
  forward(instead?: Partial<HttpRequest>): Promise<HttpResponse>;
}

/** A delivery as the sandbox sent it. */
export interface SentDelivery {
  /** The endpoint's URL. */
  readonly url: string;
  /** The value of the header `webhook-event-type`. */
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Sends deliveries to the receivers. */
interface DeliveryStream {
  /** Delivers; resolves to nothing when the receiver has responded. */
  send(delivery: SentDelivery): Promise<void>;
  /** Delivers after all others: when the sandbox settles or the endpoint is removed. */
  defer(delivery: SentDelivery): void;
  /** Takes the deferred deliveries, to send them earlier. */
  takeDeferred(): readonly SentDelivery[];
}

/** Parses JSON; returns undefined if the text is not JSON. */
// biome-ignore lint/suspicious/noExplicitAny: mutations change bodies freely
export function parseJson(body: string): any {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
