import type { RequirementId } from "../generated/requirements.ts";
import type { Finding } from "../src/contract/finding.ts";
import { type Breach, type Check, type Found, Unseen } from "./check.ts";
import { arrivalsOf } from "./deliveries/arrivals.ts";
import type { Delivery } from "./deliveries/delivery.ts";
import type { Judged } from "./feed/answer.ts";
import { feedOf } from "./feed/crawl.ts";
import type { Session } from "./session.ts";
import type { Exchange } from "./wire/exchange.ts";

/**
 * Whether a body shows a requirement; unless told otherwise, one does that has a value at a place
 * where the contract names it.
 */
export type Shows = (body: unknown, judged: Judged) => boolean;

/**
 * A check of a requirement that the contract carries out by the body alone, be it its schema or a
 * rule: no answer breaks it, and at least one shows it.
 */
export function inAnswers(requirement: RequirementId, title: string, shows?: Shows): Check {
  return {
    requirement,
    title,
    needs: [],
    isOneOfSeveral: true,
    run: async (session) => {
      const unseen = await session.unseen("no answer shows it");
      return look(requirement, await answers(session), unseen, shows);
    },
  };
}

/**
 * The same of deliveries.
 *
 * @param reason Why none shows it, where none does.
 */
export function inDeliveries(
  requirement: RequirementId,
  title: string,
  shows?: Shows,
  reason = "no delivery shows it",
): Check {
  return {
    requirement,
    title,
    needs: ["deliveries"],
    isOneOfSeveral: true,
    run: async (session) => look(requirement, await deliveries(session), new Unseen(reason), shows),
  };
}

/** Something with a body that the contract has judged. */
interface Subject {
  readonly judged: Judged;
  readonly body: unknown;
  readonly shownBy: Exchange | Delivery;
}

async function answers(session: Session): Promise<Subject[]> {
  return (await feedOf(session)).answers.map((judged) => {
    const { exchange } = judged;
    return { judged, body: exchange.response?.json, shownBy: exchange };
  });
}

async function deliveries(session: Session): Promise<Subject[]> {
  return (await arrivalsOf(session)).map((judged) => {
    const { delivery } = judged;
    return { judged, body: delivery.json, shownBy: delivery };
  });
}

function look(
  requirement: RequirementId,
  subjects: readonly Subject[],
  unseen: Unseen,
  shows: Shows = (_body, { seen }) => seen.has(requirement),
): Found | Unseen {
  const breaches = subjects.flatMap((subject) => breachesOf(subject, requirement));
  const looked = subjects.filter(({ body, judged }) => shows(body, judged)).length;
  if (looked === 0 && breaches.length === 0) return unseen;
  return { looked: Math.max(looked, breaches.length), breaches };
}

function breachesOf({ judged, shownBy }: Subject, requirement: RequirementId): Breach[] {
  return judged.findings
    .filter((finding) => finding.requirement === requirement && isBreach(finding))
    .map(({ path, expected = "", actual = "" }) => {
      return { path, expected, actual, shownBy: [shownBy] };
    });
}

/** A value outside of an open set is no breach (MSG-10, ERR-02). */
function isBreach({ level }: Finding): boolean {
  return level !== "notice";
}

/**
 * What any body says against a requirement, whether or not a check looks for it: nothing that the
 * contract finds goes untold.
 */
export async function strayBreaches(
  session: Session,
  requirement: RequirementId,
): Promise<readonly Breach[]> {
  const subjects = [
    ...(await answers(session)),
    ...(session.means.deliveries ? await deliveries(session) : []),
  ];
  return subjects.flatMap((subject) => breachesOf(subject, requirement));
}
