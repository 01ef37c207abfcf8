import { createHmac, randomBytes } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import { type EmittedEvent, UnitOfWork, type WorldSettings } from "../world/unit-of-work.ts";
import { Clock, type ClockMode, type ClockState } from "./clock.ts";
import { SeededRandom } from "./seeded-random.ts";
import { storageRefusal } from "./store/database.ts";
import { SqliteStore } from "./store/store.ts";

/** The meta name of the key that random secrets are derived from. */
export const SECRETS_KEY = "secrets-key";

/** One change of the sandbox's state. */
export type Change = UnitOfWork<SqliteStore>;

/** The settings of an engine; some apply only to a new database. */
interface EngineOptions extends WorldSettings {
  readonly seed: number;
  /** Whether secrets are random instead of decided by the seed; default: false. */
  readonly hasRandomSecrets?: boolean | undefined;
  readonly clock: ClockMode;
  /** The start of the clock, in milliseconds since 1970. Default: now. */
  readonly startMs?: number | undefined;
}

/**
 * Owns the state. Changes are serialized and atomic; listeners run after each one.
 */
export class Engine {
  readonly store: SqliteStore;
  readonly clock: Clock;
  readonly settings: WorldSettings;
  readonly #random: SeededRandom;
  readonly #change: Change;
  readonly #listeners = new Set<() => void>();
  #onEvent: (event: EmittedEvent) => void = () => undefined;
  #mark: () => () => void = () => () => undefined;

  #keptClock: ClockState | undefined;
  #replacements = 0;

  constructor(database: DatabaseSync, options: EngineOptions) {
    this.store = new SqliteStore(database);
    const { networks, validate } = options;
    this.settings = { networks, validate };
    this.#random = new SeededRandom(options.seed);
    this.clock = new Clock({ mode: "real", ms: 0 });
    this.clock.set(options.clock, options.startMs);
    this.#change = new UnitOfWork(this.store, this.settings, {
      random: this.#random,
      clock: this.clock,
      secretOf: (drawn) => this.#secretOf(drawn),
      onEvent: (event) => this.#onEvent(event),
    });
    if (this.store.meta("seed") === undefined) this.commit(() => this.#writeStart(options));
    this.#reload();
  }

  /**
   * Carries out a change. If it throws, the change is rolled back and the error is thrown again; an
   * error of the disk becomes a StorageRefusal.
   */
  commit<T>(change: (work: Change) => T): T {
    const { database } = this.store;
    const { drawn } = this.#random;
    const undo = this.#begin();
    let result: T;
    try {
      this.#change.begin();
      result = change(this.#change);
      if (this.#random.drawn !== drawn) this.store.setMeta("drawn", String(this.#random.drawn));
      // After a crash no event is later than the clock.
      if (this.clock.state !== this.#keptClock) this.#writeClock();
      database.exec("COMMIT");
      this.#keptClock = this.clock.state;
    } catch (error) {
      undo();
      throw this.#asRefusal(error);
    }
    for (const listener of this.#listeners) listener();
    return result;
  }

  /** Carries out a change and undoes it. Throws what the change throws. */
  dryRun(change: (work: Change) => void): void {
    const undo = this.#begin();
    try {
      this.#change.begin();
      change(this.#change);
    } catch (error) {
      throw this.#asRefusal(error);
    } finally {
      undo();
    }
  }

  /**
   * Replaces the whole state in one change.
   *
   * @param put writes the new state, with its clock and its number of draws
   * @param goOn carries out the rest of the change, by the new clock
   */
  replace(put: (store: SqliteStore) => void, goOn?: (work: Change) => void): void {
    this.commit((work) => {
      put(this.store);
      this.store.forget();
      this.#reload();
      work.begin();
      goOn?.(work);
      this.store.setMeta("drawn", String(this.#random.drawn));
      this.#replacements += 1;
    });
  }

  /** The seed of all ids. */
  get seed(): number {
    return this.#random.seed;
  }

  /** The number of times that the state was replaced. Caches of an earlier state are invalid. */
  get replacements(): number {
    return this.#replacements;
  }

  /**
   * Calls a listener after each change.
   *
   * @param listener must not throw: the caller would think that the change was rolled back
   * @returns a function that removes the listener
   */
  onCommit(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Calls a subscriber with each event, within the change that emits it.
   *
   * @param mark returns a function that undoes what the subscriber has done since
   */
  onEvent(subscriber: (event: EmittedEvent) => void, mark: () => () => void): void {
    this.#onEvent = subscriber;
    this.#mark = mark;
  }

  /** Stores the clock after it was moved. Every change stores it, too. */
  keepClock(): void {
    this.commit(() => undefined);
  }

  /**
   * Begins a transaction. It is separate because a failed BEGIN needs no rollback.
   *
   * @returns a function that restores the state
   */
  #begin(): () => void {
    const { database } = this.store;
    const { seed, drawn } = this.#random;
    const clockState = this.clock.state;
    const undoEvents = this.#mark();
    try {
      database.exec("BEGIN IMMEDIATE");
    } catch (error) {
      throw this.#asRefusal(error);
    }
    return () => {
      if (database.isTransaction) database.exec("ROLLBACK");
      this.store.forget();
      Object.assign(this.#random, { seed, drawn });
      this.clock.resume(clockState);
      undoEvents();
    };
  }

  /** The digits themselves; if secrets are random, as many digits derived from the key. */
  #secretOf(drawn: string): string {
    const key = this.store.meta(SECRETS_KEY);
    if (key === undefined) return drawn;
    return createHmac("sha256", key).update(drawn).digest("hex").slice(0, drawn.length);
  }

  #asRefusal(error: unknown): unknown {
    return storageRefusal(this.store.database, error) ?? error;
  }

  #writeStart({ seed, hasRandomSecrets, clock, startMs }: EngineOptions): void {
    this.store.setMeta("seed", String(seed));
    if (hasRandomSecrets) this.store.setMeta(SECRETS_KEY, randomBytes(32).toString("hex"));
    const ms = clock === "frozen" ? this.clock.now() : startMs;
    this.store.setMeta("start", JSON.stringify({ mode: clock, ms }));
  }

  #writeClock(): void {
    this.store.setMeta("clock", JSON.stringify(this.clock.state));
  }

  /** Reads clock and draws from the database. */
  #reload(): void {
    this.#random.seed = Number(this.store.meta("seed"));
    this.#random.drawn = Number(this.store.meta("drawn") ?? 0);
    this.clock.resume(JSON.parse(this.store.meta("clock") ?? "") as ClockState);
    this.#keptClock = this.clock.state;
  }
}
