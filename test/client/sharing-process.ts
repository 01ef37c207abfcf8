// A separate process that shares its access token with others through a file. It makes one call on
// command and prints the result.
import { once } from "node:events";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as wait } from "node:timers/promises";
import { createFeedClient, type StoredToken, type TokenStore } from "../../src/client/index.ts";
import { credentials } from "./credentials.ts";

/** Keeps the token in a database. The lock is a row that only one process can insert. */
function sqliteStore(file: string): TokenStore {
  const database = new DatabaseSync(file, { timeout: 5000 });
  database.exec("CREATE TABLE IF NOT EXISTS kept (name TEXT PRIMARY KEY, value TEXT)");
  const put = database.prepare("INSERT OR REPLACE INTO kept VALUES ('token', ?)");
  const get = database.prepare("SELECT value FROM kept WHERE name = 'token'");
  const lock = database.prepare("INSERT OR IGNORE INTO kept VALUES ('lock', '')");
  const unlock = database.prepare("DELETE FROM kept WHERE name = 'lock'");
  return {
    read: async () => {
      const row = get.get();
      return row && (JSON.parse(String(row["value"])) as StoredToken);
    },
    write: async (token) => void put.run(JSON.stringify(token)),
    exclusively: async (task) => {
      while (lock.run().changes === 0) await wait(5);
      try {
        return await task();
      } finally {
        unlock.run();
      }
    },
  };
}

const [baseUrl = "", file = ""] = process.argv.slice(2);
const feed = createFeedClient({ ...credentials(baseUrl), tokenStore: sqliteStore(file) });
process.stdout.write("ready\n");
await once(process.stdin, "data");
const { response } = await feed.GET("/cards/{id}", { params: { path: { id: "card-1" } } });
process.stdout.write(`${response.status}\n`);
process.exit(0);
