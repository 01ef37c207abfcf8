import pg from "pg";
import { expect, vi } from "vitest";
import { postgresInbox } from "../../../src/webhooks/postgres/index.ts";
import { onFinished } from "../../support/on-finished.ts";
import type { PostgresServer } from "../../support/postgres.ts";
import { startProxy } from "../../support/proxy.ts";

/** A pool that ends after the test. */
export function poolOf(connectionString: string, options: pg.PoolConfig = {}): pg.Pool {
  const pool = new pg.Pool({ connectionString, ...options });
  pool.on("error", () => undefined);
  onFinished(() => pool.end());
  return pool;
}

/** An inbox that is closed after the test. */
export function inboxOf(url: string, options: pg.PoolConfig & { maxTransactions?: number } = {}) {
  const { maxTransactions, ...more } = options;
  const client = poolOf(url, more);
  const inbox = postgresInbox({ client, ...(maxTransactions && { maxTransactions }) });
  onFinished(() => inbox.close());
  return inbox;
}

export type TestInbox = ReturnType<typeof inboxOf>;

/** An empty database with the table `effect`, and a pool for the test's own statements. */
export async function openDatabase(server: PostgresServer) {
  const url = await server.createDatabase();
  const own = poolOf(url);
  await own.query("CREATE TABLE effect (text text)");
  const effects = async (): Promise<string[]> => {
    const { rows } = await own.query<{ text: string }>("SELECT text FROM effect ORDER BY text");
    return rows.map(({ text }) => text);
  };
  return { url, own, effects };
}

/** A proxy before a database, and the address of the database through it. */
export async function throughProxy(url: string) {
  const target = new URL(url);
  const proxy = await startProxy(Number(target.port));
  onFinished(() => proxy.close());
  target.port = String(proxy.port);
  return { ...proxy, url: target.href };
}

/** Waits until a function does not throw. */
export function soon<T>(check: () => T | Promise<T>, timeout = 10_000): Promise<T> {
  return vi.waitFor(check, { timeout, interval: 50 });
}

/** Waits for a promise, and expects that it takes at most so long. */
export async function timed<T>(promise: Promise<T>, mostMs: number): Promise<T> {
  const startedAt = performance.now();
  const value = await promise;
  expect(performance.now() - startedAt).toBeLessThan(mostMs);
  return value;
}

/** Creates the role `app` with these rights. Resolves to the address of the database for it. */
export async function roleOf(own: pg.Pool, url: string, rights: string): Promise<string> {
  await own.query(`CREATE ROLE app LOGIN; ${rights}`);
  onFinished(() => own.query("DROP OWNED BY app CASCADE; DROP ROLE app"));
  return url.replace("postgres@", "app@");
}

/** Makes each commit with a new row of the table take one second longer. */
export async function delayCommits(own: pg.Pool, table = "effect"): Promise<void> {
  await own.query(`
    CREATE OR REPLACE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN PERFORM pg_sleep(1); RETURN NULL; END $$;
    CREATE CONSTRAINT TRIGGER wait AFTER INSERT ON ${table}
      DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION wait()`);
}

/** Waits until a delayed commit runs. */
export function commitRuns(own: pg.Pool): Promise<void> {
  return soon(async () => {
    const { rowCount } = await own.query(
      "SELECT FROM pg_stat_activity WHERE query LIKE '%COMMIT%' AND wait_event = 'PgSleep'",
    );
    expect(rowCount).toBe(1);
  });
}
