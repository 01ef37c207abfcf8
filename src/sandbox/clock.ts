/** `real` follows the system's clock; `frozen` moves only when it is advanced. */
export type ClockMode = "real" | "frozen";

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
