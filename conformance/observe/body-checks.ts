import type { RequirementId } from "../../generated/requirements.ts";
import type { Finding } from "../../src/contract/finding.ts";
import {
  type Breach,
  type Check,
  type Decides,
  decides,
  type Found,
  requirementOf,
  type Session,
  Skip,
} from "../check.ts";
import type { Delivery, Exchange } from "../wire/exchange.ts";
import { feedOf } from "./crawl.ts";
import { validatedDeliveriesOf } from "./deliveries/history.ts";
import { situationsIn } from "./situations.ts";
import type { ValidatedResponse, Validation } from "./validation.ts";

/**
 * Whether a requirement applies to a body. Default: the body has a value at a place for which the
 * contract names the requirement.
 */
export type Shows = (body: unknown, checked: Validation) => boolean;

/**
 * Checks a requirement that the contract decides from a single body: no response violates it, and
 * it applies to at least one.
 */
export function inResponses(what: Decides, title: string, shows?: Shows): Check {
  const requirement = requirementOf(what);
  return {
    ...decides(what),
    title,
    requires: [],
    run: async (session) => {
      const skip = await session.skip("no response has the field");
      return resultOf(session, requirement, await responses(session), skip, shows);
    },
  };
}

/**
 * Checks a requirement that the contract decides from a single body, for deliveries.
 *
 * @param reason The reason of the skip if it applies to none.
 */
export function inDeliveries(
  what: Decides,
  title: string,
  shows?: Shows,
  reason = "no delivery has the field",
): Check {
  const requirement = requirementOf(what);
  return {
    ...decides(what),
    title,
    requires: ["deliveries"],
    run: async (session) =>
      resultOf(session, requirement, await deliveries(session), new Skip(reason), shows),
  };
}

/** A body, validated by the contract. */
interface ValidatedBody {
  readonly checked: Validation;
  readonly body: unknown;
  readonly evidence: Exchange | Delivery;
}

/**
 * The breaches of a requirement among the contract's findings.
 *
 * @param at The position of the validated value in the body, as a JSON pointer.
 */
export function breachesOf(
  findings: readonly Finding[],
  requirement: RequirementId,
  evidence: Exchange | Delivery,
  at = "",
): Breach[] {
  return findings
    .filter((finding) => finding.requirement === requirement && isBreach(finding))
    .map(({ path, expected = "", actual = "" }) => {
      return { path: `${at}${path}`, expected, actual, evidence: [evidence] };
    });
}

async function responses(session: Session): Promise<ValidatedBody[]> {
  return (await feedOf(session)).responses.map(responseBody);
}

/** The body of a validated response. */
export function responseBody(checked: ValidatedResponse): ValidatedBody {
  const { exchange } = checked;
  return { checked, body: exchange.response?.json, evidence: exchange };
}

async function deliveries(session: Session): Promise<ValidatedBody[]> {
  return (await validatedDeliveriesOf(session)).map((checked) => {
    const { delivery } = checked;
    return { checked, body: delivery.json, evidence: delivery };
  });
}

/**
 * The result of a requirement that the contract decides from a single body.
 *
 * @param skip Returned if the requirement applies to no body.
 */
export function resultOf(
  session: Session,
  requirement: RequirementId,
  subjects: readonly ValidatedBody[],
  skip: Skip,
  shows: Shows = (_body, { exercised }) => exercised.has(requirement),
): Found | Skip {
  const breaches = breachesIn(subjects, requirement);
  const cases = subjects.filter(({ body, checked }) => shows(body, checked));
  if (cases.length === 0 && breaches.length === 0) return skip;
  const { networks } = session.capabilities;
  const all = subjects.map(({ evidence }) => evidence);
  const situations = new Set(
    cases.flatMap(({ evidence }) => situationsIn(evidence, networks, all)),
  );
  const assertions = Math.max(cases.length, breaches.length);
  return { assertions, breaches, situations: [...situations] };
}

function breachesIn(subjects: readonly ValidatedBody[], requirement: RequirementId): Breach[] {
  return subjects.flatMap(({ checked, evidence }) =>
    breachesOf(checked.findings, requirement, evidence),
  );
}

/** A value outside an open set is not a violation (MSG-10, ERR-02). */
function isBreach({ level }: Finding): boolean {
  return level !== "notice";
}

/** Returns all violations of a requirement that the contract finds in any body. */
export async function bodyBreaches(
  session: Session,
  requirement: RequirementId,
): Promise<readonly Breach[]> {
  const subjects = [
    ...(await responses(session)),
    ...(session.capabilities.deliveries ? await deliveries(session) : []),
  ];
  return breachesIn(subjects, requirement);
}
