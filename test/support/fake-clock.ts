import { setImmediate as turn } from "node:timers/promises";
import type { Clock } from "../../src/client/index.ts";
// The client imports these lazily, which takes real time; load them before the fake clock starts.
import "../../src/client/shared-token.ts";
import "../../src/client/tracing.ts";

/** The client's default deadlines of a call and of an attempt. */
const CALL_MS = 30_000;
const ATTEMPT_MS = 10_000;

interface Timer {
  readonly dueAt: number;
  readonly ms: number;
  readonly run: () => void;
}

/** Runs pending promises and received network events without moving the clock. */
export async function settle(turns = 20): Promise<void> {
  for (let n = 0; n < turns; n++) await turn();
}

/** Waits for a condition that depends on real sockets. The test's timeout is the limit. */
export async function until(isThere: () => boolean): Promise<void> {
  while (!isThere()) await turn();
}

/**
 * The client's clock in tests: it moves only when a test advances it. Its wall clock can change
 * independently of its timers.
 */
export class FakeClock implements Clock {
  /** The duration of every timer, in the order of creation. */
  readonly durations: number[] = [];
  readonly #timers = new Set<Timer>();
  #elapsed = 0;
  #date: number;

  constructor(date = Date.UTC(2026, 0, 1)) {
    this.#date = date;
  }

  readonly now = (): number => this.#date;

  readonly monotonic = (): number => this.#elapsed;

  readonly after = (ms: number, run: () => void): (() => void) => {
    const timer = { dueAt: this.#elapsed + ms, ms, run };
    this.durations.push(ms);
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  };

  /** The elapsed milliseconds, independent of the wall clock. */
  get elapsed(): number {
    return this.#elapsed;
  }

  /** The durations of the pending timers. */
  get pending(): number[] {
    return [...this.#timers].map(({ ms }) => ms);
  }

  /** The timer durations other than the client's default deadlines. */
  get waits(): number[] {
    return this.durations.filter((ms) => ms !== CALL_MS && ms !== ATTEMPT_MS);
  }

  /** Changes the wall clock by `ms`; timers are not affected. */
  jump(ms: number): void {
    this.#date += ms;
  }

  /** Waits until no call and no exchange is pending: each has a deadline timer. */
  async idle(): Promise<void> {
    await until(() => this.#timers.size === 0);
    await settle();
  }

  /** Advances the clock, running the due timers and the promises that they resolve. */
  async advance(ms: number): Promise<void> {
    await settle();
    const end = this.#elapsed + ms;
    for (;;) {
      const [next] = this.#inOrder();
      if (!next || next.dueAt > end) break;
      this.#moveTo(next.dueAt);
      this.#timers.delete(next);
      next.run();
      await settle();
    }
    this.#moveTo(end);
  }

  /**
   * Awaits a promise. Delays elapse immediately while no attempt is pending.
   *
   * @param callMs Duration of the call deadline; its timers are not delays.
   */
  async skipDelays<T>(promise: Promise<T>, callMs = CALL_MS): Promise<T> {
    let isSettled = false;
    const done = () => {
      isSettled = true;
    };
    promise.then(done, done);
    while (!isSettled) {
      await turn();
      // An attempt's deadline timer is pending while its request is in flight.
      const isBusy = this.pending.includes(ATTEMPT_MS);
      const wait = this.#inOrder().find(({ ms }) => ms !== callMs);
      if (wait && !isBusy && !isSettled) await this.advance(wait.dueAt - this.#elapsed);
    }
    return promise;
  }

  #inOrder(): Timer[] {
    return [...this.#timers].sort((one, other) => one.dueAt - other.dueAt);
  }

  #moveTo(elapsed: number): void {
    this.#date += elapsed - this.#elapsed;
    this.#elapsed = elapsed;
  }
}
