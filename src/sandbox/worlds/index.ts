import { openAccount } from "../accounts.ts";
import type { WorldName } from "../control/control.ts";
import type { Engine } from "../engine.ts";
import type { UnitOfWork } from "../unit-of-work.ts";
import { tellLarge } from "./large.ts";
import { tellSmall } from "./small.ts";

/** What each world begins with, besides its two accounts. */
const WORLDS: Record<WorldName, (work: UnitOfWork, accountIds: readonly string[]) => void> = {
  empty: () => undefined,
  small: tellSmall,
  large: tellLarge,
};

/** Fills an empty database: two accounts, and what the world has. */
export function populate(engine: Engine, world: WorldName): void {
  engine.commit((work) => fill(work, world));
}

/** Does so within a change. */
export function fill(work: UnitOfWork, world: WorldName): void {
  work.store.setMeta("world", world);
  const accountIds = [openAccount(work), openAccount(work)];
  WORLDS[world](work, accountIds);
}
