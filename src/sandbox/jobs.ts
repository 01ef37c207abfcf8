import { reasonOf } from "../errors.ts";
import type { JobHandlers } from "../world/job-handlers.ts";
import { StorageRefusal } from "../world/refusal.ts";
import type { Job } from "../world/store.ts";
import type { Change, Engine } from "./engine.ts";
import type { DueWork } from "./scheduler.ts";

/** Runs scheduled jobs when they are due, each in a separate change. */
export class Jobs implements DueWork {
  readonly #engine: Engine;
  readonly #handlers: JobHandlers<Change>;
  readonly #onDropped: (why: string) => void;

  /** @param onDropped is called with one line about each failed job, which is dropped */
  constructor(engine: Engine, handlers: JobHandlers<Change>, onDropped: (why: string) => void) {
    this.#engine = engine;
    this.#handlers = handlers;
    this.#onDropped = onDropped;
  }

  nextDueMs(): number | undefined {
    return this.#engine.store.nextDueMs();
  }

  begin(): void {
    const { store, clock } = this.#engine;
    for (;;) {
      const job = store.dueJob(clock.now());
      if (!job) return;
      this.#carryOut(job);
    }
  }

  /**
   * Carries out a job, and drops it if it fails: failures are deterministic bugs, and retries would
   * block later jobs. A job is kept after an error of the disk.
   */
  #carryOut({ seq, name, subject }: Job): void {
    try {
      this.#engine.commit((work) => {
        this.#engine.store.removeJob(seq);
        this.#handlers[name](work, subject);
      });
    } catch (error) {
      if (error instanceof StorageRefusal) throw error;
      this.#engine.commit(() => this.#engine.store.removeJob(seq));
      this.#onDropped(`the job ${name} of ${subject} failed and was dropped: ${reasonOf(error)}`);
    }
  }

  /** Jobs are synchronous. */
  async settled(): Promise<void> {}
}
