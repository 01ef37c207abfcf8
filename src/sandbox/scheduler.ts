import { MAX_TIMER_MS } from "../options.ts";
import { badRequest, conflict, StorageRefusal } from "../world/refusal.ts";
import type { Clock } from "./clock.ts";

/** Work that becomes due by the sandbox's clock. */
export interface DueWork {
  /** When the next item is due, in milliseconds since 1970; undefined if there is none. */
  nextDueMs(): number | undefined;
  /** Starts the due items without waiting for them. */
  begin(): void;
  /**
   * Resolves when no started item is running. Rejects with a StorageRefusal if a result can't be
   * stored.
   */
  settled(): Promise<void>;
}

/** The delay of a retry after an error of the disk, in real time. */
const RETRY_MS = 500;

/** CONV-02: a timestamp has four digits for its year. */
const LATEST_MS = Date.UTC(3000, 0);

/** Starts due work, and advances the clock. */
export class Scheduler {
  readonly #clock: Clock;
  readonly #works: readonly DueWork[];
  #timer: NodeJS.Timeout | undefined;
  /** Resolves after all requested advances. */
  #turned: Promise<unknown> = Promise.resolve();
  #isBeginning = false;
  #isStopped = false;

  constructor(clock: Clock, works: readonly DueWork[]) {
    this.#clock = clock;
    this.#works = works;
  }

  /**
   * Starts due work. Call it after each change, and when an item has ended. After an error of the
   * disk it retries later; the caller is not affected.
   */
  wake(): void {
    try {
      this.#begin();
    } catch (error) {
      if (!(error instanceof StorageRefusal)) throw error;
    }
  }

  /**
   * Resolves when nothing is due or running. Rejects with a StorageRefusal if a result can't be
   * stored.
   */
  async settle(): Promise<void> {
    do {
      this.#begin();
      for (const work of this.#works) await work.settled();
    } while (!this.#isStopped && this.#isDue(this.nextDueMs()));
  }

  /**
   * Advances the clock from one due time to the next. Concurrent calls run one after another. An
   * advance ends early if the clock is set back meanwhile. Rejects with a Refusal: 400 beyond the
   * last year, 409 if the sandbox is closed meanwhile, or as {@link settle}.
   */
  advance(byMs: number): Promise<void> {
    const turn = this.#turned.then(() => this.#turn(byMs));
    this.#turned = turn.catch(() => undefined);
    return turn;
  }

  async #turn(byMs: number): Promise<void> {
    let reachedMs = this.#clock.now();
    const targetMs = reachedMs + byMs;
    if (targetMs >= LATEST_MS) throw badRequest("the clock cannot pass the year 2999");
    await this.settle();
    while (!this.#isStopped && this.#clock.now() >= reachedMs && reachedMs < targetMs) {
      reachedMs = Math.min(this.nextDueMs() ?? targetMs, targetMs);
      this.#clock.moveTo(reachedMs);
      await this.settle();
    }
    if (this.#isStopped) throw conflict("the sandbox was closed while its clock was advanced");
  }

  /** When the next item of all work is due, in milliseconds since 1970. */
  nextDueMs(): number | undefined {
    const dues = this.#works.map((work) => work.nextDueMs()).filter((due) => due !== undefined);
    return dues.length === 0 ? undefined : Math.min(...dues);
  }

  /** Starts no more work; resolves when running work has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    for (const work of this.#works) await work.settled();
  }

  #isDue(dueMs: number | undefined): boolean {
    return dueMs !== undefined && dueMs <= this.#clock.now();
  }

  #begin(): void {
    // Started work may make changes that call this again; the loop below handles those changes.
    if (this.#isBeginning || this.#isStopped) return;
    this.#isBeginning = true;
    try {
      let dueMs = this.nextDueMs();
      while (this.#isDue(dueMs)) {
        for (const work of this.#works) work.begin();
        dueMs = this.nextDueMs();
      }
      this.#arm(dueMs);
    } catch (error) {
      if (error instanceof StorageRefusal) this.#armIn(RETRY_MS);
      throw error;
    } finally {
      this.#isBeginning = false;
    }
  }

  /** Sets the timer of the next due item. A frozen clock needs none. */
  #arm(dueMs: number | undefined): void {
    clearTimeout(this.#timer);
    if (this.#isStopped || this.#clock.mode === "frozen") return;
    if (dueMs !== undefined) this.#armIn(Math.max(0, dueMs - this.#clock.now()));
  }

  #armIn(waitMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.wake(), Math.min(waitMs, MAX_TIMER_MS)).unref();
  }
}
