import { setTimeout as sleep } from "node:timers/promises";
import { Pool, type PoolClient } from "pg";
import { type Job, PgBoss, type Queue } from "pg-boss";
import type { Table } from "../report.ts";
import { databaseOf } from "./pg-boss.ts";

/** The data of a job: its key and its position. */
type Data = { readonly key: string; readonly position: number };

/** pg-boss on a database of its own, which looks for expired jobs every second. */
interface Lab {
  readonly boss: PgBoss;
  readonly pool: Pool;
  /** Creates a queue with the policy key_strict_fifo. */
  createQueue(options?: Partial<Queue>): Promise<string>;
}

const REPETITIONS = 100;
const job = (key: string, position: number) => ({ data: { key, position }, singletonKey: key });
const nameOf = (jobs: readonly Job<Data>[]) =>
  jobs.map(({ data }) => `${data.key}${data.position}`).join(", ") || "nothing";

/** Tries what an inbox has to guarantee on pg-boss. */
export async function tryGuarantees(connectionString: string): Promise<Table> {
  const pool = new Pool({ connectionString, max: 8 });
  const boss = new PgBoss({
    connectionString,
    max: 8,
    schedule: false,
    superviseIntervalSeconds: 1,
    monitorIntervalSeconds: 1,
  });
  boss.on("error", (error) => console.error(`pg-boss: ${error.message}`));
  await boss.start();
  let queues = 0;
  const lab: Lab = {
    boss,
    pool,
    async createQueue(options) {
      queues += 1;
      await boss.createQueue(`queue-${queues}`, { policy: "key_strict_fifo", ...options });
      return `queue-${queues}`;
    },
  };
  try {
    const rows: string[][] = [];
    for (const [what, observe] of Object.entries(EXPERIMENTS))
      rows.push([what, await observe(lab)]);
    return { title: "What pg-boss 12.38 does", columns: ["observed"], rows };
  } finally {
    await boss.stop({ graceful: false });
    await pool.end();
  }
}

const EXPERIMENTS: Readonly<Record<string, (lab: Lab) => Promise<string>>> = {
  "order of two jobs of a key, sent one after another": (lab) =>
    countSwapped(lab, async (queue, jobs) => {
      for (const { data, ...options } of jobs) await lab.boss.send(queue, data, options);
    }),
  "order of two jobs of a key in one insert": (lab) =>
    countSwapped(lab, (queue, jobs) => lab.boss.insert(queue, [...jobs])),
  "order of two jobs of a key in one transaction": (lab) =>
    countSwapped(lab, (queue, jobs) =>
      inTransaction(lab.pool, async (client) => {
        const db = databaseOf(client);
        for (const { data, ...options } of jobs)
          await lab.boss.send(queue, data, { ...options, db });
      }),
    ),
  "order when the server's clock was set back by 2 s": async ({ boss, pool, createQueue }) => {
    const queue = await createQueue();
    await boss.insert(queue, [job("a", 1)]);
    await pool.query(clockFunction("now() - interval '2 seconds'"));
    await boss.insert(queue, [job("a", 2)]);
    await pool.query(clockFunction("now()"));
    return `first: ${nameOf(await boss.fetch<Data>(queue))}`;
  },
  "a job of key a waits for its retry": async ({ boss, createQueue }) => {
    const queue = await createQueue({ retryDelay: 60 });
    await boss.insert(queue, [job("a", 1), job("b", 1)]);
    const jobs = await boss.fetch<Data>(queue, { batchSize: 2 });
    await boss.fail(
      queue,
      jobs.filter(({ data }) => data.key === "a"),
    );
    await boss.complete(
      queue,
      jobs.filter(({ data }) => data.key === "b"),
    );
    for (const key of ["a", "b"]) await boss.insert(queue, [job(key, 2)]);
    return `next: ${nameOf(await boss.fetch<Data>(queue, { batchSize: 9 }))}`;
  },
  "after the last retry, with a dead letter queue": async ({ boss, createQueue }) => {
    const deadLetter = await createQueue();
    const queue = await createQueue({ retryLimit: 0, deadLetter });
    for (const position of [1, 2]) await boss.insert(queue, [job("a", position)]);
    await boss.fail(queue, await boss.fetch<Data>(queue));
    const next = nameOf(await boss.fetch<Data>(queue));
    return `next: ${next}; blocked keys: ${await boss.getBlockedKeys(queue)}`;
  },
  "after a job ended its process in each attempt": async ({ boss, createQueue }) => {
    const queue = await createQueue({ retryLimit: 1, expireInSeconds: 1 });
    for (const position of [1, 2]) await boss.insert(queue, [job("a", position)]);
    for (let attempt = 0; attempt < 2; attempt += 1) await fetchNext(boss, queue);
    while ((await boss.getBlockedKeys(queue)).length === 0) await sleep(100);
    return `next: ${nameOf(await boss.fetch<Data>(queue))}; blocked keys: a`;
  },
  "one of 10 handlers of work({ transactional }) fails": async ({ boss, createQueue }) => {
    const queue = await createQueue({ retryLimit: 2, retryDelay: 0 });
    await boss.insert(
      queue,
      Array.from("abcdefghij", (key) => job(key, 1)),
    );
    const options = { transactional: true, batchSize: 10, pollingIntervalSeconds: 0.5 } as const;
    await boss.work<Data, void, typeof options>(queue, options, async (jobs) => {
      if (jobs.some(({ data }) => data.key === "c")) throw new Error("fails");
    });
    while ((await boss.getBlockedKeys(queue)).length === 0) await sleep(100);
    await boss.offWork(queue);
    return `quarantined: ${(await boss.getBlockedKeys(queue)).length} of 10`;
  },
  "effects when a stalled worker completes by id": (lab) => countEffects(lab, false),
  "effects when it completes by attempt": (lab) => countEffects(lab, true),
  "a job with the same id after its completion": async ({ boss, createQueue }) => {
    const queue = await createQueue();
    const id = crypto.randomUUID();
    await boss.insert(queue, [{ ...job("a", 1), id }]);
    await boss.complete(queue, await boss.fetch<Data>(queue));
    await boss.insert(queue, [{ ...job("a", 1), id }]);
    return `handled again: ${nameOf(await boss.fetch<Data>(queue))}`;
  },
};

/** Counts how often the job that was stored first is not handled first. */
async function countSwapped(
  { boss, createQueue }: Lab,
  store: (queue: string, jobs: readonly ReturnType<typeof job>[]) => Promise<unknown>,
): Promise<string> {
  const queue = await createQueue();
  let swapped = 0;
  for (let n = 0; n < REPETITIONS; n += 1) {
    await store(queue, [job(`key-${n}`, 1), job(`key-${n}`, 2)]);
    const [first] = await boss.fetch<Data>(queue);
    if (first?.data.position !== 1) swapped += 1;
    await boss.complete(queue, first ? [first] : []);
    await boss.complete(queue, await boss.fetch<Data>(queue));
  }
  return `wrong in ${swapped} of ${REPETITIONS}`;
}

/** Two workers handle a job, because the first one stalled until the job expired. */
async function countEffects({ boss, pool, createQueue }: Lab, isFenced: boolean): Promise<string> {
  await pool.query("CREATE TABLE IF NOT EXISTS effect (queue text)");
  const queue = await createQueue({ expireInSeconds: 1 });
  await boss.insert(queue, [job("a", 1)]);
  const attempts = [await fetchNext(boss, queue), await fetchNext(boss, queue)];
  for (const attempt of attempts) {
    await inTransaction(pool, async (client) => {
      await client.query("INSERT INTO effect VALUES ($1)", [queue]);
      const completed = await boss.complete(queue, isFenced ? attempt : attempt.id, null, {
        db: databaseOf(client),
      });
      if (isFenced && (completed as { affected: number }).affected === 0) throw new Error("lost");
    }).catch(() => undefined);
  }
  const { rows } = await pool.query("SELECT count(*) FROM effect WHERE queue = $1", [queue]);
  return String(rows[0].count);
}

async function fetchNext(boss: PgBoss, queue: string): Promise<Job<Data>> {
  for (;;) {
    const [next] = await boss.fetch<Data>(queue);
    if (next) return next;
    await sleep(50);
  }
}

async function inTransaction(pool: Pool, work: (client: PoolClient) => Promise<void>) {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    await work(client);
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK");
    throw error;
  } finally {
    client.release();
  }
}

/** pg-boss asks this function for the time. */
function clockFunction(time: string): string {
  return `CREATE OR REPLACE FUNCTION pgboss.job_now() RETURNS timestamptz
    AS $$ SELECT ${time} $$ LANGUAGE sql STABLE`;
}
