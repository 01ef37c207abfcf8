import type { Verb } from "../driver.ts";
import type { Capabilities } from "../run/capabilities.ts";
import { Aborted, Refused, type Skip } from "../run/skip.ts";
import type { Delivery } from "./delivery.ts";
import type { Exchange, RecordedRequest } from "./exchange.ts";
import type { Refusals } from "./receiver.ts";

/**
 * An entry of the evidence, which records a run in order. It is one line of NDJSON, the first one a
 * `run`. Every verdict is derived from the evidence. Secrets are redacted before they get here.
 *
 * `scope` names the origin of a request: a check, or data that several checks share. A replay
 * returns the recorded response to the same request of the same scope.
 */
export type Evidence =
  | {
      readonly kind: "run";
      readonly version: 1;
      readonly target: string;
      /** ISO 8601. */
      readonly startedAt: string;
      readonly means: Capabilities;
      /** The groups or ids to which the run was limited; omitted if it ran all checks. */
      readonly only?: readonly string[];
    }
  | ({ readonly kind: "exchange"; readonly scope: string } & Exchange)
  /** A request that was not sent because the run was aborted or the target stopped responding. */
  | {
      readonly kind: "unsent";
      readonly scope: string;
      readonly nr: number;
      readonly request: RecordedRequest;
      readonly reason: string;
    }
  | ({ readonly kind: "delivery" } & Delivery)
  /** The number of deliveries when the scope read them. */
  | { readonly kind: "mark"; readonly scope: string; readonly deliveries: number }
  | {
      readonly kind: "verb";
      readonly scope: string;
      readonly verb: Verb;
      readonly params: unknown;
      readonly result?: unknown;
      /** The error message if the target refused. */
      readonly refusal?: string;
      /** Why the run was aborted while the verb was running. */
      readonly brokenOff?: string;
    }
  /** The last entry. `brokenOff` is the reason if the run was aborted. */
  | {
      readonly kind: "end";
      readonly durationMs: number;
      readonly brokenOff?: string;
      /** Omitted if the receiver refused nothing, or if there was no receiver. */
      readonly refusals?: Refusals;
    };

/** Called with each entry as it is recorded. */
export type Recording = (entry: Evidence) => void;

export type Entry<Kind extends Evidence["kind"]> = Extract<Evidence, { kind: Kind }>;

/** The scope of the run's own actions, such as `subscribe`. */
export const RUN_SCOPE = "the run itself";

/** Why a verb has no result; undefined if the target accepted it. */
export function skipOf({ verb, refusal, brokenOff }: Entry<"verb">): Skip | undefined {
  if (brokenOff !== undefined) return new Aborted(brokenOff);
  if (refusal === undefined) return undefined;
  return new Refused(`the driver's verb ${verb} was refused: ${refusal}`);
}

/** Passes a run's entries to its recording until the run ends. */
export class Recorder {
  readonly #take: Recording;
  readonly #onFailure: (error: unknown) => void;
  #hasEnded = false;

  /** @param onFailure Called with what `take` throws. */
  constructor(take: Recording = () => {}, onFailure: (error: unknown) => void) {
    this.#take = take;
    this.#onFailure = onFailure;
  }

  readonly record: Recording = (entry: Evidence): void => {
    // A delivery may still arrive while the receiver is being stopped.
    if (this.#hasEnded) return;
    try {
      this.#take(entry);
    } catch (error) {
      this.#onFailure(error);
    }
  };

  end(end: Omit<Entry<"end">, "kind">): void {
    this.record({ kind: "end", ...end });
    this.#hasEnded = true;
  }
}
