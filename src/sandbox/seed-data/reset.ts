import { Clock, type ClockMode, type ClockState } from "../clock.ts";
import type { WorldName } from "../control/control.ts";
import type { Engine } from "../engine.ts";
import { STATE_TABLES } from "../store/schema.ts";
import type { Store } from "../store/store.ts";
import { addSeedData } from "./index.ts";

/** What a reset does away with; of meta it replaces single rows, and endpoints come back. */
const CLEARED = STATE_TABLES.filter((table) => table !== "meta" && table !== "endpoints");

/**
 * Begins anew, in one change: with a world (the one that it began with unless set) and a seed (the
 * present one). The same seed gives the same accounts, ids and events again. The clock goes as it
 * did at the start, a frozen one from the same moment. Endpoints stay, and are not told of what the
 * world begins with, as at the start; so do the keys that tokens and cursors are signed with.
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

/** Another seed gives the accounts other ids: an endpoint of the second one stays the second's. */
const PUT_ENDPOINTS_BACK = `
  UPDATE kept_endpoints SET account_id = (
    SELECT a.id FROM accounts a JOIN former_accounts f ON f.seq = a.seq
    WHERE f.id = kept_endpoints.account_id
  );
  INSERT INTO endpoints SELECT * FROM kept_endpoints;
  DROP TABLE kept_endpoints;
  DROP TABLE former_accounts;
`;

function clockAtStart(store: Store): ClockState {
  const { mode, ms } = JSON.parse(store.meta("start") ?? "") as { mode: ClockMode; ms?: number };
  const clock = new Clock({ mode: "real", ms: 0 });
  clock.set(mode, ms);
  return clock.state;
}
