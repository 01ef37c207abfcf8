import { PGlite } from "@electric-sql/pglite";
import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/pglite";
import { afterAll } from "vitest";
import { onPostgres } from "./postgres-store.ts";
import { testInbox } from "./suite.ts";

const client = new PGlite();
afterAll(() => client.close());
const query = (text: string) => client.query<Record<string, unknown>>(text);

testInbox(
  "postgresInbox on PGlite",
  onPostgres(
    () => ({ client, query }),
    (tx, text) => tx.query(text),
  ),
  true,
);

testInbox(
  "postgresInbox on Drizzle and PGlite",
  onPostgres(
    () => ({ client: drizzle(client), query }),
    (tx, text) => tx.execute(sql.raw(text)),
  ),
  true,
);
