import { setImmediate as turn } from "node:timers/promises";
import type { Clock } from "../../src/client/index.ts";
// The client loads these on demand. A fake clock does not wait for that, so they are loaded here.
import "../../src/client/shared-token.ts";
import "../../src/client/tracing.ts";

/** The client's own deadlines, of a call and of an attempt. */
const CALL_MS = 30_000;
const ATTEMPT_MS = 10_000;

interface Timer {
  readonly dueAt: number;
  readonly ms: number;
  readonly run: () => void;
}

/** Lets everything happen that needs no clock: promises, and what has come from the network. */
export async function settle(turns = 20): Promise<void> {
  for (let n = 0; n < turns; n++) await turn();
}

/** Waits for something that real sockets bring about. The test's own limit ends it. */
export async function until(isThere: () => boolean): Promise<void> {
  while (!isThere()) await turn();
}

/** A clock that a test moves. Timers and the time of day are apart, as they are in a machine. */
export class FakeClock implements Clock {
  /** How long each timer was set for, in the order in which they were set. */
  readonly set: number[] = [];
  readonly #timers = new Set<Timer>();
  #elapsed = 0;
  #date = Date.UTC(2026, 0, 1);

  readonly now = (): number => this.#date;

  readonly monotonic = (): number => this.#elapsed;

  readonly after = (ms: number, run: () => void): (() => void) => {
    const timer = { dueAt: this.#elapsed + ms, ms, run };
    this.set.push(ms);
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  };

  /** How much time has gone by, whatever the time of day. */
  get elapsed(): number {
    return this.#elapsed;
  }

  /** What the timers that have not gone off were set for. */
  get pending(): number[] {
    return [...this.#timers].map(({ ms }) => ms);
  }

  /** What was set besides the client's own deadlines. */
  get waits(): number[] {
    return this.set.filter((ms) => ms !== CALL_MS && ms !== ATTEMPT_MS);
  }

  /** Sets the time of day, which moves no timer. */
  jump(ms: number): void {
    this.#date += ms;
  }

  /** Waits until no call and no exchange is under way: each has a deadline. */
  async idle(): Promise<void> {
    await until(() => this.#timers.size === 0);
    await settle();
  }

  /** Lets so much time go by, and everything happen that this sets off. */
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
   * Sees something through to its end: whenever nothing but waits is left to do, they go by at once.
   *
   * @param callMs What the timers are set for that end a call, which are no waits.
   */
  async pass<T>(promise: Promise<T>, callMs = CALL_MS): Promise<T> {
    let isSettled = false;
    const done = () => {
      isSettled = true;
    };
    promise.then(done, done);
    while (!isSettled) {
      await turn();
      // The deadline of an attempt stands as long as there is a request under way.
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
