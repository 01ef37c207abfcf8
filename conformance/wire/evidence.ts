import type { Delivery } from "../deliveries/delivery.ts";
import type { Verb } from "../driver.ts";
import type { Means } from "../means.ts";
import type { Exchange } from "./exchange.ts";

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
      readonly means: Means;
      /** What the run was held to: groups or ids; left out where it was all. */
      readonly only?: readonly string[];
    }
  | ({ readonly kind: "exchange"; readonly scope: string } & Exchange)
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
    }
  /** The last one. `brokenOff` says why a run ended before its end. */
  | { readonly kind: "end"; readonly durationMs: number; readonly brokenOff?: string };

/** Takes what a run sees, as it sees it. */
export type Recording = (entry: Evidence) => void;
