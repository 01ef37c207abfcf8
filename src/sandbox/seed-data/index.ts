import * as z from "zod";
import { openAccount } from "../../world/accounts.ts";
import type { Of } from "../../world/schema.ts";
import { secondSeed, smallSeed } from "../../world/small-seed.ts";
import { World } from "../../world/world.ts";
import type { Change, Engine } from "../engine.ts";
import { LARGE_DAYS, playLarge } from "./large.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

export const WorldName = z.enum(["empty", "small", "large"]).describe("The initial data.");
export type WorldName = Of<typeof WorldName>;

/** Builds the seed data of each world. Each world also has two accounts. */
const BUILDERS: Record<WorldName, (work: Change, accountIds: readonly string[]) => void> = {
  empty: () => undefined,
  small: (work, [first, second]) => {
    const past = { days: 12, runsJobs: true };
    inThePast(work, { ...past, accountId: first }, (world) => world.play(smallSeed, "1m"));
    inThePast(work, { ...past, accountId: second }, (world) => world.play(secondSeed, "1m"));
  },
  large: (work, [first]) => {
    // Its jobs would take too long.
    const past = { days: LARGE_DAYS, runsJobs: false };
    inThePast(work, { ...past, accountId: first }, (world) => playLarge(world, work));
  },
};

interface Past {
  readonly days: number;
  readonly accountId: string | undefined;
  /** Whether jobs run when they are due. */
  readonly runsJobs: boolean;
}

/** Builds the history of an account, from some days ago until now. */
export function inThePast(
  work: Change,
  { days, accountId, runsJobs }: Past,
  play: (world: World) => unknown,
): void {
  const nowMs = work.nowMs();
  play(new World(work, { startMs: nowMs - days * DAY_MS + MINUTE_MS, accountId, runsJobs }));
  work.turnTo(nowMs);
  // The back-dated history must not trigger jobs.
  work.deleteDueJobs();
}

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
