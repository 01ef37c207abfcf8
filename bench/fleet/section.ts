import { fork } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { Pool } from "pg";
import { type PostgresServer, startPostgres } from "../../test/support/postgres.ts";
import { ask, runInChild } from "../child.ts";
import { median } from "../measure.ts";
import { CREATE_EFFECTS, verifyEffects } from "../queues/workload.ts";
import type { Block } from "../receiver/client.ts";
import { atLeast, atMost, type SectionReport } from "../report.ts";
import type { Section } from "../section.ts";
import type { SenderJob } from "./sender.ts";

const LEAST_A_SECOND = 2000;
const RECEIPT_LIMIT_MS = 50;

/** Deliveries that warm up code; they are not counted. */
const WARM_UP = 1000;
const TRANSACTIONS = 500;
const IN_FLIGHT = 64;

const SLOW_HANDLER_MS = 1000;
const SLOW_A_SECOND = 200;

interface Throughput {
  readonly receivedASecond: number;
  /** Received and handled: until the effect of the last one is committed. */
  readonly handledASecond: number;
  /** Effects that are missing, repeated or out of order. */
  readonly wrong: number;
}

/** The receiver with the inbox on Postgres: HTTP server, worker and database on one machine. */
export const fleet: Section = async ({ processes, isQuick }) => {
  const server = await startPostgres();
  try {
    const throughputs: Throughput[] = [];
    const receipts: number[][] = [];
    for (let turn = 0; turn < processes; turn += 1) {
      throughputs.push(await measureThroughput(server, isQuick ? 500 : 10_000));
      receipts.push(await measureReceipts(server, isQuick ? 100 : 2000));
    }
    return reportOf(throughputs, receipts);
  } finally {
    await server.remove();
  }
};

/** Starts a receiver, runs `use` and ends it. */
async function withReceiver<Result>(
  server: PostgresServer,
  handlerMs: number,
  use: (port: number, pool: Pool) => Promise<Result>,
): Promise<Result> {
  const connectionString = await server.createDatabase();
  const pool = new Pool({ connectionString, max: 1 });
  await pool.query(CREATE_EFFECTS);
  const receiver = fork(new URL("server.ts", import.meta.url), [
    connectionString,
    String(handlerMs),
  ]);
  try {
    return await use(await ask<number>(receiver), pool);
  } finally {
    receiver.kill();
    await pool.end();
  }
}

function measureThroughput(server: PostgresServer, deliveries: number): Promise<Throughput> {
  return withReceiver(server, 0, async (port, pool) => {
    const client = fork(new URL("../receiver/client.ts", import.meta.url));
    const block = { port, signature: "standard-webhooks", connections: IN_FLIGHT } as const;
    const sendBlock = (count: number) =>
      ask<number>(client, {
        ...block,
        deliveries: count,
        transactions: TRANSACTIONS,
      } satisfies Block);
    try {
      await sendBlock(WARM_UP);
      await handled(pool, WARM_UP);
      const sending = performance.now();
      const receivedMs = await sendBlock(deliveries);
      const preparedMs = performance.now() - sending - receivedMs;
      await handled(pool, WARM_UP + deliveries);
      const handledMs = performance.now() - sending - preparedMs;
      const { outOfOrder, missing, twice } = await verifyEffects(pool, WARM_UP + deliveries);
      return {
        receivedASecond: (deliveries / receivedMs) * 1000,
        handledASecond: (deliveries / handledMs) * 1000,
        wrong: outOfOrder + missing + twice,
      };
    } finally {
      client.kill();
    }
  });
}

/** Waits until at least `count` effects are committed. */
async function handled(pool: Pool, count: number): Promise<void> {
  for (;;) {
    const { rows } = await pool.query("SELECT count(*)::integer AS count FROM effect");
    if (rows[0].count >= count) return;
    // Counting more often would slow the database.
    await sleep(100);
  }
}

/** Measures the responses to deliveries, in milliseconds, while handlers are slow. */
function measureReceipts(server: PostgresServer, deliveries: number): Promise<number[]> {
  return withReceiver(server, SLOW_HANDLER_MS, async (port) => {
    const job: SenderJob = {
      port,
      deliveries: WARM_UP + deliveries,
      deliveriesASecond: SLOW_A_SECOND,
    };
    const durations = await runInChild<number[]>(new URL("sender.ts", import.meta.url), job);
    return durations.slice(WARM_UP);
  });
}

function reportOf(
  throughputs: readonly Throughput[],
  receipts: readonly (readonly number[])[],
): SectionReport {
  const received = median(throughputs.map(({ receivedASecond }) => receivedASecond));
  const rate = median(throughputs.map(({ handledASecond }) => handledASecond));
  const wrong = Math.max(...throughputs.map((one) => one.wrong));
  const percentile = (share: number) =>
    median(
      receipts.map((one) => {
        const sorted = one.toSorted((a, b) => a - b);
        return sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN;
      }),
    );
  const rateText = (value: number) => value.toFixed(0);
  const msText = (value: number) => `${value.toFixed(1)} ms`;
  return {
    tables: [
      {
        title: `A receiver with the inbox on Postgres, fsync on (${IN_FLIGHT} in flight)`,
        columns: ["received/s", "received and handled/s", "effects wrong"],
        rows: [
          [
            `deliveries of ${TRANSACTIONS} transactions`,
            rateText(received),
            rateText(rate),
            String(wrong),
          ],
        ],
      },
      {
        title: `Receipt while handlers take ${SLOW_HANDLER_MS} ms, ${SLOW_A_SECOND} deliveries/s`,
        columns: ["p50", "p99", "worst"],
        rows: [
          ["time to the response", ...[0.5, 0.99, 1].map((share) => msText(percentile(share)))],
        ],
      },
    ],
    targets: [
      atLeast("deliveries/s, received and handled", LEAST_A_SECOND, rate, rateText),
      atMost("receipt p99 while handlers take 1 s", RECEIPT_LIMIT_MS, percentile(0.99), msText),
    ],
  };
}
