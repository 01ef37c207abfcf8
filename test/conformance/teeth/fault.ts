import type { RequirementId } from "../../../generated/requirements.ts";
import type { Sandbox, WorldName } from "../../../src/sandbox/index.ts";

/** A single fault: what an implementation with one bug does otherwise than the sandbox. */
export interface Fault {
  readonly id: string;
  /** What it breaks. */
  readonly requirement: RequirementId;
  /** What team's bug this is, in a few words. */
  readonly likeness: string;
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
  readonly inside?: (run: Run) => () => void;
}

export type HttpHook = (exchange: Exchange, run: Run) => Answer | Promise<Answer>;

export type DeliveryHook = (delivery: Sent, stream: Stream, run: Run) => void | Promise<void>;

/** One run of a fault: with it begins and ends what the fault remembers. */
export interface Run {
  readonly sandbox: Sandbox;
  /** What the fault remembers, by names of its own. */
  readonly memory: Map<string, unknown>;
  /** To be called by `inside` where something was done otherwise; of the rest it is seen. */
  fire(): void;
}

/** A request as it came. */
export interface Asked {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A request, and the way to its right answer. */
export interface Exchange {
  readonly request: Asked;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Asks the sandbox, with the request as it came or in part another. */
  forward(instead?: Partial<Asked>): Promise<Answer>;
}

/** A delivery as the sandbox sent it. */
export interface Sent {
  /** Where it is to go; with it goes what is delivered in its place. */
  readonly url: string;
  /** What the header `webhook-event-type` says. */
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The way to the receivers. */
export interface Stream {
  /** Delivers; resolves when it was answered. */
  send(delivery: Sent): Promise<void>;
  /** Delivers when the sandbox is next waited for, or the endpoint goes: last of all. */
  keep(delivery: Sent): void;
  /** Takes out what was kept, so that it can be sent earlier. */
  takeKept(): readonly Sent[];
}

/** The JSON of a body; undefined where it is none. */
// biome-ignore lint/suspicious/noExplicitAny: faults reach into bodies as they like
export function parsed(body: string): any {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
