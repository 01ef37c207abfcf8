import type { EventName, EventPayloads } from "../../generated/events.ts";
import type { AnswerBodies } from "../../generated/operations.ts";
import { answerPlaces, eventPlaces } from "../../generated/places.ts";
import { answers, events, type ShapeValidator } from "../../generated/validators.js";
import { explain, type Subject } from "./explain.ts";
import { type Finding, findingOf } from "./finding.ts";
import { describe } from "./words.ts";

/** What was found of a body: it has the type that the contract gives it, or it has not. */
export type Validation<T> =
  | { readonly ok: true; readonly body: T; readonly findings: readonly Finding[] }
  | { readonly ok: false; readonly body: unknown; readonly findings: readonly Finding[] };

/** An operation whose JSON answer the contract specifies. */
export type AnsweringOperation = keyof AnswerBodies;

/** ENR-02: what departs from the shape of these is a notice, so their bodies are never sure. */
type ExperimentalEvent = "enrichment.merchant.created";
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
): Validation<Name extends ExperimentalEvent ? unknown : EventPayloads[Name]>;
export function validateEvent(name: string, body: unknown): Validation<unknown>;
export function validateEvent(name: string, body: unknown): Validation<unknown> {
  if (!Object.hasOwn(events, name)) return { ok: false, body, findings: [unknownEvent(name)] };
  const event = name as EventName;
  const subject: Subject = { name: event, place: eventPlaces[event], fallback: "WHK-02" };
  const { findings } = judge(events[event] as ShapeValidator<unknown>, subject, body);
  if (!EXPERIMENTAL.has(event)) return { ok: findings.length === 0, body, findings };
  return { ok: true, body, findings: findings.map((found) => ({ ...found, level: "notice" })) };
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
): Validation<AnswerBodies[Key][200]> {
  const subject: Subject = {
    name: operation,
    place: answerPlaces[operation],
    fallback: "CONV-06",
  };
  return judge(answers[operation][status] as ShapeValidator<AnswerBodies[Key][200]>, subject, body);
}

function judge<T>(validator: ShapeValidator<T>, subject: Subject, body: unknown): Validation<T> {
  if (validator(body)) return { ok: true, body, findings: [] };
  return { ok: false, body, findings: explain(subject, body, validator.errors ?? []) };
}

function unknownEvent(name: string): Finding {
  const expected = "an event name of the contract";
  return findingOf("WHK-01", "webhook-event-type", { path: "", expected, actual: describe(name) });
}
