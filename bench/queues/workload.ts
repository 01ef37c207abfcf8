import { setTimeout as sleep } from "node:timers/promises";
import type { Pool } from "pg";
import { measuredPayloads } from "../payloads.ts";
import { template } from "../template.ts";

const EVENT = "transaction.updated";
const LANES = 500;
export const CONNECTIONS = 16;

/** Deliveries that are received at the same time, each of a different lane. */
const IN_FLIGHT = 64;

/** A delivery of the workload: the nth of all has the number n. */
export interface Job {
  readonly lane: string;
  /** The position in the lane. */
  readonly position: number;
  /** A body of about 2.5 kB, as text. */
  readonly body: string;
}

/** A queue that is compared. */
export interface Queue {
  /** Resolves when the delivery is durable. */
  add(job: Job): Promise<unknown>;
  /**
   * Takes due deliveries and handles them in one transaction, each in a savepoint of its own, so
   * that a failing handler would undo only its own statements.
   *
   * @returns how many; 0 if none was due.
   */
  handle(): Promise<number>;
  close(): Promise<void>;
}

/** The results of one run. */
export interface Outcome {
  readonly receivedASecond: number;
  readonly handledASecond: number;
  /** Effects of an earlier delivery that follow one of a later delivery of the lane. */
  readonly outOfOrder: number;
  readonly missing: number;
  readonly twice: number;
}

const bodyText = template(JSON.stringify(measuredPayloads[EVENT].body));

export function createJob(n: number): Job {
  return { lane: `lane-${n % LANES}`, position: Math.floor(n / LANES), body: bodyText(n) };
}

export const CREATE_EFFECTS =
  "CREATE TABLE effect (id bigserial PRIMARY KEY, lane text NOT NULL, position integer NOT NULL)";

/** The effect of handling a delivery: one row. */
export const INSERT_EFFECT = "INSERT INTO effect (lane, position) VALUES ($1, $2)";

async function inParallel(count: number, run: () => Promise<void>): Promise<void> {
  await Promise.all(Array.from({ length: count }, run));
}

/** Receives all deliveries, then handles them. The deliveries of a lane are sent one by one. */
export async function measure(
  queue: Queue,
  pool: Pool,
  deliveries: number,
  workers: number,
): Promise<Outcome> {
  const acknowledged = new Map<string, Promise<unknown>>();
  let next = 0;
  const receiving = performance.now();
  await inParallel(IN_FLIGHT, async () => {
    while (next < deliveries) {
      const job = createJob(next++);
      const added = Promise.resolve(acknowledged.get(job.lane)).then(() => queue.add(job));
      acknowledged.set(job.lane, added);
      await added;
    }
  });
  const receivedASecond = (deliveries / (performance.now() - receiving)) * 1000;

  // As autovacuum does within a minute: without statistics, pg-boss fetches by a slow plan.
  await pool.query("VACUUM ANALYZE");

  let handled = 0;
  const handling = performance.now();
  await inParallel(workers, async () => {
    while (handled < deliveries) {
      const count = await queue.handle();
      handled += count;
      if (count === 0) await sleep(2);
    }
  });
  const handledASecond = (deliveries / (performance.now() - handling)) * 1000;
  return { receivedASecond, handledASecond, ...(await verifyEffects(pool, deliveries)) };
}

/** Compares the effects with the deliveries. */
export async function verifyEffects(pool: Pool, deliveries: number) {
  const { rows } = await pool.query(`
    SELECT count(*)::integer AS effects, count(DISTINCT (lane, position))::integer AS handled,
      count(*) FILTER (WHERE position < highest)::integer AS "outOfOrder"
    FROM (
      SELECT lane, position, max(position) OVER (
        PARTITION BY lane ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
      ) AS highest
      FROM effect
    ) AS effects`);
  const { effects, handled, outOfOrder } = rows[0];
  return { outOfOrder, missing: deliveries - handled, twice: effects - handled };
}
