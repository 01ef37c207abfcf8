import { UsageError } from "../../src/errors.ts";
import type { Verb } from "../driver.ts";
import { EXHAUSTIVE_LIMITS, stepsIn } from "./alphabet.ts";
import { meaningOf } from "./meaning.ts";
import { applied, concernedBy, type Model } from "./model.ts";
import { EXHAUSTIVE_OPENINGS, playable } from "./openings.ts";
import { playStep } from "./player.ts";
import { modelAfter } from "./random-scripts.ts";
import type { PlayedScript, Stage } from "./stage.ts";
import { type Name, renderStep, type Script, type Step } from "./step.ts";
import type { World } from "./world.ts";

/** What is done with each script. */
interface Visitor {
  readonly judge: (outcome: PlayedScript) => Promise<void>;
  readonly isOver: () => boolean;
}

/** The scripts that begin with one step need a run of their own: they receive much. */
const MOST_ENTRIES = 1_000;

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
      const { world, played } = await stage.open(opening, MOST_ENTRIES);
      const failed = played.find(({ violations }) => violations.length > 0);
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
