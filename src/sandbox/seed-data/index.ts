import { openAccount } from "../../world/accounts.ts";
import type { WorldName } from "../control/control.ts";
import type { Change, Engine } from "../engine.ts";
import { buildLarge } from "./large.ts";
import { buildSmall } from "./small.ts";

/** Builds the seed data of each world. Each world also has two accounts. */
const BUILDERS: Record<WorldName, (work: Change, accountIds: readonly string[]) => void> = {
  empty: () => undefined,
  small: buildSmall,
  large: buildLarge,
};

/** Fills an empty database with the seed data of a world. */
export function populate(engine: Engine, world: WorldName): void {
  engine.commit((work) => addSeedData(work, world));
}

/** Adds the seed data of a world within a change. */
export function addSeedData(work: Change, world: WorldName): void {
  work.store.setMeta("world", world);
  const accountIds = [openAccount(work), openAccount(work)];
  BUILDERS[world](work, accountIds);
}
