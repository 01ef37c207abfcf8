import type { TransactionOf } from "../../../src/webhooks/postgres/index.ts";
import { type PostgresClient, postgresInbox } from "../../../src/webhooks/postgres/index.ts";
import { onFinished } from "../../support/on-finished.ts";
import type { OpenInbox } from "./store.ts";

/** Runs one statement outside of the inbox's transactions. */
type Query = (text: string) => Promise<{ readonly rows: readonly Record<string, unknown>[] }>;

let schemas = 0;

/**
 * Opens inboxes in schemas of their own.
 *
 * @param run Runs a statement in a transaction of the client.
 */
export function onPostgres<Client extends PostgresClient>(
  connect: () => { readonly client: Client; readonly query: Query },
  run: (tx: TransactionOf<Client>, text: string) => PromiseLike<unknown>,
): OpenInbox<TransactionOf<Client>> {
  return async (options = {}) => {
    const { client, query } = connect();
    schemas += 1;
    // A name that has to be quoted.
    const name = `Inbox ${schemas} of "${process.pid}"`;
    const schema = `"${name.replaceAll('"', '""')}"`;
    const open = () => {
      const inbox = postgresInbox({ client, schema: name, ...options });
      onFinished(() => inbox.close());
      return inbox;
    };
    const inbox = open();
    await inbox.migrate();
    await query(`CREATE TABLE ${schema}.effect (
      id serial, text text NOT NULL UNIQUE DEFERRABLE INITIALLY DEFERRED
    )`);
    const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;
    const insert = async (tx: TransactionOf<Client>, text: string) => {
      await run(tx, `INSERT INTO ${schema}.effect (text) VALUES (${literal(text)})`);
    };
    return {
      inbox,
      again: open,
      advance: async (ms) => {
        const interval = `interval '${ms} milliseconds'`;
        await query(`UPDATE ${schema}.lane SET due_at = due_at - ${interval}`);
        await query(`UPDATE ${schema}.handled SET expires_at = expires_at - ${interval}`);
      },
      effects: {
        insert,
        fail: async (tx) => void (await run(tx, "SELECT 1 / 0")),
        list: async () => {
          const { rows } = await query(`SELECT text FROM ${schema}.effect ORDER BY id`);
          return rows.map((row) => String(row["text"]));
        },
      },
    };
  };
}
