import { PGlite } from "@electric-sql/pglite";
import { afterAll } from "vitest";
import { onPostgres } from "./postgres-store.ts";
import { testInbox } from "./suite.ts";

const client = new PGlite();
afterAll(() => client.close());

testInbox(
  "postgresInbox on PGlite",
  onPostgres(
    () => ({ client, query: (text) => client.query<Record<string, unknown>>(text) }),
    (tx, text) => tx.query(text),
  ),
  true,
);
