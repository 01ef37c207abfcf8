import { reasonOf } from "../errors.ts";
import type { Engine } from "./engine.ts";
import { StorageRefusal } from "./refusal.ts";
import type { DueWork } from "./scheduler.ts";
import type { JobName, UnitOfWork } from "./unit-of-work.ts";

/** What is done for a job, about its subject. */
export type JobHandlers = Readonly<Record<JobName, (work: UnitOfWork, subject: string) => void>>;

/** A job, by its row. */
interface Job {
  readonly seq: number;
  readonly name: JobName;
  readonly subject: string;
}

/** The jobs that were scheduled, each done in a change of its own when the clock comes to it. */
export class Jobs implements DueWork {
  readonly #engine: Engine;
  readonly #handlers: JobHandlers;
  readonly #onDropped: (why: string) => void;

  /** @param onDropped is told of a job that failed, and is not done any more, in one line */
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
   * A job that fails does so by a defect of ours, with each try again: it is dropped, or it would
   * hold up all that come due after it. What the disk does not take is no fault of the job's.
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

  /** A job is done once it was begun. */
  async settled(): Promise<void> {}
}
