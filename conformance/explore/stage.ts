import { reasonOf, UsageError } from "../../src/errors.ts";
import type { Session } from "../check.ts";
import type { Verb } from "../driver.ts";
import type { Sample } from "../observe/deliveries/find.ts";
import { LiveRun, type LiveRunOptions } from "../run/live-run.ts";
import { Refused, Skip } from "../skip.ts";
import type { Target } from "../target.ts";
import { hasVerbs } from "../verbs/drive.ts";
import { concernedBy, type Model } from "../verbs/model.ts";
import { type PlayedStep, playStep } from "../verbs/player.ts";
import { type Name, renderStep, type Script, type Step } from "../verbs/step.ts";
import { applied, meaningOf, modelAfter, stepsIn } from "../verbs/table.ts";
import { World } from "../verbs/world.ts";
import { EXHAUSTIVE_LIMITS, EXHAUSTIVE_OPENINGS, type PlayedScript, playable } from "./scripts.ts";

/** A run keeps what it receives, within limits. Before it reaches them, a new one begins. */
const MOST_ENTRIES = 7_000;

const A_DAY_MS = 86_400_000;

/** A target on which scripts are played one after the other. */
export class Stage {
  readonly #target: Target;
  readonly #options: LiveRunOptions;
  readonly #goesBack: boolean;
  #run: LiveRun | undefined;
  #entries = 0;
  /** The state after each opening, and the name of its snapshot. */
  #openings = new Map<string, { readonly world: World; readonly name: string }>();
  #count = 0;
  /** The deliveries before the last restore, parted at each; undefined if there was none. */
  #parts: Sample | undefined;

  /** @param goesBack Whether to restore snapshots if the driver can. Otherwise resources stay. */
  constructor(target: Target, options: LiveRunOptions = {}, goesBack = true) {
    this.#target = target;
    this.#options = options;
    this.#goesBack = goesBack;
  }

  /** The current run's session. Opens a run if there is none, and rejects like `LiveRun.open`. */
  async session(): Promise<Session> {
    if (this.#run) return this.#run.session;
    this.#entries = 0;
    this.#openings.clear();
    this.#parts = undefined;
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
    return this.#goesBack && hasVerbs(await this.session(), "snapshot", "restore", "settle");
  }

  /** Restores a snapshot. Returns a copy of the world at that time. */
  async restore(name: string, world: World): Promise<World> {
    const session = await this.session();
    await session.drive("restore", { name });
    const copy = world.copy();
    copy.heard = await session.deliveries();
    const parts = this.#parts ?? [];
    this.#parts = [...parts, copy.heard.slice(parts.flat().length)];
    copy.earlier = this.#parts;
    return copy;
  }

  /**
   * Plays an opening, or restores the state after it.
   *
   * @param most The number of entries after which a new run begins.
   * @returns Resolves to the state, and to the outcomes of the steps that were played.
   */
  async open(
    opening: readonly Step[],
    most = MOST_ENTRIES,
  ): Promise<{ readonly world: World } & Omit<PlayedScript, "script">> {
    if (this.#entries > most) await this.close();
    const session = await this.session();
    const canRestore = await this.canRestore();
    const key = JSON.stringify(opening);
    const known = this.#openings.get(key);
    if (known) return { world: await this.restore(known.name, known.world), played: [] };
    // The state before the first opening, without any resource of a script.
    if (canRestore && opening.length > 0) await this.open([], most);
    const world = new World(session.capabilities);
    world.heard = await session.deliveries();
    world.earlier = this.#parts;
    const { played, failed } = await playSteps(session, world, opening);
    if (canRestore && !failed) {
      const name = await this.snapshot();
      this.#openings.set(key, { world: world.copy(), name });
    }
    return { world, played, ...(failed && { failed }) };
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
    const { world, ...opened } = await this.open(script.opening, most);
    if (opened.failed) return { script, ...opened };
    const { played, ...end } = await playSteps(await this.session(), world, script.steps);
    return { script, played: [...opened.played, ...played], ...end };
  }
}

/** Plays steps up to the first violation. */
async function playSteps(
  session: Session,
  world: World,
  steps: readonly Step[],
): Promise<Omit<PlayedScript, "script">> {
  const played: PlayedStep[] = [];
  for (const step of steps) {
    const outcome = await playStep(session, world, step);
    played.push(outcome);
    if (outcome.violations.length > 0) return { played, failed: outcome };
  }
  return { played };
}

/** Why a run ended early; undefined for an error that is none of the run's. */
export function endOf(error: unknown): string | undefined {
  if (error instanceof Refused || !(error instanceof Skip)) return undefined;
  return error.reason || reasonOf(error);
}

/** What is done with each script. */
interface Visitor {
  readonly judge: (outcome: PlayedScript) => Promise<void>;
  readonly isOver: () => boolean;
}

/** The scripts that begin with one step need a run of their own: they receive much. */
const MOST_ENTRIES_OF_STEP = 1_000;

/** The steps that each resource has been through, by name. */
type Trails = Readonly<Record<Name, readonly string[]>>;

/** A state that is extended by one more step. */
interface Node {
  readonly steps: readonly Step[];
  readonly model: Model;
  readonly trails: Trails;
}

/**
 * Plays every script of up to `depth` steps after each opening, by going back to a snapshot. Of
 * scripts that differ only in the order of steps about different resources, one is played. A step
 * that repeats another changes nothing, so it ends its script.
 *
 * @returns Resolves to the number of scripts that were not played because another equals them.
 * @throws {TxfeedError} `usage` if the driver can't go back
 */
export async function everyScript(
  stage: Stage,
  verbs: readonly Verb[],
  depth: number,
  visitor: Visitor,
): Promise<{ readonly equal: number }> {
  if (!(await stage.canRestore())) {
    throw new UsageError("--depth needs a driver with the verbs snapshot, restore and settle");
  }
  const seen = new Set<string>();
  let equal = 0;
  const visit = async (
    opening: readonly Step[],
    node: Node,
    world: World,
    snapshot: string,
    choices = stepsIn(node.model, verbs, EXHAUSTIVE_LIMITS),
  ): Promise<void> => {
    for (const step of choices) {
      if (visitor.isOver()) return;
      const next = extended(node, step);
      const key = next && keyOf(opening, next);
      if (key !== undefined && seen.has(key)) {
        equal += 1;
        continue;
      }
      if (key !== undefined) seen.add(key);
      const script: Script = { opening, steps: [...node.steps, step] };
      const session = await stage.session();
      const after = await stage.restore(snapshot, world);
      const outcome = await playStep(session, after, step);
      const isFailed = outcome.violations.length > 0;
      await visitor.judge({ script, played: [outcome], ...(isFailed && { failed: outcome }) });
      if (isFailed || !next || outcome.outcome !== "done" || script.steps.length >= depth) continue;
      const name = await stage.snapshot(`explore-depth-${script.steps.length}`);
      await visit(opening, next, after, name);
    }
  };
  for (const opening of playable(EXHAUSTIVE_OPENINGS, verbs)) {
    const root: Node = { steps: [], model: modelAfter(opening), trails: {} };
    for (const first of stepsIn(root.model, verbs, EXHAUSTIVE_LIMITS)) {
      if (visitor.isOver()) break;
      // Here a new run may begin: nothing depends on the snapshots of the last one.
      const { world, played, failed } = await stage.open(opening, MOST_ENTRIES_OF_STEP);
      if (failed) {
        await visitor.judge({ script: { opening, steps: [] }, played, failed });
        break;
      }
      await visit(opening, root, world, await stage.snapshot("explore-depth-0"), [first]);
    }
  }
  return { equal };
}

/** The state after one more step; undefined if it changes nothing. */
function extended({ steps, model, trails }: Node, step: Step): Node | undefined {
  if (meaningOf(model, step) !== "applies") return undefined;
  const label = renderStep(step);
  const concerned = Object.fromEntries(
    concernedBy(model, step).map((name) => [name, [...(trails[name] ?? []), label]]),
  );
  return {
    steps: [...steps, step],
    model: applied(model, step),
    trails: { ...trails, ...concerned },
  };
}

function keyOf(opening: readonly Step[], { trails }: Node): string {
  const sorted = Object.entries(trails).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify([opening.length, sorted]);
}
