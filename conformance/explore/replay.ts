import { UsageError } from "../../src/errors.ts";
import type { Target } from "../run/capabilities.ts";
import type { LiveRunOptions } from "../run/live-run.ts";
import { type ExploreFinding, findingOf } from "./finding.ts";
import { endOf, type PlayedScript, Stage } from "./stage.ts";
import type { Script } from "./step.ts";

/**
 * Plays a script of an exploration, with new resources.
 *
 * @returns Resolves to what the first failing step breaks; empty if the script holds.
 * @throws {TxfeedError} `unreachable`, `port-in-use` or `usage` like `runConformance`; `usage` also
 * if the target refused a step, so that nothing is decided
 */
export async function replayScript(
  target: Target,
  script: Script,
  options: Pick<LiveRunOptions, "patienceMs" | "signal"> = {},
): Promise<ExploreFinding[]> {
  const stage = new Stage(target, options);
  let outcome: PlayedScript;
  try {
    outcome = await stage.play(script);
  } catch (error) {
    const reason = endOf(error);
    if (reason === undefined) throw error;
    throw new UsageError(`the script could not be played: ${reason}`, { cause: error });
  } finally {
    await stage.close();
  }
  const { violations = [] } = outcome.failed ?? {};
  return violations.map(({ requirement }) => findingOf(target, outcome, requirement));
}
