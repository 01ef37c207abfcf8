import fc from "fast-check";
import { Refusal, type Sandbox } from "../src/sandbox/index.ts";
import { opening, type ResourceChoice, type Step, step } from "../test/sandbox/verb-scripts.ts";

/** Draws random scripts of verbs. */
export function randomScripts(count: number, seed: number): readonly (readonly Step[])[] {
  const script = fc.array(step, { minLength: 5, maxLength: 40, size: "max" });
  return fc.sample(script, { numRuns: count, seed }).map((steps) => [...opening, ...steps]);
}

/** Runs random scripts in sequence, and waits for the deliveries of each. */
export async function playScripts(
  sandbox: Sandbox,
  { count, seed }: { readonly count: number; readonly seed: number },
): Promise<void> {
  for (const steps of randomScripts(count, seed)) {
    for (const next of steps) await play(sandbox, next);
    await sandbox.settle();
  }
}

/** Plays a step. The sandbox rejects an inapplicable verb without a change. */
export async function play(sandbox: Sandbox, next: Step): Promise<void> {
  try {
    if ("advance" in next) await sandbox.advance(next.advance);
    else {
      const params = await paramsOf(sandbox, next.params, next.about ?? []);
      await sandbox.trigger(next.verb, params as never);
    }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
}

/** Parameters with ids of the run's account. */
async function paramsOf(
  sandbox: Sandbox,
  given: object,
  about: readonly ResourceChoice[],
): Promise<object> {
  const [{ accountId }] = sandbox.accounts;
  const named: [string, string][] = [];
  for (const [param, kind, place] of about) {
    const id = (await sandbox.resources(kind, { accountId, limit: place + 1 })).at(-1)?.id;
    if (id !== undefined) named.push([param, id]);
  }
  return { ...given, ...Object.fromEntries(named) };
}
