import type { DatabaseSync } from "node:sqlite";
import { Clock, type ClockMode, type ClockState } from "./clock.ts";
import { Ledger, type LedgerSettings } from "./ledger.ts";
import { Random } from "./random.ts";
import { Store } from "./store/store.ts";

/** What an engine begins with where its database is new. */
export interface EngineOptions extends LedgerSettings {
  readonly seed: number;
  readonly clock: ClockMode;
  /** When it begins; now unless set. Milliseconds since 1970. */
  readonly startMs?: number | undefined;
}

/**
 * The state and how it changes: one change at a time, whole or not at all. What has to happen after
 * a change (deliveries, the page) listens.
 */
export class Engine {
  readonly store: Store;
  readonly clock: Clock;
  readonly settings: LedgerSettings;
  readonly #random: Random;
  readonly #ledger: Ledger;
  readonly #listeners = new Set<() => void>();

  constructor(database: DatabaseSync, options: EngineOptions) {
    this.store = new Store(database);
    const { networks, validate, faults } = options;
    this.settings = { networks, validate, faults };
    this.#random = new Random(Number(this.store.meta("seed") ?? options.seed));
    this.clock = new Clock({ mode: "real", ms: 0 });
    this.clock.set(options.clock, options.startMs);
    this.#ledger = new Ledger(this.store, this.#random, this.clock, this.settings);
    this.reload();
    if (this.store.meta("seed") === undefined) {
      this.store.setMeta("seed", String(options.seed));
      this.keepClock();
    }
  }

  /** Carries out a change. Whatever it throws undoes it all, and is thrown on. */
  commit<T>(work: (ledger: Ledger) => T): T {
    const { database } = this.store;
    const drawn = this.#random.drawn;
    database.exec("BEGIN IMMEDIATE");
    let result: T;
    try {
      this.#ledger.begin();
      result = work(this.#ledger);
      if (this.#random.drawn !== drawn) this.store.setMeta("drawn", String(this.#random.drawn));
      database.exec("COMMIT");
    } catch (error) {
      if (database.isTransaction) database.exec("ROLLBACK");
      this.#random.drawn = drawn;
      throw error;
    }
    for (const listener of this.#listeners) listener();
    return result;
  }

  /** Has something called after each change; returns what ends that. */
  onCommit(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Writes down how the clock goes, after it was moved or set. */
  keepClock(): void {
    this.store.setMeta("clock", JSON.stringify(this.clock.state));
  }

  /** Takes up what the database says of clock and draws: at the start, and once it was replaced. */
  reload(): void {
    this.#random.drawn = Number(this.store.meta("drawn") ?? 0);
    const kept = this.store.meta("clock");
    if (kept === undefined) return;
    const { mode, ms } = JSON.parse(kept) as ClockState;
    this.clock.set(mode, mode === "frozen" ? ms : Date.now() + ms);
  }
}
