import type { Clock } from "./clock.ts";
import { badRequest, conflict, StorageRefusal } from "./refusal.ts";

/** Something that comes due by the sandbox's clock. */
export interface DueWork {
  /** When the next that was not begun is due, in milliseconds since 1970; undefined for nothing. */
  nextDueMs(): number | undefined;
  /** Begins what is due now, and does not wait for it. */
  begin(): void;
  /**
   * Resolves when nothing that was begun is under way. Rejects with a StorageRefusal where the disk
   * does not take what came of it.
   */
  settled(): Promise<void>;
}

/** The longest that setTimeout waits. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

/** How long until what a full disk has kept from being done is begun again, in real time. */
const RETRY_MS = 500;

/** CONV-02: as far as a timestamp has four digits for its year, and some way before. */
const LATEST_MS = Date.UTC(3000, 0);

/** Has things done when the clock comes to them, and turns the clock. */
export class Scheduler {
  readonly #clock: Clock;
  readonly #works: readonly DueWork[];
  #timer: NodeJS.Timeout | undefined;
  /** Ends when the clock was turned as far as it was asked for so far. */
  #turned: Promise<unknown> = Promise.resolve();
  #isBeginning = false;
  #isStopped = false;

  constructor(clock: Clock, works: readonly DueWork[]) {
    this.#clock = clock;
    this.#works = works;
  }

  /**
   * Begins what is due; to be called after each change, and when something under way has ended.
   * What the disk does not take is begun again later: it is nothing to whoever made the change.
   */
  wake(): void {
    try {
      this.#begin();
    } catch (error) {
      if (!(error instanceof StorageRefusal)) throw error;
    }
  }

  /**
   * Resolves when nothing is due any more, and nothing under way. Rejects with a StorageRefusal
   * where the disk does not take what is due.
   */
  async settle(): Promise<void> {
    do {
      this.#begin();
      for (const work of this.#works) await work.settled();
    } while (!this.#isStopped && this.#isAnythingDue());
  }

  /**
   * Turns the clock by so many milliseconds, from one due time to the next. One turn comes after
   * the other; one that meets a clock that was set back ends there. Rejects with a Refusal 400
   * where the clock does not go so far, 409 where it is stopped meanwhile, or as {@link settle}.
   */
  advance(byMs: number): Promise<void> {
    const turn = this.#turned.then(() => this.#turn(byMs));
    this.#turned = turn.catch(() => undefined);
    return turn;
  }

  async #turn(byMs: number): Promise<void> {
    let reachedMs = this.#clock.now();
    const targetMs = reachedMs + byMs;
    if (targetMs >= LATEST_MS) throw badRequest("the clock goes no further than the year 2999");
    await this.settle();
    while (!this.#isStopped && this.#clock.now() >= reachedMs && reachedMs < targetMs) {
      reachedMs = Math.min(this.nextDueMs() ?? targetMs, targetMs);
      this.#clock.moveTo(reachedMs);
      await this.settle();
    }
    if (this.#isStopped) throw conflict("the sandbox was closed while its clock was turned");
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

  #begin(): void {
    // What is begun may make changes of its own; the loop below sees to what they bring.
    if (this.#isBeginning || this.#isStopped) return;
    this.#isBeginning = true;
    try {
      while (this.#isAnythingDue()) for (const work of this.#works) work.begin();
    } catch (error) {
      if (error instanceof StorageRefusal) this.#armIn(RETRY_MS);
      throw error;
    } finally {
      this.#isBeginning = false;
    }
    this.#arm();
  }

  /** Under a frozen clock nothing comes due by itself. */
  #arm(): void {
    clearTimeout(this.#timer);
    if (this.#isStopped || this.#clock.mode === "frozen") return;
    const dueMs = this.nextDueMs();
    if (dueMs !== undefined) this.#armIn(Math.max(0, dueMs - this.#clock.now()));
  }

  #armIn(waitMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.wake(), Math.min(waitMs, LONGEST_TIMEOUT_MS)).unref();
  }
}
