import type { RequirementId } from "../../generated/requirements.ts";
import { type Condition, RULES } from "./consequence-rules.ts";
import { type FailureSignature, isState } from "./failure-signature.ts";

/** The findings of a cause, and the requirement that leads it. */
interface Explained {
  readonly lead: RequirementId;
  readonly symptoms: readonly FailureSignature[];
}

/** Returns why one cause follows from another; undefined if no rule says so. */
export function whyConsequence(cause: Explained, other: Explained): string | undefined {
  const index = firstRule(cause, other);
  const reverse = firstRule(other, cause);
  // Of two causes that explain each other, the earlier rule decides.
  if (index < 0 || (reverse >= 0 && reverse < index)) return undefined;
  return RULES[index]?.because;
}

function firstRule(cause: Explained, other: Explained): number {
  if (cause.lead === other.lead) return -1;
  return RULES.findIndex(
    ({ causes, consequences, when, missing }) =>
      causes.includes(cause.lead) &&
      consequences.includes(other.lead) &&
      holds(when, cause.symptoms, other.symptoms) &&
      (missing === undefined ||
        cause.symptoms.some(({ missingEvent }) => missingEvent === missing)),
  );
}

function holds(
  when: Condition | undefined,
  cause: readonly FailureSignature[],
  other: readonly FailureSignature[],
): boolean {
  if (when === "refused") return other.some(({ refusal }) => refusal !== undefined);
  if (when === "unauthorized") return other.some((one) => one.refusal && one.status === 401);
  if (when === "same-status") {
    const seen = new Set(cause.map(({ subject, status }) => `${subject} ${status}`));
    return other.every(({ subject, status }) => seen.has(`${subject} ${status}`));
  }
  if (when === "deliveries") {
    const families = new Set(cause.map(({ family }) => family));
    return other.some(
      ({ missingEvent, family }) => missingEvent !== undefined || families.has(family),
    );
  }
  const isMissing = ({ missingEvent }: FailureSignature) => missingEvent !== undefined;
  if (when === "event-missing") return cause.some(isMissing) && !other.some(isMissing);
  if (when === "event-misses") {
    const isDelivered = cause.some(({ subject }) => !subject.includes("/"));
    return isDelivered && other.some(isMissing) && !cause.some(isMissing);
  }
  if (when === "more") return cause.length > other.length;
  if (when === "far-more") return cause.length >= 3 * other.length;
  if (when === "not-hal") {
    return ["/_links", "/_embedded"].every((path) => cause.some((one) => one.path === path));
  }
  if (when === "same-event") {
    const events = new Set(cause.map(({ subject }) => subject).filter((one) => !one.includes("/")));
    return other.every(({ subject }) => events.has(subject));
  }
  if (when === "state") return cause.some(isState);
  return true;
}
