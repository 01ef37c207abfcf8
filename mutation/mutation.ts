import type { RequirementId } from "../generated/requirements.ts";
import type { Sandbox, WorldName } from "../src/sandbox/index.ts";

/** A single fault: what an implementation with one bug does otherwise than the sandbox. */
export interface Mutation {
  readonly id: string;
  /** What it breaks. */
  readonly requirement: RequirementId;
  /** What team's bug this is, in a few words. */
  readonly description: string;
  /** The world in which it shows; `small` unless set. */
  readonly world?: WorldName;
  /** Answers in place of the interface: every request but those of the control API. */
  readonly http?: HttpHook;
  /** Delivers in place of the sandbox. */
  readonly deliveries?: DeliveryHook;
  /**
   * Changes how the sandbox works, and returns what restores it. Sandboxes of one process share
   * their code: of those that have such a fault only one may run at a time.
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

/** One run of a fault: with it begins and ends what the fault remembers. */
export interface MutationRun {
  readonly sandbox: Sandbox;
  /** What the fault remembers, by names of its own. */
  readonly memory: Map<string, unknown>;
  /** To be called by `inside` where something was done otherwise; of the rest it is seen. */
  fire(): void;
}

/** A request as it came. */
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

/** A request, and the way to its right answer. */
export interface Exchange {
  readonly request: HttpRequest;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Asks the sandbox, with the request as it came or in part another. */
  forward(instead?: Partial<HttpRequest>): Promise<HttpResponse>;
}

/** A delivery as the sandbox sent it. */
export interface SentDelivery {
  /** Where it is to go; with it goes what is delivered in its place. */
  readonly url: string;
  /** What the header `webhook-event-type` says. */
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The way to the receivers. */
export interface DeliveryStream {
  /** Delivers; resolves when it was answered. */
  send(delivery: SentDelivery): Promise<void>;
  /** Delivers when the sandbox is next waited for, or the endpoint goes: last of all. */
  defer(delivery: SentDelivery): void;
  /** Takes out what was kept, so that it can be sent earlier. */
  takeDeferred(): readonly SentDelivery[];
}

/** The JSON of a body; undefined where it is none. */
// biome-ignore lint/suspicious/noExplicitAny: faults reach into bodies as they like
export function parseJson(body: string): any {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
