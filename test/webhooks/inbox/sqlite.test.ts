import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type SqliteTransaction, sqliteInbox } from "../../../src/webhooks/sqlite/index.ts";
import { onFinished } from "../../support/on-finished.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { testInbox } from "./suite.ts";

const directory = tempDir();

testInbox<SqliteTransaction>("sqliteInbox", (options = {}) => {
  const path = join(directory, `${randomUUID()}.db`);
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
});
