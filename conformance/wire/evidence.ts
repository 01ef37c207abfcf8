import { memberOf } from "../../src/contract/pointer.ts";
import { UsageError } from "../../src/errors.ts";
import type { Verb } from "../driver.ts";
import { Aborted, Refused, type Skip } from "../skip.ts";
import type { Capabilities } from "../target.ts";
import type { Delivery, Exchange, RecordedRequest } from "./exchange.ts";
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

/** The version of the evidence format. */
const VERSION = 1;

/** Renders an entry as a line of NDJSON. The line contains the body only once, as text. */
export function evidenceLine(entry: Evidence): string {
  if (entry.kind !== "exchange" || !entry.response) return `${JSON.stringify(entry)}\n`;
  const { json, ...response } = entry.response;
  return `${JSON.stringify({ ...entry, response })}\n`;
}

/** Parses evidence line by line. Ignores an incomplete last line, which a killed run may leave. */
export class EvidenceReader {
  readonly #entries: Evidence[] = [];
  /** The error of the previous line; ignored if it was the last. */
  #torn: UsageError | undefined;

  /**
   * Adds a line.
   *
   * @throws {TxfeedError} `usage` with the line if it is not evidence, or of another version
   */
  add(text: string, line: number): void {
    if (this.#torn) throw this.#torn;
    const place = `line ${line}`;
    let entry: unknown;
    try {
      entry = JSON.parse(text);
    } catch {
      if (this.#entries.length === 0) throw notTheStart(place);
      this.#torn = new UsageError(`${place} is not JSON`);
      return;
    }
    const kind = memberOf(entry, "kind");
    if (this.#entries.length === 0) refuseOther(entry, place);
    else if (kind === "run")
      throw new UsageError(`${place} starts another run: a file contains only one`);
    if (!KINDS.some((known) => known === kind)) {
      throw new UsageError(`${place} is not evidence of a conformance run`);
    }
    this.#entries.push(entry as Evidence);
  }

  /**
   * Returns all entries.
   *
   * @throws {TxfeedError} `usage` if there are none
   */
  end(): readonly Evidence[] {
    if (this.#entries.length === 0)
      throw new UsageError("it is empty; give a file of txfeed conformance --evidence");
    return this.#entries;
  }
}

/** The first entry must describe the run, with a known version. */
function refuseOther(entry: unknown, place: string): void {
  const version = memberOf(entry, "version");
  if (memberOf(entry, "kind") !== "run" || typeof version !== "number") {
    throw notTheStart(place);
  }
  if (version !== VERSION) {
    const which = version > VERSION ? "use a newer txfeed" : "the version is invalid";
    throw new UsageError(
      `the evidence has version ${version}, but this txfeed reads version ${VERSION}: ${which}`,
    );
  }
}

const KINDS: readonly Evidence["kind"][] = [
  ...(["run", "exchange", "unsent", "delivery", "mark", "verb", "end"] as const),
];

function notTheStart(place: string): UsageError {
  return new UsageError(`${place} is not the start of a file written by conformance --evidence`);
}

/**
 * Runs tasks one at a time: each task and its microtasks finish before the next one starts. This
 * gives concurrent entries of a run a fixed order, which a replay repeats.
 */
export class FairQueue {
  readonly #waiting: { readonly at: number; readonly begin: () => void }[] = [];

  /**
   * Resolves when the caller may run.
   *
   * @param at Lower values run first; equal values run in the order of the calls.
   */
  take(at = 0): Promise<void> {
    return new Promise((begin) => {
      if (this.#waiting.length === 0) setImmediate(this.#next);
      const before = this.#waiting.findLastIndex((other) => other.at <= at);
      this.#waiting.splice(before + 1, 0, { at, begin });
    });
  }

  readonly #next = (): void => {
    this.#waiting.shift()?.begin();
    if (this.#waiting.length > 0) setImmediate(this.#next);
  };
}
