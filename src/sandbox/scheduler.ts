import type { Clock } from "./clock.ts";

/** Something that comes due by the sandbox's clock. */
export interface DueWork {
  /** When the next that was not begun is due, in milliseconds since 1970; undefined for nothing. */
  nextDueMs(): number | undefined;
  /** Begins what is due now, and does not wait for it. */
  begin(): void;
  /** Resolves when nothing that was begun is under way. It never rejects. */
  settled(): Promise<void>;
}

/** The longest that setTimeout waits. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

/** Has things done when the clock comes to them, and turns the clock. */
export class Scheduler {
  readonly #clock: Clock;
  readonly #works: readonly DueWork[];
  #timer: NodeJS.Timeout | undefined;
  #isBeginning = false;
  #isStopped = false;

  constructor(clock: Clock, works: readonly DueWork[]) {
    this.#clock = clock;
    this.#works = works;
  }

  /** Begins what is due; to be called after each change, and when something under way has ended. */
  wake(): void {
    // What is begun may make changes of its own; the loop below sees to what they bring.
    if (this.#isBeginning || this.#isStopped) return;
    this.#isBeginning = true;
    try {
      while (this.#isAnythingDue()) for (const work of this.#works) work.begin();
    } finally {
      this.#isBeginning = false;
    }
    this.#arm();
  }

  /** Resolves when nothing is due any more, and nothing under way. */
  async settle(): Promise<void> {
    do {
      this.wake();
      for (const work of this.#works) await work.settled();
    } while (this.#isAnythingDue() && !this.#isStopped);
  }

  /** Turns the clock by so many milliseconds, from one due time to the next. */
  async advance(byMs: number): Promise<void> {
    const targetMs = this.#clock.now() + byMs;
    await this.settle();
    for (;;) {
      const dueMs = this.nextDueMs();
      if (dueMs === undefined || dueMs > targetMs || this.#isStopped) break;
      this.#clock.moveTo(dueMs);
      await this.settle();
    }
    this.#clock.moveTo(targetMs);
    await this.settle();
  }

  /** When anything is due next, in milliseconds since 1970. */
  nextDueMs(): number | undefined {
    const dues = this.#works.map((work) => work.nextDueMs()).filter((due) => due !== undefined);
    return dues.length === 0 ? undefined : Math.min(...dues);
  }

  /** Begins nothing more; resolves when what is under way has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    for (const work of this.#works) await work.settled();
  }

  #isAnythingDue(): boolean {
    const dueMs = this.nextDueMs();
    return dueMs !== undefined && dueMs <= this.#clock.now();
  }

  /** Under a frozen clock nothing comes due by itself. */
  #arm(): void {
    clearTimeout(this.#timer);
    const dueMs = this.nextDueMs();
    if (dueMs === undefined || this.#clock.mode === "frozen" || this.#isStopped) return;
    const waitMs = Math.min(Math.max(0, dueMs - this.#clock.now()), LONGEST_TIMEOUT_MS);
    this.#timer = setTimeout(() => this.wake(), waitMs);
    this.#timer.unref();
  }
}
