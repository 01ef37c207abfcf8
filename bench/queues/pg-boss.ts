import { createHash } from "node:crypto";
import type { Pool, PoolClient } from "pg";
import { type Db, PgBoss } from "pg-boss";
import { INSERT_EFFECT, type Job, type Queue } from "./workload.ts";

const QUEUE = "deliveries";

/** Jobs of pg-boss that are handled at most this often, and how long an attempt may take. */
const LIMITS = { retryLimit: 25, expireInSeconds: 60 };

/** Lets pg-boss run its statements on a client or pool of pg. */
export function databaseOf(client: Pool | PoolClient): Db {
  return { executeSql: (text, values) => client.query(text, values as unknown[]) };
}

/** The id recognizes duplicates. */
function optionsOf({ lane, position }: Job) {
  const hash = createHash("sha256").update(`${lane}/${position}`).digest("hex");
  const id = hash.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*/, "$1-$2-$3-$4-$5");
  return { id, singletonKey: lane };
}

interface Pending {
  readonly job: Job;
  resolve(): void;
  reject(error: unknown): void;
}

/** How pg-boss is used. */
export interface PgBossOptions {
  /** Whether receipts that wait for the database share an `insert`, instead of a `send` each. */
  readonly groupsReceipts: boolean;
  readonly batchSize: number;
}

/** pg-boss with the policy key_strict_fifo. It shares the pool, and runs its own maintenance. */
export async function openPgBoss(
  pool: Pool,
  { groupsReceipts, batchSize }: PgBossOptions,
): Promise<Queue> {
  const boss = new PgBoss({ db: databaseOf(pool), schedule: false });
  boss.on("error", (error) => console.error(`pg-boss: ${error.message}`));
  await boss.start();
  await boss.createQueue(QUEUE, { policy: "key_strict_fifo", ...LIMITS });

  let pending: Pending[] = [];
  let running = false;
  const insertPending = async () => {
    running = true;
    while (pending.length > 0) {
      const batch = pending;
      pending = [];
      try {
        const jobs = batch.map(({ job }) => ({ data: job, ...optionsOf(job) }));
        await boss.insert(QUEUE, jobs);
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    running = false;
  };

  return {
    add(job) {
      if (!groupsReceipts) return boss.send(QUEUE, job, optionsOf(job));
      return new Promise<void>((resolve, reject) => {
        pending.push({ job, resolve, reject });
        if (!running) queueMicrotask(insertPending);
        running = true;
      });
    },
    async handle() {
      const jobs = await boss.fetch<Job>(QUEUE, { batchSize });
      if (jobs.length === 0) return 0;
      const client = await pool.connect();
      try {
        await client.query("BEGIN");
        for (const { data } of jobs) {
          await client.query("SAVEPOINT handler");
          await client.query(INSERT_EFFECT, [data.lane, data.position]);
          await client.query("RELEASE SAVEPOINT handler");
        }
        // With the attempts instead of the ids, it completes only what this worker still holds.
        const options = { db: databaseOf(client) };
        const completed = await boss.complete(QUEUE, jobs, null, options);
        if ((completed as { affected: number }).affected < jobs.length) throw new Error("lost");
        await client.query("COMMIT");
      } finally {
        client.release();
      }
      return jobs.length;
    },
    close: () => boss.stop({ graceful: false, close: false }),
  };
}
