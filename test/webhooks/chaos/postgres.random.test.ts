import { setTimeout as wait } from "node:timers/promises";
import pg from "pg";
import { test } from "vitest";
import { postgresInbox } from "../../../src/webhooks/postgres/index.ts";
import { onFinished } from "../../support/on-finished.ts";
import { startPgBouncer, usesPgBouncer } from "../../support/pgbouncer.ts";
import { describePostgres, type PostgresServer } from "../../support/postgres.ts";
import { throughProxy } from "../postgres/open.ts";
import { isLong, type Random, runChaos, type SetUp } from "./chaos.ts";
import type { Fleet } from "./fleet.ts";

const TABLES = `
  CREATE TABLE effect (
    place bigserial PRIMARY KEY, resource text NOT NULL, number integer NOT NULL,
    kind text NOT NULL, missing integer NOT NULL
  );
  CREATE INDEX ON effect (resource);
  CREATE TABLE hot (id integer PRIMARY KEY, count integer NOT NULL)`;

/** The driver's own sessions, which no fault hits. */
const OWN = "chaos-driver";
const OWN_OPTIONS = { application_name: OWN, options: "-c default_transaction_read_only=off" };

const TERMINATE = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE backend_type = 'client backend' AND application_name <> '${OWN}' ORDER BY random()`;

/** A share of the connections that is one in most cases, and all in some. */
const shareOf = (random: Random) => (random() < 0.7 ? 0 : random());

async function createSetUp(server: PostgresServer, isBounced: boolean): Promise<SetUp> {
  const url = await server.createDatabase();
  const own = new pg.Pool({ connectionString: url, max: 4, ...OWN_OPTIONS });
  own.on("error", () => undefined);
  onFinished(() => own.end());
  // Swallowed connections stay open on the server.
  await own.query("ALTER SYSTEM SET max_connections = 1000");
  await server.stop("fast");
  await server.start();
  await own.query(TABLES);
  const inbox = postgresInbox({ client: own });
  await inbox.migrate();
  await inbox.close();

  const proxy = await throughProxy(isBounced ? await startPgBouncer(url) : url);

  const setReadOnly = async (isOn: boolean) => {
    const [name, value] = ["default_transaction_read_only", isOn ? "on" : "off"];
    await own.query(`ALTER SYSTEM SET ${name} = ${value}`);
    await own.query("SELECT pg_reload_conf()");
  };

  return {
    title: `Chaos on Postgres ${isBounced ? "through PgBouncer" : "without PgBouncer"}`,
    settings: (random) => ({
      database: proxy.url,
      connections: 2 + Math.floor(random() * 9),
    }),
    faults: {
      "connections cut": async (_, random) => proxy.cut(shareOf(random), random),
      "all connections cut": async () => proxy.cut(1, () => 0),
      "half-open connections": async (_, random) => proxy.swallow(shareOf(random), random),
      "all connections half-open": async (_, random) => {
        const heal = proxy.partition();
        await wait(1000 + random() * (isLong ? 12_000 : 3000));
        heal();
      },
      "bytes delayed": async (_, random) => {
        proxy.delay(50 + random() * 300);
        await wait(3000);
        proxy.delay(0);
      },
      "a backend terminated": () => own.query(`${TERMINATE} LIMIT 1`),
      "all backends terminated": async () => (await own.query(TERMINATE)).rowCount ?? 0,
      "read-only": async (_, random) => {
        await setReadOnly(true);
        await wait(10_500 + random() * 3000);
        await setReadOnly(false);
      },
      "server stopped": async (_, random) => {
        await server.stop("immediate");
        await wait(1000 + random() * (isLong ? 12_000 : 1500));
        await server.start();
      },
    },
    lastFault: {
      name: "SIGSTOP worker with locks, and half-open connections",
      begin: async (fleet) => {
        const thaw = await freezeHolder(fleet, own);
        proxy.swallow(0.2, Math.random);
        return thaw;
      },
    },
    release: () => own.query(TERMINATE),
    async counts() {
      const { rows } = await own.query(
        "SELECT resource, count(*)::integer AS count FROM effect GROUP BY resource",
      );
      return new Map(rows.map(({ resource, count }) => [resource, count]));
    },
    async effects() {
      const { rows } = await own.query("SELECT * FROM effect ORDER BY place");
      const { rows: hot } = await own.query("SELECT count FROM hot");
      return { rows, heat: hot[0]?.count ?? 0 };
    },
  };
}

/** Stops a worker while it holds the lock of the hot row; after 20 s, any worker. */
async function freezeHolder(fleet: Fleet, own: pg.Pool): Promise<() => void> {
  const isLocked = async () => {
    const locking = "SELECT FROM hot FOR UPDATE NOWAIT";
    return own.query(locking).then(
      () => false,
      ({ code }) => code === "55P03",
    );
  };
  for (const until = performance.now() + 20_000; ; ) {
    const thaw = fleet.freeze(await fleet.choose(["worker"], Math.random));
    let locked = 0;
    while (locked < 20 && (await isLocked())) {
      locked += 1;
      await wait(50);
    }
    // Handlers of live processes keep the lock for less than a second.
    if (locked === 20 || performance.now() > until) return thaw;
    thaw();
    await wait(20 + Math.random() * 50);
  }
}

const timeout = isLong ? 3_600_000 : 300_000;

describePostgres("a fleet on Postgres under faults at random", (server) => {
  test("loses, disorders and repeats nothing, and recovers", { timeout }, async () => {
    await runChaos(await createSetUp(server, false));
  });
});

describePostgres("a fleet on Postgres behind PgBouncer under faults at random", (server) => {
  test.skipIf(!usesPgBouncer)(
    "loses, disorders and repeats nothing, and recovers",
    { timeout },
    async () => {
      await runChaos(await createSetUp(server, true));
    },
  );
});
