import { randomUUID } from "node:crypto";
import { join } from "node:path";
import {
  memoryInbox,
  type SqliteTransaction,
  sqliteInbox,
} from "../../../src/webhooks/sqlite/index.ts";
import { onFinished } from "../../support/on-finished.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { MINUTE, type OpenInbox, type TestOptions } from "./store.ts";

/** Opens an inbox with a clock that only `advance` changes, in a new file or in memory. */
const opener = (isFile: boolean): OpenInbox<SqliteTransaction> => {
  return async (options: TestOptions = {}) => {
    const path = isFile ? join(tempDir(), `${randomUUID()}.db`) : undefined;
    let now = 0;
    const open = () => {
      const all = { ...options, now: () => now };
      const inbox = path === undefined ? memoryInbox(all) : sqliteInbox({ ...all, path });
      onFinished(() => inbox.close());
      return inbox;
    };
    const inbox = open();
    const run: SqliteTransaction = (statements) =>
      inbox.once({ key: null, lane: null }, MINUTE, async (tx) => tx(statements));
    await run((own) => own.exec("CREATE TABLE effect (text TEXT NOT NULL)"));
    const texts = async (statement: string) => {
      const rows: unknown[] = [];
      await run((own) => rows.push(...own.prepare(statement).all()));
      return rows.map((row) => String((row as { text: string }).text));
    };
    return {
      inbox,
      again: isFile ? open : () => inbox,
      advance: (ms) => {
        now += ms;
      },
      lanes: {
        delete: () => run((own) => own.exec("DELETE FROM webhook_lane")),
        count: async () => (await texts("SELECT name AS text FROM webhook_lane")).length,
      },
      effects: {
        insert: (tx, text) =>
          tx((own) => {
            own.prepare("INSERT INTO effect VALUES (?)").run(text);
          }),
        fail: (tx) => tx((own) => own.exec("INSERT INTO effect VALUES (NULL)")),
        list: () => texts("SELECT text FROM effect ORDER BY text"),
      },
    };
  };
};

export const openMemory = opener(false);
export const openSqlite = opener(true);
