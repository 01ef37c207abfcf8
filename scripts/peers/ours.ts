import type { Mutation } from "../../mutation/mutation.ts";
import { runTrial } from "../../mutation/trial.ts";

/** What this suite holds against a sandbox that may have a fault, with all that it can have. */
export async function lookOurselves(fault: Mutation | undefined): Promise<string[]> {
  const { report } = await runTrial({ mutation: fault });
  const found = report.requirements.filter(({ verdict }) => ["failed", "warned"].includes(verdict));
  return found.map(({ id, verdict }) => `${id} ${verdict}`);
}
