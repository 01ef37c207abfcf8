import pg from "pg";
import { afterAll, beforeAll } from "vitest";
import { describePostgres } from "../../support/postgres.ts";
import { onPostgres } from "./postgres-store.ts";
import { testInbox } from "./suite.ts";

describePostgres("postgresInbox", (server) => {
  let client: pg.Pool;
  beforeAll(async () => {
    client = new pg.Pool({ connectionString: await server.createDatabase(), max: 30 });
  });
  afterAll(() => client?.end());

  testInbox(
    "on pg",
    onPostgres(
      () => ({ client, query: (text) => client.query(text) }),
      (tx, text) => tx.query(text),
    ),
  );
});
