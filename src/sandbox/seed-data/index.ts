import { openAccount } from "../accounts.ts";
import type { WorldName } from "../control/control.ts";
import type { Engine } from "../engine.ts";
import type { UnitOfWork } from "../unit-of-work.ts";
import { buildLarge } from "./large.ts";
import { buildSmall } from "./small.ts";

/** What each world begins with, besides its two accounts. */
const BUILDERS: Record<WorldName, (work: UnitOfWork, accountIds: readonly string[]) => void> = {
  empty: () => undefined,
  small: buildSmall,
  large: buildLarge,
};

/** Fills an empty database: two accounts, and what the world has. */
export function populate(engine: Engine, world: WorldName): void {
  engine.commit((work) => addSeedData(work, world));
}

/** Does so within a change. */
export function addSeedData(work: UnitOfWork, world: WorldName): void {
  work.store.setMeta("world", world);
  const accountIds = [openAccount(work), openAccount(work)];
  BUILDERS[world](work, accountIds);
}
