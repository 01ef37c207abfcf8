import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import {
  memoryInbox,
  type SqliteTransaction,
  sqliteInbox,
} from "../../../src/webhooks/sqlite/index.ts";
import { onFinished } from "../../support/on-finished.ts";
import { tempDir } from "../../support/temp-dir.ts";
import type { OpenInbox } from "./store.ts";

/** Opens an inbox in memory, with a clock that only `advance` changes. */
export const openMemory: OpenInbox<SqliteTransaction> = (options = {}) => {
  let now = 0;
  const inbox = memoryInbox({ ...options, now: () => now });
  const advance = (ms: number) => {
    now += ms;
  };
  return { inbox, again: () => inbox, advance };
};

/** Opens an inbox in a new file, with a clock that only `advance` changes. */
export const openSqlite: OpenInbox<SqliteTransaction> = (options = {}) => {
  const path = join(tempDir(), `${randomUUID()}.db`);
  let now = 0;
  const open = () => {
    const inbox = sqliteInbox({ ...options, path, now: () => now });
    onFinished(() => inbox.close());
    return inbox;
  };
  const inbox = open();
  const database = new DatabaseSync(path);
  onFinished(() => database.close());
  database.exec("CREATE TABLE effect (text TEXT NOT NULL)");
  return {
    inbox,
    again: open,
    advance: (ms) => {
      now += ms;
    },
    effects: {
      insert: (tx, text) =>
        tx((own) => {
          own.prepare("INSERT INTO effect VALUES (?)").run(text);
        }),
      fail: (tx) => tx((own) => own.exec("INSERT INTO effect VALUES (NULL)")),
      list: () =>
        database
          .prepare("SELECT text FROM effect")
          .all()
          .map(({ text }) => String(text)),
    },
  };
};
