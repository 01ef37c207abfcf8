import { setMaxListeners } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import type { Engine } from "../engine.ts";
import { StorageRefusal } from "../refusal.ts";
import type { DueWork } from "../scheduler.ts";
import { Poster } from "./post.ts";
import type { Message } from "./request.ts";
import { type DeliveryKey, type EndedAttempt, recordAttempt } from "./rounds.ts";

/** How many attempts are under way at an endpoint at once, each of another resource. */
const CONCURRENCY = 32;

/** The real time that an attempt may take. */
const TIMEOUT_MS = 10_000;

/** How long until what could not be written down, on a full disk, is tried again. */
const REWRITE_MS = 500;

interface WaitingDelivery extends DeliveryKey {
  readonly dueMs: number;
}

/** Sends what the outbox holds, and writes down what became of it. */
export class Dispatcher implements DueWork {
  readonly #engine: Engine;
  /** Called when something under way has ended, so that what waited for it can begin. */
  readonly #onEnd: () => void;
  readonly #closing = new AbortController();
  readonly #poster: Poster;
  /** The ids of the deliveries that are under way, by their endpoint. A crash forgets them. */
  readonly #busy = new Map<string, Set<string>>();
  readonly #attempts = new Set<Promise<void>>();
  /** Who is to be told that an attempt can't be written down. */
  readonly #waiting = new Set<(refusal: StorageRefusal) => void>();

  constructor(engine: Engine, onEnd: () => void) {
    this.#engine = engine;
    this.#onEnd = onEnd;
    setMaxListeners(0, this.#closing.signal);
    this.#poster = new Poster(TIMEOUT_MS, this.#closing.signal);
  }

  /**
   * When the next attempt can begin. What waits for an earlier delivery or for a free slot is not
   * due by itself: it begins when that has ended.
   */
  nextDueMs(): number | undefined {
    const dues = this.#openEndpoints().map(({ endpointId, busy }) => {
      const waiting = this.#waitingAt(endpointId, busy.size + 1);
      return waiting.find(({ id }) => !busy.has(id))?.dueMs;
    });
    const known = dues.filter((dueMs) => dueMs !== undefined);
    return known.length === 0 ? undefined : Math.min(...known);
  }

  begin(): void {
    const nowMs = this.#engine.clock.now();
    for (const { endpointId, busy } of this.#openEndpoints()) {
      // Even if all that are under way are among them, there is one for each free slot.
      for (const { seq, id, dueMs } of this.#waitingAt(endpointId, CONCURRENCY)) {
        if (dueMs > nowMs || busy.size === CONCURRENCY) break;
        if (busy.has(id)) continue;
        busy.add(id);
        const attempt = this.#attempt({ seq, id }, busy).finally(() => {
          this.#attempts.delete(attempt);
        });
        this.#attempts.add(attempt);
      }
    }
  }

  async settled(): Promise<void> {
    const { promise: failed, reject } = Promise.withResolvers<never>();
    this.#waiting.add(reject);
    try {
      while (this.#attempts.size > 0) await Promise.race([failed, Promise.all(this.#attempts)]);
    } finally {
      this.#waiting.delete(reject);
    }
  }

  /**
   * Ends what is under way and begins nothing more; resolves when all has ended. As after a crash,
   * what was under way is sent again by whoever opens the same file.
   */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.settled();
    this.#poster.close();
  }

  /** Those that have a free slot. */
  #openEndpoints(): { endpointId: string; busy: Set<string> }[] {
    if (this.#closing.signal.aborted) return [];
    return this.#engine.store
      .sql("SELECT id FROM endpoints ORDER BY seq")
      .all()
      .map(({ id }) => ({ endpointId: id as string, busy: this.#busyAt(id as string) }))
      .filter(({ busy }) => busy.size < CONCURRENCY);
  }

  #busyAt(endpointId: string): Set<string> {
    const busy = this.#busy.get(endpointId) ?? new Set();
    this.#busy.set(endpointId, busy);
    return busy;
  }

  /** The first of each lane, in the order in which they come due, also those under way. */
  #waitingAt(endpointId: string, limit: number): WaitingDelivery[] {
    return this.#engine.store
      .sql(
        `SELECT seq, id, due_ms AS dueMs FROM deliveries
         WHERE endpoint_id = ? AND state = 'waiting' AND is_first = 1
         ORDER BY due_ms, seq LIMIT ?`,
      )
      .all(endpointId, limit) as unknown as WaitingDelivery[];
  }

  #messageOf({ seq, id }: DeliveryKey): Message {
    const row = this.#engine.store
      .sql(
        `SELECT n.url, n.secret, e.name, e.body FROM deliveries d
         JOIN events e ON e.seq = d.event_seq JOIN endpoints n ON n.id = d.endpoint_id
         WHERE d.seq = ?`,
      )
      .get(seq);
    return { id, ...(row as unknown as Omit<Message, "id">) };
  }

  async #attempt(delivery: DeliveryKey, busy: Set<string>): Promise<void> {
    const atMs = this.#engine.clock.now();
    const answer = await this.#poster.post(this.#messageOf(delivery));
    const { signal } = this.#closing;
    while (!signal.aborted && !this.#write(delivery, { ...answer, atMs }, busy)) {
      await wait(REWRITE_MS, undefined, { signal }).catch(() => undefined);
    }
    if (!signal.aborted) this.#onEnd();
  }

  /** Whether it could be written down. Sending it again at once instead would go on for ever. */
  #write(delivery: DeliveryKey, attempt: EndedAttempt, busy: Set<string>): boolean {
    try {
      this.#engine.commit((work) => {
        recordAttempt(work, delivery, attempt);
        // What the change wakes up has to see the free slot.
        busy.delete(delivery.id);
      });
      return true;
    } catch (error) {
      if (!(error instanceof StorageRefusal)) throw error;
      busy.add(delivery.id);
      for (const tell of this.#waiting) tell(error);
      return false;
    }
  }
}
