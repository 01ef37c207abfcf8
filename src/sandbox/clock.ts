/** How a clock goes: with the system's, from some offset, or only when it is advanced. */
export type ClockMode = "real" | "frozen";

/** What of a clock is kept. */
export interface ClockState {
  readonly mode: ClockMode;
  /** Frozen: the time it stands at. Real: how far it is ahead of the system's. In milliseconds. */
  readonly ms: number;
}

/**
 * The sandbox's one clock, which tokens, schedules, retries and timestamps go by. It never goes
 * back but by {@link set}.
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

  /** Moves it forward to a time; one that is past leaves it alone. */
  moveTo(timeMs: number): void {
    const ahead = timeMs - this.now();
    if (ahead > 0) this.#state = { ...this.#state, ms: this.#state.ms + ahead };
  }

  /** Goes on as another clock, or this one earlier, went. */
  resume(state: ClockState): void {
    this.#state = state;
  }

  /** Changes how it goes, from now or from another time on. */
  set(mode: ClockMode, nowMs = this.now()): void {
    this.#state = { mode, ms: mode === "frozen" ? nowMs : nowMs - this.#system() };
  }
}

const UNITS_MS: Record<string, number> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Ten years: further than any schedule goes. */
const LONGEST_MS = 3650 * 86_400_000;

/**
 * Reads a duration such as `3d`, `90m` or `1d12h`, in milliseconds; undefined where it is none, or
 * longer than ten years.
 */
export function durationMs(text: string): number | undefined {
  if (!/^(\d{1,9}(ms|[smhd]))+$/.test(text)) return undefined;
  let sum = 0;
  for (const [, count = "", unit = ""] of text.matchAll(/(\d{1,9})(ms|[smhd])/g)) {
    sum += Number(count) * (UNITS_MS[unit] ?? 0);
  }
  return sum <= LONGEST_MS ? sum : undefined;
}
