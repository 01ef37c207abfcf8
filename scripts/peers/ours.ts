import type { Fault } from "../../test/conformance/teeth/fault.ts";
import { tryFault } from "../../test/conformance/teeth/trial.ts";

/** What this suite holds against a sandbox that may have a fault, with all that it can have. */
export async function lookOurselves(fault: Fault | undefined): Promise<string[]> {
  const { report } = await tryFault({ fault });
  const found = report.requirements.filter(({ verdict }) => ["failed", "warned"].includes(verdict));
  return found.map(({ id, verdict }) => `${id} ${verdict}`);
}
