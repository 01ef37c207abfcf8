import type { Capabilities } from "../capabilities.ts";
import type { Delivery } from "../deliveries/delivery.ts";
import type { Refusals } from "../deliveries/receiver.ts";
import type { Verb } from "../driver.ts";
import { Aborted, Refused, type Skip } from "../skip.ts";
import type { Exchange, RecordedRequest } from "./exchange.ts";

/**
 * What a run saw, in order; a line of NDJSON each, the first one a `run`. Every verdict is derived
 * from it, and secrets are dropped before anything gets here.
 *
 * `scope` names what asked: a check, or what several of them share. In a replay it asks again and
 * is given the same.
 */
export type Evidence =
  | {
      readonly kind: "run";
      readonly version: 1;
      readonly target: string;
      /** ISO 8601. */
      readonly startedAt: string;
      readonly means: Capabilities;
      /** What the run was held to: groups or ids; left out where it was all. */
      readonly only?: readonly string[];
    }
  | ({ readonly kind: "exchange"; readonly scope: string } & Exchange)
  /** A request that was not sent, and why: the run was broken off, or the target given up. */
  | {
      readonly kind: "unsent";
      readonly scope: string;
      readonly nr: number;
      readonly request: RecordedRequest;
      readonly reason: string;
    }
  | ({ readonly kind: "delivery" } & Delivery)
  /** How many deliveries there were when something looked. */
  | { readonly kind: "mark"; readonly scope: string; readonly deliveries: number }
  | {
      readonly kind: "verb";
      readonly scope: string;
      readonly verb: Verb;
      readonly params: unknown;
      readonly result?: unknown;
      /** What the target said where it refused. */
      readonly refusal?: string;
      /** Why nobody waited for it: the run was broken off. */
      readonly brokenOff?: string;
    }
  /** The last one. `brokenOff` says why a run ended before its end. */
  | {
      readonly kind: "end";
      readonly durationMs: number;
      readonly brokenOff?: string;
      /** Left out where the receiver refused nothing, or there was none. */
      readonly refusals?: Refusals;
    };

/** Takes what a run sees, as it sees it. */
export type Recording = (entry: Evidence) => void;

export type Entry<Kind extends Evidence["kind"]> = Extract<Evidence, { kind: Kind }>;

/** The scope of what a run does of itself, such as to subscribe. */
export const RUN_SCOPE = "the run itself";

/** Why nothing was seen of a verb; undefined where the target took it. */
export function skipOf({ verb, refusal, brokenOff }: Entry<"verb">): Skip | undefined {
  if (brokenOff !== undefined) return new Aborted(brokenOff);
  if (refusal === undefined) return undefined;
  return new Refused(`the driver's verb ${verb} was refused: ${refusal}`);
}
