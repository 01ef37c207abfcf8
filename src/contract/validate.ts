import type { EventName } from "../../generated/events.ts";
import type { AnswerBodies } from "../../generated/operations.ts";
import { answerPlaces, eventPlaces } from "../../generated/places.ts";
import { answers, events, type ShapeValidator } from "../../generated/validators.js";
import { explain, type Subject } from "./explain.ts";
import type { EventBody, ExperimentalEvent, FeedEvent } from "./feed-event.ts";
import { type Finding, findingOf } from "./finding.ts";
import { type ContractOptions, DEFAULT_NETWORKS } from "./networks.ts";
import { applyAnswerRules, applyEventRules } from "./rules/index.ts";
import { describe } from "./words.ts";

/** What was found of a body: it has the type that the contract gives it, or it has not. */
export type Validation<T> =
  | { readonly ok: true; readonly body: T; readonly findings: readonly Finding[] }
  | { readonly ok: false; readonly body: unknown; readonly findings: readonly Finding[] };

/** An operation whose JSON answer the contract specifies. */
export type AnsweringOperation = keyof AnswerBodies;

const EXPERIMENTAL = new Set<string>(["enrichment.merchant.created"] satisfies ExperimentalEvent[]);

/**
 * Checks the shape of a delivery's body.
 *
 * @param name What the header `webhook-event-type` says (WHK-01). A name that is none of the
 * contract's is an error of WHK-01.
 * @param body The parsed JSON body, `metadata` included.
 * @returns the body with its type and no error, or the findings that say why not. It never throws.
 */
export function validateEvent<Name extends EventName>(
  name: Name,
  body: unknown,
  options?: ContractOptions,
): Validation<EventBody<Name>>;
export function validateEvent(
  name: string,
  body: unknown,
  options?: ContractOptions,
): Validation<unknown>;
export function validateEvent(
  name: string,
  body: unknown,
  options?: ContractOptions,
): Validation<unknown> {
  return weigh(body, judgeEvent(name, body, options).findings);
}

/** What was found of an event, and whether its body has the shape that its type says. */
export interface Judgement {
  readonly findings: readonly Finding[];
  readonly shapeHolds: boolean;
}

/** Judges an event; see {@link validateEvent}. */
export function judgeEvent(
  name: string,
  body: unknown,
  { networks = DEFAULT_NETWORKS }: ContractOptions = {},
): Judgement {
  if (!Object.hasOwn(events, name)) return { shapeHolds: false, findings: [unknownEvent(name)] };
  const event = name as EventName;
  const subject: Subject = { name: event, place: eventPlaces[event], fallback: "WHK-02" };
  const { findings } = judge(events[event] as ShapeValidator<unknown>, subject, body);
  if (findings.length === 0) {
    return { shapeHolds: true, findings: applyEventRules(event, body, networks) };
  }
  if (!EXPERIMENTAL.has(event)) return { shapeHolds: false, findings };
  return { shapeHolds: false, findings: findings.map((found) => ({ ...found, level: "notice" })) };
}

/**
 * Checks the shape of an operation's answer.
 *
 * @param operation Its method and path template, such as `GET /cards/{id}`.
 * @param status The answer's status. The contract specifies no other body than that of a 200.
 * @param body The parsed JSON body.
 * @returns the body with its type and no error, or the findings that say why not. It never throws.
 */
export function validateResponse<Key extends AnsweringOperation>(
  operation: Key,
  status: keyof AnswerBodies[Key] & 200,
  body: unknown,
  { networks = DEFAULT_NETWORKS }: ContractOptions = {},
): Validation<AnswerBodies[Key][200]> {
  const subject: Subject = {
    name: operation,
    place: answerPlaces[operation],
    fallback: "CONV-06",
  };
  const shape = judge(
    answers[operation][status] as ShapeValidator<AnswerBodies[Key][200]>,
    subject,
    body,
  );
  return shape.ok ? weigh(shape.body, applyAnswerRules(operation, body, networks)) : shape;
}

function judge<T>(validator: ShapeValidator<T>, subject: Subject, body: unknown): Validation<T> {
  if (validator(body)) return { ok: true, body, findings: [] };
  return { ok: false, body, findings: explain(subject, body, validator.errors ?? []) };
}

function weigh<T>(body: T, findings: readonly Finding[]): Validation<T> {
  const ok = findings.every(({ level }) => level !== "error");
  return { ok, body, findings };
}

function unknownEvent(name: string): Finding {
  const expected = "an event name of the contract";
  return findingOf("WHK-01", "webhook-event-type", { path: "", expected, actual: describe(name) });
}

/** What a consumer makes of a delivery: an event to handle, or what is wrong with it. */
export type EventReading =
  | { readonly ok: true; readonly event: FeedEvent; readonly findings: readonly Finding[] }
  | { readonly ok: false; readonly findings: readonly Finding[] };

/**
 * Reads a delivery as a consumer does: as {@link validateEvent}, but an unknown event is let
 * through with a notice, so that a new event breaks nobody (VER-01).
 */
export function readEvent(name: string, body: unknown, options?: ContractOptions): EventReading {
  if (!Object.hasOwn(events, name)) {
    const event: FeedEvent = { name: "unknown", receivedName: name, body };
    return { ok: true, event, findings: [{ ...unknownEvent(name), level: "notice" }] };
  }
  const { ok, findings } = validateEvent(name, body, options);
  return ok ? { ok, event: { name, body } as FeedEvent, findings } : { ok, findings };
}
