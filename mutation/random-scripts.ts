import fc from "fast-check";
import { Refusal, type Sandbox } from "../src/sandbox/index.ts";
import { opening, type ResourceChoice, type Step, step } from "../test/sandbox/verb-scripts.ts";

/** Runs random scripts in sequence, and waits for the deliveries of each. */
export async function playScripts(
  sandbox: Sandbox,
  { count, seed }: { readonly count: number; readonly seed: number },
): Promise<void> {
  const script = fc.array(step, { minLength: 5, maxLength: 40, size: "max" });
  for (const steps of fc.sample(script, { numRuns: count, seed })) {
    for (const next of [...opening, ...steps]) await play(sandbox, next);
    await sandbox.settle();
  }
}

async function play(sandbox: Sandbox, next: Step): Promise<void> {
  try {
    if ("advance" in next) await sandbox.advance(next.advance);
    else {
      const params = await paramsOf(sandbox, next.params, next.about ?? []);
      await sandbox.trigger(next.verb, params as never);
    }
  } catch (error) {
    // The sandbox rejects inapplicable verbs without a change.
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
