import { Clock, type ClockMode, type ClockState } from "../clock.ts";
import type { Engine } from "../engine.ts";
import { STATE_TABLES } from "../store/schema.ts";
import type { SqliteStore } from "../store/store.ts";
import { addSeedData, type WorldName } from "./index.ts";

/** The tables that a reset empties. It replaces rows of `meta`, and keeps endpoints. */
const CLEARED = STATE_TABLES.filter((table) => table !== "meta" && table !== "endpoints");

/**
 * Resets the sandbox to a world and a seed, in one change. Default: the current ones. The same seed
 * gives the same accounts, ids and events. The clock restarts as at the start. Webhook endpoints
 * and signing keys stay. Endpoints do not receive the events of the seed data.
 */
export function resetTo(
  engine: Engine,
  params: { readonly world?: WorldName | undefined; readonly seed?: number | undefined },
): void {
  engine.replace(
    (store) => {
      store.database.exec(PUT_ENDPOINTS_ASIDE);
      for (const table of CLEARED) store.database.exec(`DELETE FROM ${table}`);
      if (params.seed !== undefined) store.setMeta("seed", String(params.seed));
      store.setMeta("drawn", "0");
      store.setMeta("clock", JSON.stringify(clockAtStart(store)));
    },
    (work) => {
      const { store } = work;
      addSeedData(work, params.world ?? (store.meta("world") as WorldName));
      store.database.exec(PUT_ENDPOINTS_BACK);
    },
  );
}

const PUT_ENDPOINTS_ASIDE = `
  CREATE TEMP TABLE kept_endpoints AS SELECT * FROM endpoints;
  CREATE TEMP TABLE former_accounts AS SELECT * FROM accounts;
  DELETE FROM endpoints;
`;

/** A new seed changes the ids of the accounts, so each endpoint moves to its account's new id. */
const PUT_ENDPOINTS_BACK = `
  UPDATE kept_endpoints SET account_id = (
    SELECT a.id FROM accounts a JOIN former_accounts f ON f.seq = a.seq
    WHERE f.id = kept_endpoints.account_id
  );
  INSERT INTO endpoints SELECT * FROM kept_endpoints;
  DROP TABLE kept_endpoints;
  DROP TABLE former_accounts;
`;

function clockAtStart(store: SqliteStore): ClockState {
  const { mode, ms } = JSON.parse(store.meta("start") ?? "") as { mode: ClockMode; ms?: number };
  const clock = new Clock({ mode: "real", ms: 0 });
  clock.set(mode, ms);
  return clock.state;
}
