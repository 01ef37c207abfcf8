import type { ClockMode } from "../clock.ts";
import { Clock } from "../clock.ts";
import type { WorldName } from "../control/control.ts";
import type { Engine } from "../engine.ts";
import { STATE_TABLES } from "../store/schema.ts";
import type { Store } from "../store/store.ts";
import { fill } from "./index.ts";

/** What a reset does away with; of meta it replaces single rows, and endpoints stay. */
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
  const owners = ownersOfEndpoints(engine.store);
  engine.replace(
    (store) => {
      for (const table of CLEARED) store.database.exec(`DELETE FROM ${table}`);
      if (params.seed !== undefined) store.setMeta("seed", String(params.seed));
      store.setMeta("drawn", "0");
      store.setMeta("clock", JSON.stringify(clockAtStart(store)));
    },
    (ledger) => {
      const { store } = ledger;
      fill(ledger, params.world ?? (store.meta("world") as WorldName));
      store.database.exec("DELETE FROM deliveries");
      for (const { id, seq } of owners) {
        store
          .sql(
            "UPDATE endpoints SET account_id = (SELECT id FROM accounts WHERE seq = ?) WHERE id = ?",
          )
          .run(seq, id);
      }
    },
  );
}

/** Another seed gives the accounts other ids: an endpoint of the second one stays the second's. */
function ownersOfEndpoints(store: Store): { id: string; seq: number }[] {
  return store
    .sql("SELECT e.id, a.seq FROM endpoints e JOIN accounts a ON a.id = e.account_id")
    .all()
    .map(({ id, seq }) => ({ id: id as string, seq: seq as number }));
}

function clockAtStart(store: Store) {
  const { mode, ms } = JSON.parse(store.meta("start") ?? "") as { mode: ClockMode; ms?: number };
  const clock = new Clock({ mode: "real", ms: 0 });
  clock.set(mode, ms);
  return clock.state;
}
