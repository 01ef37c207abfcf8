import { type RequirementId, requirementIds } from "../../generated/requirements.ts";
import type { EventName } from "../../src/contract/index.ts";
import { type FailureSignature, isState } from "./failure-signature.ts";

type Symptoms = readonly FailureSignature[];

/** Whether the findings of one cause follow from those of another. */
export type Condition = (cause: Symptoms, other: Symptoms) => boolean;

/** If a requirement of `causes` is broken, those of `consequences` break too. */
export interface Rule {
  readonly because: string;
  readonly causes: readonly RequirementId[];
  readonly consequences: readonly RequirementId[];
  readonly when?: Condition;
}

export const ENDPOINTS = requirementIds.filter((id) => id.startsWith("EP-"));

/** Statements about events that a run can only see in deliveries. */
export const IN_DELIVERIES: readonly RequirementId[] = [
  ...(["TXN-11", "TXN-12", "TXN-13", "TXN-14", "TXN-15", "TXN-17", "TXN-18", "TXN-20"] as const),
  ...(["TXN-01", "TXN-02", "TXN-05", "TXN-06", "MSG-09", "MSG-11", "SUB-01", "SUB-04"] as const),
  ...(["SUB-05", "SUB-06", "SUB-07", "SUB-08", "SUB-09", "SUB-10", "NBF-01", "NBF-04"] as const),
  ...(["BLK-01", "BLK-02", "BLK-05", "BAC-01", "BAC-03", "BAC-04", "BTX-01", "BTX-04"] as const),
  ...(["BTX-05", "MAT-01", "MAT-04", "MAT-05", "MAT-07", "MAT-08", "MAT-09", "ENR-01"] as const),
  ...(["WHK-05", "WHK-06", "EP-07", "CONV-09"] as const),
];

/** Every requirement. */
export const ANY: readonly RequirementId[] = requirementIds;

/** The target refused the request, or did not respond. */
export const refused: Condition = (_, other) => other.some(({ refusal }) => refusal !== undefined);

/** The target refused the request for lack of authentication. */
export const unauthorized: Condition = (_, other) =>
  other.some(({ refusal, status }) => refusal !== undefined && status === 401);

/** Both are about the same status of the same operation. */
export const sameStatus: Condition = (cause, other) => {
  const seen = new Set(cause.map(({ subject, status }) => `${subject} ${status}`));
  return other.every(({ subject, status }) => seen.has(`${subject} ${status}`));
};

/** An event is missing, or wrong in the delivery that is the cause. */
export const deliveries: Condition = (cause, other) => {
  const families = new Set(cause.map(({ family }) => family));
  return other.some((one) => isMissing(one) || families.has(one.family));
};

/** Every finding is about the event of the cause. */
export const sameEvent: Condition = (cause, other) => {
  const events = new Set(cause.filter(isEvent).map(({ subject }) => subject));
  return other.every(({ subject }) => events.has(subject));
};

/** As `sameEvent`, and the cause has more findings. */
export const moreOfEvent: Condition = (cause, other) =>
  sameEvent(cause, other) && more(cause, other);

/** Every finding is about the kind of resource of the cause. */
export const sameFamily: Condition = (cause, other) => {
  const families = new Set(cause.map(({ family }) => family));
  return other.every(({ family }) => families.has(family));
};

/** The cause is an event that was not sent; the other is something else. */
export const eventMissing: Condition = (cause, other) =>
  cause.some(isMissing) && !other.some(isMissing);

/** The consequence misses this event. */
export function notSent(event: EventName): Condition {
  return (_, other) => other.some(({ missingEvent }) => missingEvent === event);
}

/** The consequence is an event that was not sent; the cause is another, wrong event. */
export const eventMisses: Condition = (cause, other) =>
  cause.some(isEvent) && other.some(isMissing) && !cause.some(isMissing);

/** The cause misses this event. */
export function missing(event: EventName): Condition {
  return (cause) => cause.some(({ missingEvent }) => missingEvent === event);
}

/** A body has neither _links nor _embedded. */
export const notHal: Condition = (cause) =>
  ["/_links", "/_embedded"].every((path) => cause.some((one) => one.path === path));

/** The cause has more findings. */
export const more: Condition = (cause, other) => cause.length > other.length;

/** The cause has at least three times the findings: it is about nearly every resource. */
export const farMore: Condition = (cause, other) => cause.length >= 3 * other.length;

/** The cause is a wrong state. */
export const state: Condition = (cause) => cause.some(isState);

/** The cause is about one of these members, and shows the wrong body. */
export function about(...members: readonly string[]): Condition {
  return (cause) => cause.some((one) => !one.isMisdirected && isAt(one, members));
}

/** Every consequence is about links. */
export const aboutLinks: Condition = (_, other) =>
  other.every(({ path }) => path.includes("/_links"));

/** The API does not know the ids of events: at least as many as the events that are missing. */
export const unknownIds: Condition = (cause, other) =>
  cause.some(({ refusal }) => refusal !== undefined) && cause.length >= other.length;

/** The consequences are paths of the interface with a prefix. */
export const prefixed: Condition = (_, other) =>
  other.every(({ finding: { expected = "", actual = "" } }) => {
    const [path = ""] = expected.split("{");
    return path.startsWith("/") && actual.lastIndexOf(path) > 0;
  });

/** The cause is an event that must not be sent, and the target refused the consequence. */
export const unwanted: Condition = (cause, other) =>
  cause.some(({ finding: { expected = "" } }) => expected.startsWith("no ")) &&
  refused(cause, other);

/** The consequences expect a value that is described this way. */
export function expecting(text: string): Condition {
  return (_, other) => other.every(({ finding: { expected = "" } }) => expected.startsWith(text));
}

/** The consequences compare other bodies with the wrong one of the cause. */
export const misdirected: Condition = (cause, other) => {
  const wrong = new Set(cause.filter((one) => !one.isMisdirected).map(({ subject }) => subject));
  return other.every((one) => one.isMisdirected && wrong.has(one.comparedWith ?? ""));
};

/** The consequences are comparisons with a history that lacks the event of the cause. */
export const history: Condition = (cause, other) => {
  const families = new Set(cause.filter(isEvent).map(({ family }) => family));
  return other.every((one) => one.comparedWith !== undefined && families.has(one.family));
};

/** The consequences are amounts of 0. */
export const zero: Condition = (_, other) =>
  other.every(({ finding }) => finding.actual === "number 0");

function isEvent({ subject }: FailureSignature): boolean {
  return !subject.includes("/");
}

function isMissing({ missingEvent }: FailureSignature): boolean {
  return missingEvent !== undefined;
}

function isAt({ member }: FailureSignature, members: readonly string[]): boolean {
  return members.some((one) => member.endsWith(`/${one}`));
}
