import { randomBytes } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import { Clock, type ClockMode, type ClockState } from "./clock.ts";
import { Random } from "./random.ts";
import { storageRefusal } from "./store/storage-failure.ts";
import { Store } from "./store/store.ts";
import { type EngineSettings, SECRETS_KEY, UnitOfWork } from "./unit-of-work.ts";

/** What an engine begins with where its database is new. */
export interface EngineOptions extends EngineSettings {
  readonly seed: number;
  /** Whether secrets are random instead of decided by the seed; default: false. */
  readonly hasRandomSecrets?: boolean | undefined;
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
   * Carries out a change. Whatever it throws undoes it all, and is thrown on; where the disk does
   * not take it, that is a StorageRefusal.
   */
  commit<T>(change: (work: UnitOfWork) => T): T {
    const { database } = this.store;
    const { seed, drawn } = this.#random;
    const clockState = this.clock.state;
    this.#begin();
    let result: T;
    try {
      this.#unitOfWork.begin();
      result = change(this.#unitOfWork);
      if (this.#random.drawn !== drawn) this.store.setMeta("drawn", String(this.#random.drawn));
      // A crash while the clock is turned leaves no event behind that is later than the clock.
      if (this.clock.state !== this.#keptClock) this.#writeClock();
      database.exec("COMMIT");
      this.#keptClock = this.clock.state;
    } catch (error) {
      if (database.isTransaction) database.exec("ROLLBACK");
      this.store.forget();
      Object.assign(this.#random, { seed, drawn });
      this.clock.resume(clockState);
      throw this.#asRefusal(error);
    }
    for (const listener of this.#listeners) listener();
    return result;
  }

  /**
   * Carries out a change that puts another state in place of the present one.
   *
   * @param put writes that state; clock and draws go on as it says
   * @param goOn what else belongs to the change, at the moment at which that clock stands
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

  /** What every id is drawn by. */
  get seed(): number {
    return this.#random.seed;
  }

  /** How often the state was replaced: with each, what was known of the one before is void. */
  get replacements(): number {
    return this.#replacements;
  }

  /**
   * Has something called after each change; returns what ends that.
   *
   * @param listener throws nothing: the change is kept by then, and whoever made it would take it
   * for undone
   */
  onCommit(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Keeps how the clock goes, after it was moved; a change keeps it anyway. */
  keepClock(): void {
    this.commit(() => undefined);
  }

  /** By itself: what is not begun is not to be undone. */
  #begin(): void {
    try {
      this.store.database.exec("BEGIN IMMEDIATE");
    } catch (error) {
      throw this.#asRefusal(error);
    }
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

  /** Takes up what the database says of clock and draws. */
  #reload(): void {
    this.#random.seed = Number(this.store.meta("seed"));
    this.#random.drawn = Number(this.store.meta("drawn") ?? 0);
    this.clock.resume(JSON.parse(this.store.meta("clock") ?? "") as ClockState);
    this.#keptClock = this.clock.state;
  }
}
