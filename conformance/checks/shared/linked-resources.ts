import { type Check, type Decides, decides, requirementOf, Skip } from "../../check.ts";
import { responseBody, resultOf } from "../../observe/body-checks.ts";
import { referencedResources } from "../../observe/deliveries/api-lookups.ts";
import { bySituations } from "./in-situations.ts";

/** The requirements that a single resource body can verify, with the claims that it decides. */
const DECIDED: readonly Decides[] = [
  ...(["CONV-01", "CONV-02", "CONV-03", "CONV-04", "CONV-05", "CONV-06"] as const),
  ...(["CONV-07", "CONV-08", "TXN-01", "TXN-02", "TXN-03", "TXN-04", "TXN-05"] as const),
  ...(["TXN-06", "TXN-07", "TXN-08", "TXN-09", "TXN-10", "TXN-16"] as const),
  ...(["MSG-01", "MSG-02", "MSG-04", "MSG-05", "MSG-06", "MSG-07", "MSG-08"] as const),
  ...(["MSG-10", "BTX-02", "BTX-03"] as const),
  ["SUB-01.fields", "SUB-01.enrollment-type", "SUB-01.customer-reference"],
  ["SUB-02.set-bulk", "SUB-02.null-others"],
  ["SUB-03.together", "SUB-03.bank-feed"],
  ...(["MAT-02", "MAT-03", "EP-10", "EP-12"] as const),
];

/** The situations in which a resource decides a claim. */
const TYPES = {
  "SUB-02.set-bulk": ["network-bulk"],
  "SUB-02.null-others": ["cardholder-single", "bank-feed"],
  "SUB-03.bank-feed": ["bank-feed"],
} as const;

/**
 * Checks the resources that deliveries link to. Resources that were created during the run have not
 * been requested before.
 */
export const linkedResources: readonly Check[] = DECIDED.map((what) =>
  bySituations(inLinkedResources(what), TYPES),
);

function inLinkedResources(what: Decides): Check {
  const requirement = requirementOf(what);
  return {
    ...decides(what),
    title: "resources linked by deliveries satisfy the requirement",
    requires: ["deliveries", "state"],
    run: async (session) => {
      const { resources: lookups } = await referencedResources(session);
      const bodies = lookups.flatMap(({ response }) => (response ? [responseBody(response)] : []));
      const skip = new Skip("no delivery links to a resource with the field");
      return resultOf(session, requirement, bodies, skip);
    },
  };
}
