import { reasonOf } from "../../src/errors.ts";
import type { Target } from "../run/capabilities.ts";
import { LiveRun, type LiveRunOptions } from "../run/live-run.ts";
import type { Session } from "../run/session.ts";
import { Refused, Skip } from "../run/skip.ts";
import { hasVerb } from "../scenarios/act.ts";
import { type PlayedStep, playStep } from "./player.ts";
import type { Script, Step } from "./step.ts";
import { World } from "./world.ts";

/** A script that was played up to its end or its first violation. */
export interface PlayedScript {
  readonly script: Script;
  /** The outcomes of the opening's steps, if they were played, and of the script's own. */
  readonly played: readonly PlayedStep[];
  /** The step that showed a violation, the last one that was played; undefined if there is none. */
  readonly failed?: PlayedStep;
}

/** A run keeps what it receives, within limits. Before it reaches them, a new one begins. */
const MOST_ENTRIES = 7_000;

const A_DAY_MS = 86_400_000;

/** A target on which scripts are played one after the other. */
export class Stage {
  readonly #target: Target;
  readonly #options: LiveRunOptions;
  #run: LiveRun | undefined;
  #entries = 0;
  /** The state after each opening, and the name of its snapshot. */
  #openings = new Map<string, { readonly world: World; readonly name: string }>();
  #count = 0;

  constructor(target: Target, options: LiveRunOptions = {}) {
    this.#target = target;
    this.#options = options;
  }

  /** The current run's session. Opens a run if there is none, and rejects like `LiveRun.open`. */
  async session(): Promise<Session> {
    if (this.#run) return this.#run.session;
    this.#entries = 0;
    this.#openings.clear();
    this.#run = await LiveRun.open(this.#target, {
      limitMs: A_DAY_MS,
      ...this.#options,
      onEvidence: (entry) => {
        if (entry.kind === "exchange" || entry.kind === "delivery") this.#entries += 1;
        this.#options.onEvidence?.(entry);
      },
    });
    return this.#run.session;
  }

  /** Ends the run. A later call of `session` opens another. */
  async close(): Promise<void> {
    const run = this.#run;
    this.#run = undefined;
    await run?.close();
  }

  /**
   * Whether the driver can go back to an earlier state. Without `settle`, events of the state that
   * is left could still arrive, with the same ids.
   */
  async canRestore(): Promise<boolean> {
    const session = await this.session();
    return (["snapshot", "restore", "settle"] as const).every((verb) => hasVerb(session, verb));
  }

  /** Restores a snapshot. Returns a copy of the world at that time. */
  async restore(name: string, world: World): Promise<World> {
    const session = await this.session();
    await session.drive("restore", { name });
    const copy = world.copy();
    copy.seen = (await session.deliveries()).length;
    return copy;
  }

  /**
   * Plays an opening, or restores the state after it.
   *
   * @param most The number of entries after which a new run begins.
   * @returns Resolves to the state, and to the outcomes of the steps if they were played.
   */
  async open(
    opening: readonly Step[],
    most = MOST_ENTRIES,
  ): Promise<{ world: World; played: PlayedStep[] }> {
    if (this.#entries > most) await this.close();
    const session = await this.session();
    const canRestore = await this.canRestore();
    const key = JSON.stringify(opening);
    const known = this.#openings.get(key);
    if (known) {
      return { world: await this.restore(known.name, known.world), played: [] };
    }
    // The state before the first opening, without any resource of a script.
    if (canRestore && opening.length > 0) await this.open([], most);
    const world = new World(hasVerb(session, "advance"));
    world.seen = (await session.deliveries()).length;
    const played: PlayedStep[] = [];
    for (const step of opening) {
      const outcome = await playStep(session, world, step);
      played.push(outcome);
      if (outcome.violations.length > 0) return { world, played };
    }
    if (canRestore) {
      const name = await this.snapshot();
      this.#openings.set(key, { world: world.copy(), name });
    }
    return { world, played };
  }

  /** Takes a snapshot, and returns its name. */
  async snapshot(name = `explore-${this.#count++}`): Promise<string> {
    const session = await this.session();
    await session.drive("settle", undefined);
    await session.drive("snapshot", { name });
    return name;
  }

  /** Plays a script up to its first violation. */
  async play(script: Script, most = MOST_ENTRIES): Promise<PlayedScript> {
    const { world, played } = await this.open(script.opening, most);
    const failed = played.find(({ violations }) => violations.length > 0);
    if (failed) return { script, played, failed };
    const session = await this.session();
    for (const step of script.steps) {
      const outcome = await playStep(session, world, step);
      played.push(outcome);
      if (outcome.violations.length > 0) return { script, played, failed: outcome };
    }
    return { script, played };
  }
}

/** Why a run ended early; undefined for an error that is none of the run's. */
export function endOf(error: unknown): string | undefined {
  if (error instanceof Refused || !(error instanceof Skip)) return undefined;
  return error.reason || reasonOf(error);
}
