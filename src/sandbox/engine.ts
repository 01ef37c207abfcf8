import { randomBytes } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import { Clock, type ClockMode, type ClockState } from "./clock.ts";
import { Random } from "./random.ts";
import { storageRefusal } from "./store/database.ts";
import { Store } from "./store/store.ts";
import { type EngineSettings, SECRETS_KEY, UnitOfWork } from "./unit-of-work.ts";

/** The settings of an engine; some apply only to a new database. */
interface EngineOptions extends EngineSettings {
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
  readonly store: Store;
  readonly clock: Clock;
  readonly settings: EngineSettings;
  readonly #random: Random;
  readonly #unitOfWork: UnitOfWork;
  readonly #listeners = new Set<() => void>();

  #keptClock: ClockState | undefined;
  #replacements = 0;

  constructor(database: DatabaseSync, options: EngineOptions) {
    this.store = new Store(database);
    const { networks, validate, faults } = options;
    this.settings = { networks, validate, faults };
    this.#random = new Random(options.seed);
    this.clock = new Clock({ mode: "real", ms: 0 });
    this.clock.set(options.clock, options.startMs);
    this.#unitOfWork = new UnitOfWork(this.store, this.#random, this.clock, this.settings);
    if (this.store.meta("seed") === undefined) this.commit(() => this.#writeStart(options));
    this.#reload();
  }

  /**
   * Carries out a change. If it throws, the change is rolled back and the error is thrown again; an
   * error of the disk becomes a StorageRefusal.
   */
  commit<T>(change: (work: UnitOfWork) => T): T {
    const { database } = this.store;
    const { drawn } = this.#random;
    const undo = this.#begin();
    let result: T;
    try {
      this.#unitOfWork.begin();
      result = change(this.#unitOfWork);
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

  /**
   * Carries out a change and undoes it. It takes no injected faults, whose counts can't be undone.
   * Throws what the change throws.
   */
  dryRun(change: (work: UnitOfWork) => void): void {
    const { networks, validate } = this.settings;
    const work = new UnitOfWork(this.store, this.#random, this.clock, { networks, validate });
    const undo = this.#begin();
    try {
      work.begin();
      change(work);
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
  replace(put: (store: Store) => void, goOn?: (work: UnitOfWork) => void): void {
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
    };
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
