import {
  type ClaimId,
  claims as catalogue,
  claimIds,
  requirements,
  type Situation,
} from "../../../generated/requirements.ts";
import { nameOf } from "../../assert.ts";
import {
  byRequirement,
  type Check,
  type ClaimBreach,
  type Found,
  type Session,
} from "../../check.ts";
import { type History, historyOf } from "../../observe/deliveries/history.ts";
import { situationsIn } from "../../observe/situations.ts";
import { Skip } from "../../skip.ts";
import type { Delivery } from "../../wire/exchange.ts";

/** Requirements that a history decides too, although the catalogue does not say so. */
const ALSO = new Set<string>(["SUB-04", "MSG-12", "TXN-12", "TXN-13", "TXN-14", "TXN-15"]);

/**
 * A check for each requirement that a history decides: the deliveries of the run go through the
 * rules of `txfeed history`, which note the cases of each claim.
 */
export const historyChecks: readonly Check[] = byRequirement(
  claimIds.filter((claim) => {
    const { requirement } = catalogue[claim];
    return ALSO.has(requirement) || requirements[requirement].how.some((how) => how === "sequence");
  }),
).map((claims) => ({
  claims,
  title: "no delivery contradicts another",
  requires: ["deliveries"],
  run: async (session) => resultOf(claims, session),
}));

async function resultOf(claims: readonly ClaimId[], session: Session): Promise<Found<ClaimBreach>> {
  const history = await historyOf(session);
  const isOwn = ({ claim }: ClaimBreach) => claims.includes(claim);
  const breaches = history.breaches.filter(isOwn);
  const decided = new Map<ClaimId, Set<Situation>>();
  const open = new Map<ClaimId, Skip>();
  let assertions = 0;
  for (const claim of claims) {
    const cases = history.cases.get(claim);
    if (cases) decided.set(claim, situationsOf(cases, history, session));
    else if (history.reading.invalid.length > 0) {
      open.set(claim, noneOfValid("no case of it occurred", history));
    }
    assertions += cases?.size ?? 0;
  }
  return {
    assertions: Math.max(assertions, decided.size, breaches.length),
    ...{ breaches, decided, open },
    notices: history.notices.filter(isOwn),
  };
}

function situationsOf(
  cases: ReadonlySet<Delivery>,
  { deliveries }: History,
  { capabilities: { networks } }: Session,
): Set<Situation> {
  return new Set([...cases].flatMap((delivery) => situationsIn(delivery, networks, deliveries)));
}

/** Why the valid deliveries have no case: an invalid one is in no comparison. */
export function noneOfValid(none: string, { reading: { invalid } }: History): Skip {
  const [first] = invalid;
  if (!first) return new Skip(none);
  return new Skip(`${none}; ${invalid.length} deliveries are invalid, such as ${nameOf(first)}`);
}
