import pg from "pg";
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
});
