import * as z from "zod";
import { DURATION, durationMs } from "../world/duration.ts";
import { ClockTime, Timestamp, textLike } from "../world/fields.ts";
import type { Of } from "../world/schema.ts";

export const ClockMode = z
  .enum(["real", "frozen"])
  .describe("`real` follows the system's clock; `frozen` moves only when it is advanced.");
export type ClockMode = Of<typeof ClockMode>;

export const ClockReading = z
  .object({
    mode: ClockMode,
    now: Timestamp,
    nextDue: Timestamp.nullable().describe(
      "When the next job or delivery is due; null if there is none.",
    ),
  })
  .describe("The state of the clock.");
export type ClockReading = Of<typeof ClockReading>;

export const ClockSetting = z
  .strictObject({
    mode: ClockMode,
    now: ClockTime.describe("The time to continue from. Default: now.").optional(),
  })
  .describe("A new state of the clock.");
export type ClockSetting = Of<typeof ClockSetting>;

/** Ten years: longer than any schedule. */
const MAX_STEP_MS = 3650 * 86_400_000;

export const ClockStep = z
  .strictObject({
    by: textLike(
      (text) => DURATION.test(text) && durationMs(text) <= MAX_STEP_MS,
      "a duration such as 90s, 3d or 1d12h, of at most ten years",
      { pattern: DURATION.source },
    ).describe("A duration such as 90s, 3d or 1d12h, of at most ten years."),
  })
  .describe("How far to advance the clock.");

/** The stored state of a clock. */
export interface ClockState {
  readonly mode: ClockMode;
  /** In milliseconds. Frozen: the time. Real: the offset from the system's clock. */
  readonly ms: number;
}

/**
 * The sandbox's clock, used for tokens, schedules, retries and timestamps. Only {@link set} moves
 * it back.
 */
export class Clock {
  readonly #system: () => number;
  #state: ClockState;

  constructor(state: ClockState, system: () => number = Date.now) {
    this.#state = state;
    this.#system = system;
  }

  get state(): ClockState {
    return this.#state;
  }

  get mode(): ClockMode {
    return this.#state.mode;
  }

  /** Milliseconds since 1970. */
  now(): number {
    const { mode, ms } = this.#state;
    return mode === "frozen" ? ms : this.#system() + ms;
  }

  /** Moves the clock forward to a time; a past time has no effect. */
  moveTo(timeMs: number): void {
    const ahead = timeMs - this.now();
    if (ahead > 0) this.#state = { ...this.#state, ms: this.#state.ms + ahead };
  }

  /** Continues from a stored state. */
  resume(state: ClockState): void {
    this.#state = state;
  }

  /** Sets the mode, from now or from another time on. */
  set(mode: ClockMode, nowMs = this.now()): void {
    this.#state = { mode, ms: mode === "frozen" ? nowMs : nowMs - this.#system() };
  }
}
