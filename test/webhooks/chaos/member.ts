/**
 * A process of a fleet: a receiver that stores deliveries, one that also handles stored ones
 * (`worker`), or one that handles deliveries before it acknowledges them (`direct`). It prints its
 * port. `/ready` responds with `health()`, all other requests are deliveries. Each handler writes
 * its delivery to the table `effect` in the transaction of the delivery.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import pg from "pg";
import { toNodeHandler } from "../../../src/webhooks/adapters/node.ts";
import { createReceiver, QuarantineError } from "../../../src/webhooks/index.ts";
import { postgresInbox } from "../../../src/webhooks/postgres/index.ts";
import { type SqliteTransaction, sqliteInbox } from "../../../src/webhooks/sqlite/index.ts";

export type Role = "receiver" | "worker" | "direct";

/**
 * What the handler does besides writing the effect: nothing; increase a row that all share, and
 * keep its lock for a moment; take long; sometimes fail afterwards; or ask for quarantine instead.
 */
export type Kind = "plain" | "hot" | "slow" | "failing" | "refused";

/** The argument of the program, as JSON. */
export interface MemberSettings {
  readonly role: Role;
  readonly leaseMs: number;
  /** An address of Postgres, or a file. */
  readonly database: string;
  /** The size of the pool. */
  readonly connections: number;
}

interface Effect {
  readonly resource: string;
  readonly number: number;
  readonly kind: Kind;
  readonly missing: number;
}

const INSERT = "INSERT INTO effect (resource, number, kind, missing) VALUES ";
const HEAT = `INSERT INTO hot (id, count) VALUES (1, 1)
  ON CONFLICT (id) DO UPDATE SET count = hot.count + 1`;

const settings: MemberSettings = JSON.parse(process.argv[2] ?? "");

/** Creates the receiver. `write` writes an effect. */
function create<Tx>(
  inbox: Parameters<typeof createReceiver<Tx>>[0]["inbox"] & { close(): unknown },
  write: (tx: Tx, effect: Effect) => unknown,
) {
  const { role, leaseMs } = settings;
  const receiver = createReceiver<Tx>({
    on: {
      async "transaction.updated"({ body }, { tx, attempt, missing }) {
        const { number, kind } = body.metadata as { number: number; kind: Kind };
        if (kind === "refused") throw new QuarantineError("the delivery asks for it");
        await write(tx, { resource: body.id, number, kind, missing });
        if (kind === "hot") await wait(10 + Math.random() * 30);
        if (kind === "slow") await wait(200 + Math.random() * 600);
        if (kind === "failing" && attempt === 1 && Math.random() < 0.5) throw new Error("failing");
      },
    },
    inbox,
    acknowledge: role === "direct" ? "handled" : "stored",
    work: role !== "receiver" && { leaseMs },
  });
  return { receiver, inbox };
}

const { receiver, inbox } = settings.database.startsWith("postgres:")
  ? create<pg.PoolClient>(
      postgresInbox({
        client: new pg.Pool({
          connectionString: settings.database,
          max: settings.connections,
        }),
      }),
      async (tx, { resource, number, kind, missing }) => {
        await tx.query(`${INSERT} ($1, $2, $3, $4)`, [resource, number, kind, missing]);
        if (kind === "hot") await tx.query(HEAT);
      },
    )
  : create<SqliteTransaction>(
      sqliteInbox({ path: settings.database }),
      (tx, { resource, number, kind, missing }) =>
        tx((database) => {
          database.prepare(`${INSERT} (?, ?, ?, ?)`).run(resource, number, kind, missing);
          if (kind === "hot") database.exec(HEAT);
        }),
    );

const receive = toNodeHandler(receiver);
const server = createServer(async (request, response) => {
  if (request.url !== "/ready") return receive(request, response);
  const health = await receiver.health();
  response.writeHead(health.ok ? 200 : 503).end(JSON.stringify(health));
});
server.listen(0, "127.0.0.1", () => console.log((server.address() as AddressInfo).port));

process.once("SIGTERM", async () => {
  server.close();
  await receiver.close({ graceMs: 1000 });
  await inbox.close();
  process.exit(0);
});
// The tests were killed.
process.stdin.on("close", () => process.exit(1)).resume();
