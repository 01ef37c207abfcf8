import { reasonOf } from "../errors.ts";
import type { Engine } from "./engine.ts";
import { StorageRefusal } from "./refusal.ts";
import type { DueWork } from "./scheduler.ts";
import type { JobName, UnitOfWork } from "./unit-of-work.ts";

/** The handler of each job. */
export type JobHandlers = Readonly<Record<JobName, (work: UnitOfWork, subject: string) => void>>;

/** A row of the jobs table. */
interface Job {
  readonly seq: number;
  readonly name: JobName;
  readonly subject: string;
}

/** Runs scheduled jobs when they are due, each in a separate change. */
export class Jobs implements DueWork {
  readonly #engine: Engine;
  readonly #handlers: JobHandlers;
  readonly #onDropped: (why: string) => void;

  /** @param onDropped is called with one line about each failed job, which is dropped */
  constructor(engine: Engine, handlers: JobHandlers, onDropped: (why: string) => void) {
    this.#engine = engine;
    this.#handlers = handlers;
    this.#onDropped = onDropped;
  }

  nextDueMs(): number | undefined {
    const row = this.#engine.store.sql("SELECT min(due_ms) AS due FROM jobs").get();
    return (row?.["due"] as number | null) ?? undefined;
  }

  begin(): void {
    const { store, clock } = this.#engine;
    for (;;) {
      const job = store
        .sql("SELECT seq, name, subject FROM jobs WHERE due_ms <= ? ORDER BY due_ms, seq LIMIT 1")
        .get(clock.now());
      if (!job) return;
      this.#carryOut(job as unknown as Job);
    }
  }

  /**
   * Carries out a job, and drops it if it fails: failures are deterministic bugs, and retries would
   * block later jobs. A job is kept after an error of the disk.
   */
  #carryOut({ seq, name, subject }: Job): void {
    try {
      this.#engine.commit((work) => {
        this.#remove(seq);
        this.#handlers[name](work, subject);
      });
    } catch (error) {
      if (error instanceof StorageRefusal) throw error;
      this.#engine.commit(() => this.#remove(seq));
      this.#onDropped(`the job ${name} of ${subject} failed and was dropped: ${reasonOf(error)}`);
    }
  }

  #remove(seq: number): void {
    this.#engine.store.sql("DELETE FROM jobs WHERE seq = ?").run(seq);
  }

  /** Jobs are synchronous. */
  async settled(): Promise<void> {}
}
