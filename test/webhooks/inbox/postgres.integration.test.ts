import { sql } from "drizzle-orm";
import { drizzle as drizzlePg } from "drizzle-orm/node-postgres";
import { drizzle as drizzlePostgresJs } from "drizzle-orm/postgres-js";
import { CamelCasePlugin, CompiledQuery, Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import postgres from "postgres";
import { afterAll, beforeAll } from "vitest";
import type { PostgresClient, TransactionOf } from "../../../src/webhooks/postgres/index.ts";
import { describePostgres } from "../../support/postgres.ts";
import { onPostgres } from "./postgres-store.ts";
import { testInbox } from "./suite.ts";

describePostgres("postgresInbox", (server) => {
  /** The common suite with one pool. */
  function testClient<Client extends PostgresClient>(
    name: string,
    connect: (url: string) => { readonly client: Client; end(): Promise<void> },
    run: (tx: TransactionOf<Client>, text: string) => PromiseLike<unknown>,
  ) {
    let pool: pg.Pool;
    let connected: ReturnType<typeof connect>;
    beforeAll(async () => {
      const url = await server.createDatabase();
      pool = new pg.Pool({ connectionString: url, max: 2 });
      connected = connect(url);
    });
    afterAll(async () => {
      await connected?.end();
      await pool?.end();
    });
    const query = (text: string) => pool.query(text);
    testInbox(
      `on ${name}`,
      onPostgres(() => ({ client: connected.client, query }), run),
    );
  }

  testClient(
    "pg",
    (connectionString) => {
      const client = new pg.Pool({ connectionString });
      return { client, end: () => client.end() };
    },
    (tx, text) => tx.query(text),
  );

  testClient(
    "postgres",
    (url) => {
      const client = postgres(url, { onnotice: () => undefined });
      return { client, end: () => client.end() };
    },
    (tx, text) => tx.unsafe(text),
  );

  testClient(
    "Kysely",
    (connectionString) => {
      const dialect = new PostgresDialect({ pool: new pg.Pool({ connectionString }) });
      const client = new Kysely<unknown>({ dialect, plugins: [new CamelCasePlugin()] });
      return { client, end: () => client.destroy() };
    },
    (tx, text) => tx.executeQuery(CompiledQuery.raw(text)),
  );

  testClient(
    "Drizzle and pg",
    (connectionString) => {
      const pool = new pg.Pool({ connectionString });
      return { client: drizzlePg(pool), end: () => pool.end() };
    },
    (tx, text) => tx.execute(sql.raw(text)),
  );

  testClient(
    "Drizzle and postgres",
    (url) => {
      const client = postgres(url, { onnotice: () => undefined });
      return { client: drizzlePostgresJs(client), end: () => client.end() };
    },
    (tx, text) => tx.execute(sql.raw(text)),
  );
});
