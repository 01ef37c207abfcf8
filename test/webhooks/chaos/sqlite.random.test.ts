import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as wait } from "node:timers/promises";
import { test } from "vitest";
import { onFinished } from "../../support/on-finished.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { isLong, LEASE_MS, type Random, runChaos, type SetUp } from "./chaos.ts";
import type { Fleet } from "./fleet.ts";
import type { EffectRow } from "./oracle.ts";

const TABLES = `
  PRAGMA journal_mode = WAL;
  CREATE TABLE effect (
    place INTEGER PRIMARY KEY AUTOINCREMENT, resource TEXT, number INTEGER, kind TEXT,
    missing INTEGER
  ) STRICT;
  CREATE INDEX effect_resource ON effect (resource);
  CREATE TABLE hot (id INTEGER PRIMARY KEY, count INTEGER) STRICT`;

/** Longer than health() may be wrong. */
const LONG_MS = 10_500;

function createSetUp(): SetUp {
  const path = join(tempDir(), "chaos.db");
  const own = new DatabaseSync(path, { timeout: 0 });
  onFinished(() => own.close());
  own.exec(TABLES);

  /** Locks the file for writing, as another process does. Fails if it is locked. */
  const lock = (): boolean => {
    try {
      own.exec("BEGIN EXCLUSIVE");
      return true;
    } catch {
      return false;
    }
  };
  const lockFor = async (ms: number) => {
    while (!lock()) await wait(1);
    await wait(ms);
    own.exec("ROLLBACK");
  };

  /** Stops a process while it holds the lock for writing; gives up after many tries. */
  async function stopHolder(fleet: Fleet, random: Random): Promise<number> {
    for (let tries = 0; tries < 300; tries += 1) {
      await wait(random() * 20);
      const thaw = fleet.freeze(await fleet.choose(["receiver", "worker", "direct"], random));
      let isHeld = true;
      for (let checks = 0; isHeld && checks < 20; checks += 1) {
        isHeld = !lock();
        if (isHeld) await wait(20);
        else own.exec("ROLLBACK");
      }
      if (isHeld) await wait(LEASE_MS * (1.1 + random() * 0.5));
      thaw();
      if (isHeld) return 1;
    }
    return 0;
  }

  return {
    title: "Chaos on SQLite",
    settings: () => ({ database: path, connections: 0 }),
    faults: {
      "SIGSTOP of the lock's holder": stopHolder,
      "locked by another process, briefly": (_, random) => lockFor(1000 + random() * 3000),
      "locked by another process, long": (_, random) => lockFor(LONG_MS + random() * 2000),
      "disk full": async (fleet, random) => {
        const limit = (bytes: string) => {
          for (const { program } of fleet.members) {
            const args = ["--pid", String(program?.child.pid), `--fsize=${bytes}:`];
            // It fails if the process has just ended.
            spawnSync("prlimit", args, { stdio: "ignore" });
          }
        };
        // No file can be written behind this place.
        limit("4096");
        await wait(LONG_MS + random() * 2000);
        limit("unlimited");
      },
    },
    async counts() {
      const sql = "SELECT resource, count(*) AS count FROM effect GROUP BY resource";
      const rows = own.prepare(sql).all();
      return new Map(rows.map(({ resource, count }) => [String(resource), Number(count)]));
    },
    async effects() {
      const rows = own.prepare("SELECT * FROM effect ORDER BY place").all();
      const heat = Number(own.prepare("SELECT count FROM hot").get()?.["count"] ?? 0);
      return { rows: rows as unknown as EffectRow[], heat };
    },
  };
}

test(
  "a fleet on SQLite under faults at random loses, disorders and repeats nothing, and recovers",
  { timeout: isLong ? 3_600_000 : 300_000 },
  () => runChaos(createSetUp()),
);
