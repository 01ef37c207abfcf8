import type { Connection } from "./database.ts";

const EVERY_MS = 60_000;
const SIZE = 1000;

/** Deletes the keys of handled deliveries that have expired. */
export class Sweep {
  readonly #connection: Connection;
  readonly #statement: string;
  #running: Promise<void> | undefined;
  #nextAt = 0;
  #isStopped = false;

  /** @param schema The quoted name. */
  constructor(connection: Connection, schema: string) {
    this.#connection = connection;
    this.#statement = `WITH deleted AS (
        DELETE FROM ${schema}.handled WHERE key = ANY (ARRAY(
          SELECT key FROM ${schema}.handled WHERE expires_at <= clock_timestamp()
          ORDER BY expires_at LIMIT ${SIZE} FOR UPDATE SKIP LOCKED
        )) RETURNING 1
      ) SELECT count(*)::text AS total FROM deleted`;
  }

  /** Starts to delete in the background, unless it was started shortly before. */
  start(): void {
    if (this.#running || performance.now() < this.#nextAt) return;
    this.#nextAt = performance.now() + EVERY_MS;
    // A failure is that of every other statement, and the next start repeats it.
    this.#running = this.#run()
      .catch(() => undefined)
      .finally(() => {
        this.#running = undefined;
      });
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    for (let total = SIZE; total === SIZE && !this.#isStopped; ) {
      const [row] = await this.#connection.query(this.#statement, []);
      total = Number(row?.["total"]);
    }
  }
}
