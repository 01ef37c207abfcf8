import type { RequirementId } from "../../../generated/requirements.ts";
import { type Check, Skip } from "../../check.ts";
import { responseBody, resultOf } from "../../observe/body-checks.ts";
import { referencedResources } from "../../observe/deliveries/referenced-resources.ts";

/** The requirements that a single resource body can verify. */
const DECIDED: readonly RequirementId[] = [
  ...(["CONV-01", "CONV-02", "CONV-03", "CONV-04", "CONV-05", "CONV-06"] as const),
  ...(["CONV-07", "CONV-08", "TXN-01", "TXN-02", "TXN-03", "TXN-04", "TXN-05"] as const),
  ...(["TXN-06", "TXN-07", "TXN-08", "TXN-09", "TXN-10", "TXN-16"] as const),
  ...(["MSG-01", "MSG-02", "MSG-04", "MSG-05", "MSG-06", "MSG-07", "MSG-08"] as const),
  ...(["MSG-10", "SUB-01", "SUB-02", "SUB-03", "BTX-02", "BTX-03"] as const),
  ...(["MAT-02", "MAT-03", "EP-10", "EP-12"] as const),
];

/**
 * Checks the resources that deliveries link to. Resources that were created during the run have not
 * been requested before.
 */
export const linkedResources: readonly Check[] = DECIDED.map((requirement) => ({
  requirement,
  title: "resources linked by deliveries satisfy the requirement",
  requires: ["deliveries", "state"],
  alternative: true,
  run: async (session) => {
    const { resources: lookups } = await referencedResources(session);
    const bodies = lookups.flatMap(({ response }) => (response ? [responseBody(response)] : []));
    const skip = new Skip("no delivery links to a resource with the field");
    return resultOf(session, requirement, bodies, skip);
  },
}));
