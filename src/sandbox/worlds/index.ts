import { openAccount } from "../accounts.ts";
import type { WorldName } from "../control/control.ts";
import type { Engine } from "../engine.ts";
import type { Ledger } from "../ledger.ts";
import { tellLarge } from "./large.ts";
import { tellSmall } from "./small.ts";

/** What each world begins with, besides its two accounts. */
const WORLDS: Record<WorldName, (ledger: Ledger, accountIds: readonly string[]) => void> = {
  empty: () => undefined,
  small: tellSmall,
  large: tellLarge,
};

/** Fills an empty database: two accounts, and what the world has. */
export function populate(engine: Engine, world: WorldName): void {
  engine.commit((ledger) => fill(ledger, world));
}

/** Does so within a change. */
export function fill(ledger: Ledger, world: WorldName): void {
  ledger.store.setMeta("world", world);
  const accountIds = [openAccount(ledger), openAccount(ledger)];
  WORLDS[world](ledger, accountIds);
}
