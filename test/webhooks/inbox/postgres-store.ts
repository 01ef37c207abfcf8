import type { TransactionOf } from "../../../src/webhooks/postgres/index.ts";
import { type PostgresClient, postgresInbox } from "../../../src/webhooks/postgres/index.ts";
import { onFinished } from "../../support/on-finished.ts";
import type { OpenInbox } from "./store.ts";

/** Runs one statement outside of the inbox's transactions. */
type Query = (text: string) => Promise<{ readonly rows: readonly Record<string, unknown>[] }>;

/** A name that has to be quoted. */
const NAME = 'The "inbox"';
const SCHEMA = `"${NAME.replaceAll('"', '""')}"`;

/**
 * Opens inboxes in a schema, which is emptied before each.
 *
 * @param run Runs a statement in a transaction of the client.
 */
export function onPostgres<Client extends PostgresClient>(
  connect: () => { readonly client: Client; readonly query: Query },
  run: (tx: TransactionOf<Client>, text: string) => PromiseLike<unknown>,
): OpenInbox<TransactionOf<Client>> {
  return async (options = {}) => {
    const { client, query } = connect();
    const open = () => {
      const inbox = postgresInbox({ client, schema: NAME, ...options });
      onFinished(() => inbox.close());
      return inbox;
    };
    const inbox = open();
    await inbox.migrate();
    await query(`CREATE TABLE IF NOT EXISTS ${SCHEMA}.effect (
      text text NOT NULL UNIQUE DEFERRABLE INITIALLY DEFERRED
    )`);
    const tables = ["lane", "delivery", "handled", "effect"].map((name) => `${SCHEMA}.${name}`);
    await query(`TRUNCATE ${tables.join(", ")} RESTART IDENTITY`);
    const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;
    const insert = async (tx: TransactionOf<Client>, text: string) => {
      await run(tx, `INSERT INTO ${SCHEMA}.effect (text) VALUES (${literal(text)})`);
    };
    return {
      inbox,
      again: open,
      movesTimes: true,
      advance: async (ms) => {
        await query(`UPDATE ${SCHEMA}.lane SET due_at = due_at - ${ms}`);
        await query(`UPDATE ${SCHEMA}.handled SET expires_at = expires_at - ${ms}`);
      },
      lanes: {
        delete: () => query(`DELETE FROM ${SCHEMA}.lane`),
        count: async () => (await query(`SELECT FROM ${SCHEMA}.lane`)).rows.length,
      },
      effects: {
        insert,
        fail: async (tx) => void (await run(tx, "SELECT 1 / 0")),
        list: async () => {
          const { rows } = await query(`SELECT text FROM ${SCHEMA}.effect ORDER BY text`);
          return rows.map((row) => String(row["text"]));
        },
      },
    };
  };
}
