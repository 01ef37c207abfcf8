import { Pool } from "pg";
import { type PostgresServer, startPostgres } from "../../test/support/postgres.ts";
import { median, rotate } from "../measure.ts";
import { atLeast, ratioText, type SectionReport, type Table } from "../report.ts";
import type { Section } from "../section.ts";
import { tryGuarantees } from "./guarantees.ts";
import { openOwnLanes } from "./own-lanes.ts";
import { openPgBoss } from "./pg-boss.ts";
import { CONNECTIONS, CREATE_EFFECTS, measure, type Outcome, type Queue } from "./workload.ts";

/** pg-boss is the first choice unless it has less than this share of the throughput. */
const LEAST_SHARE = 1 / 3;

interface Candidate {
  readonly title: string;
  readonly isOwn: boolean;
  readonly workers: number;
  open(pool: Pool): Promise<Queue>;
}

function pgBoss(groupsReceipts: boolean, batchSize: number, workers: number): Candidate {
  const receipts = groupsReceipts ? "receipts grouped" : "one send each";
  return {
    title: `pg-boss key_strict_fifo, ${receipts}, ${workers} × batches of ${batchSize}`,
    isOwn: false,
    workers,
    open: (pool) => openPgBoss(pool, { groupsReceipts, batchSize }),
  };
}

function ownLanes(lanesAtOnce: number, workers: number): Candidate {
  return {
    title: `own lanes, ${workers} × ${lanesAtOnce} lanes at once`,
    isOwn: true,
    workers,
    open: (pool) => openOwnLanes(pool, lanesAtOnce),
  };
}

const CANDIDATES: readonly Candidate[] = [
  pgBoss(false, 100, 2),
  pgBoss(true, 10, 4),
  pgBoss(true, 100, 2),
  pgBoss(true, 100, 4),
  pgBoss(true, 250, 2),
  ownLanes(10, 4),
  ownLanes(20, 2),
  ownLanes(50, 2),
];

/** pg-boss beside the project's own inbox on one Postgres server, and what pg-boss guarantees. */
export const queues: Section = async ({ processes, isQuick }) => {
  const server = await startPostgres();
  try {
    const outcomes = CANDIDATES.map((): Measured[] => []);
    const deliveries = isQuick ? 1000 : 5000;
    for (let round = 0; round < processes; round += 1) {
      for (const [index, candidate] of rotate([...CANDIDATES.entries()], round)) {
        outcomes[index]?.push(await run(server, candidate, deliveries));
      }
    }
    const report = reportOf(outcomes, deliveries);
    const guarantees = await tryGuarantees(await server.createDatabase());
    return { ...report, tables: [...report.tables, guarantees] };
  } finally {
    await server.remove();
  }
};

interface Measured extends Outcome {
  /** What the queue keeps of a handled delivery to recognize duplicates, in bytes. */
  readonly bytesEach: number;
}

async function run(
  server: PostgresServer,
  candidate: Candidate,
  deliveries: number,
): Promise<Measured> {
  const connectionString = await server.createDatabase();
  const pool = new Pool({ connectionString, max: CONNECTIONS });
  try {
    await pool.query(CREATE_EFFECTS);
    const queue = await candidate.open(pool);
    try {
      const before = await sizeOf(pool);
      const outcome = await measure(queue, pool, deliveries, candidate.workers);
      await pool.query("TRUNCATE effect");
      return { ...outcome, bytesEach: ((await sizeOf(pool)) - before) / deliveries };
    } finally {
      await queue.close();
    }
  } finally {
    await pool.end();
  }
}

async function sizeOf(pool: Pool): Promise<number> {
  await pool.query("VACUUM FULL");
  const { rows } = await pool.query("SELECT pg_database_size(current_database()) AS size");
  return Number(rows[0].size);
}

function reportOf(outcomes: readonly (readonly Measured[])[], deliveries: number): SectionReport {
  const middle = (own: readonly Measured[], of: (one: Measured) => number) => median(own.map(of));
  const worst = (own: readonly Measured[], of: (one: Measured) => number) =>
    String(Math.max(...own.map(of)));
  const table: Table = {
    title: `Queues on Postgres: ${deliveries} deliveries, ${CONNECTIONS} connections, fsync on`,
    columns: ["received/s", "handled/s", "out of order", "missing", "twice", "bytes kept"],
    rows: CANDIDATES.map(({ title }, index) => {
      const own = outcomes[index] ?? [];
      return [
        title,
        middle(own, ({ receivedASecond }) => receivedASecond).toFixed(0),
        middle(own, ({ handledASecond }) => handledASecond).toFixed(0),
        worst(own, ({ outOfOrder }) => outOfOrder),
        worst(own, ({ missing }) => missing),
        worst(own, ({ twice }) => twice),
        middle(own, ({ bytesEach }) => bytesEach).toFixed(0),
      ];
    }),
    notes: [
      "Each handler writes a row in a savepoint; a batch and its completion share a commit.",
      "Bytes kept: the database's growth for a handled delivery, which is remembered for 7 days.",
    ],
  };
  const best = (isOwn: boolean) =>
    Math.max(
      ...CANDIDATES.flatMap((candidate, index) => {
        const own = candidate.isOwn === isOwn ? outcomes[index] : undefined;
        return own ? [middle(own, ({ handledASecond }) => handledASecond)] : [];
      }),
    );
  const share = best(true) / best(false);
  const what = "handled by own lanes, relative to the best pg-boss";
  return { tables: [table], targets: [atLeast(what, LEAST_SHARE, share, ratioText)] };
}
