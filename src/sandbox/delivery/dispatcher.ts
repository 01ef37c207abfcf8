import { setMaxListeners } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { StorageRefusal } from "../../world/refusal.ts";
import type { Engine } from "../engine.ts";
import type { DueWork } from "../scheduler.ts";
import { Poster } from "./post.ts";
import type { Message } from "./request.ts";
import { type DeliveryKey, type EndedAttempt, recordAttempt } from "./rounds.ts";

/** The most concurrent attempts at an endpoint, each about another resource. */
const CONCURRENCY = 32;

/** The timeout of an attempt, in real time. */
const TIMEOUT_MS = 10_000;

/** The delay before an attempt that could not be stored is recorded again. */
const REWRITE_MS = 500;

interface WaitingDelivery extends DeliveryKey {
  readonly dueMs: number;
}

/** Sends the deliveries of the outbox, and records the attempts. */
export class Dispatcher implements DueWork {
  readonly #engine: Engine;
  readonly #closing = new AbortController();
  readonly #poster: Poster;
  /** The ids of the running deliveries, by endpoint. They are not stored. */
  readonly #busy = new Map<string, Set<string>>();
  readonly #attempts = new Set<Promise<void>>();
  /** The callers that wait for a failure to store an attempt. */
  readonly #waiting = new Set<(refusal: StorageRefusal) => void>();

  constructor(engine: Engine) {
    this.#engine = engine;
    setMaxListeners(0, this.#closing.signal);
    this.#poster = new Poster(TIMEOUT_MS, this.#closing.signal);
  }

  /**
   * When the next attempt can start. A delivery that waits for an earlier one or for a free slot is
   * not due: it starts when that has ended.
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
      // Even if all running ones are among them, there is one for each free slot.
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
   * Aborts running attempts and starts no more; resolves when all have ended. As after a crash,
   * they are sent again when the same file is opened.
   */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.settled();
    this.#poster.close();
  }

  /** The endpoints with a free slot and a waiting delivery. */
  #openEndpoints(): { endpointId: string; busy: Set<string> }[] {
    if (this.#closing.signal.aborted) return [];
    return this.#engine.store
      .sql(
        `SELECT id FROM endpoints n WHERE EXISTS (SELECT 1 FROM deliveries
         WHERE endpoint_id = n.id AND state = 'waiting' AND is_first = 1) ORDER BY seq`,
      )
      .all()
      .map(({ id }) => ({ endpointId: id as string, busy: this.#busyAt(id as string) }))
      .filter(({ busy }) => busy.size < CONCURRENCY);
  }

  #busyAt(endpointId: string): Set<string> {
    const busy = this.#busy.get(endpointId) ?? new Set();
    this.#busy.set(endpointId, busy);
    return busy;
  }

  /** The first delivery of each ordering key, by due time; running ones included. */
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
    const response = await this.#poster.post(this.#messageOf(delivery));
    const { signal } = this.#closing;
    while (!signal.aborted && !this.#write(delivery, { ...response, atMs }, busy)) {
      await wait(REWRITE_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Records an attempt; returns whether that succeeded. A failure must not resend it at once. */
  #write(delivery: DeliveryKey, attempt: EndedAttempt, busy: Set<string>): boolean {
    try {
      this.#engine.commit((work) => {
        recordAttempt(work, delivery, attempt);
        // The listeners of the change must see the free slot.
        busy.delete(delivery.id);
      });
      return true;
    } catch (error) {
      if (!(error instanceof StorageRefusal)) throw error;
      busy.add(delivery.id);
      for (const reject of this.#waiting) reject(error);
      return false;
    }
  }
}
