import type { Engine } from "./engine.ts";
import type { JobName, Ledger } from "./ledger.ts";
import type { DueWork } from "./scheduler.ts";

/** What is done for a job, about its subject. */
export type JobHandlers = Readonly<Record<JobName, (ledger: Ledger, subject: string) => void>>;

/** The jobs that were scheduled, each done in a change of its own when the clock comes to it. */
export class Jobs implements DueWork {
  readonly #engine: Engine;
  readonly #handlers: JobHandlers;

  constructor(engine: Engine, handlers: JobHandlers) {
    this.#engine = engine;
    this.#handlers = handlers;
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
      this.#engine.commit((ledger) => {
        store.sql("DELETE FROM jobs WHERE seq = ?").run(job["seq"] as number);
        this.#handlers[job["name"] as JobName](ledger, job["subject"] as string);
      });
    }
  }

  /** A job is done once it was begun. */
  async settled(): Promise<void> {}
}
