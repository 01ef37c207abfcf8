import { BROKEN, checkEvent } from "../../generated/check.js";
import { type EventName, eventNames } from "../../generated/events.ts";
import { answerPlaces, eventPlaces } from "../../generated/places.ts";
import { answers, events, type ShapeValidator } from "../../generated/validators.js";
import { explain, type Subject } from "./explain.ts";
import { type Finding, findingOf } from "./finding.ts";
import type { Networks } from "./networks.ts";
import type { AnsweringOperation } from "./validate.ts";

/** An event's body, for those who tell of it. */
export function eventSubject(name: EventName): Subject {
  return { name, place: eventPlaces[name], fallback: "WHK-02" };
}

/** An operation's answer, for those who tell of it. */
export function answerSubject(operation: AnsweringOperation): Subject {
  return { name: operation, place: answerPlaces[operation], fallback: "CONV-06" };
}

/** Tells what is wrong with a body that has not the shape of its event. */
export function explainEvent(name: EventName, body: unknown, networks: Networks): Finding[] {
  const subject = eventSubject(name);
  const errors = errorsOf(events[name] as ShapeValidator<unknown>, body);
  if (errors[0]?.keyword === "type" && errors[0].instancePath === "") {
    // WHK-02: what is no object has no event's shape.
    return explain(subject, body, errors).map((found) => ({ ...found, requirement: "WHK-02" }));
  }
  // Where the members of the body itself are others than the event's, it may be another's.
  if (errors.some(({ keyword, instancePath }) => keyword !== "format" && instancePath === "")) {
    const other = eventNames.find(
      (one) => eventPlaces[one] !== subject.place && checkEvent(one, body, networks) !== BROKEN,
    );
    if (other) return [mistakenFor(name, other)];
  }
  return explain(subject, body, errors);
}

/** Tells what is wrong with a body that has not the shape of an operation's answer. */
export function explainAnswer(operation: AnsweringOperation, body: unknown): Finding[] {
  const validator = answers[operation][200] as ShapeValidator<unknown>;
  return explain(answerSubject(operation), body, errorsOf(validator, body));
}

function errorsOf(validator: ShapeValidator<unknown>, body: unknown) {
  return validator(body) ? [] : (validator.errors ?? []);
}

/** WHK-02: one finding of a body under the wrong name, instead of one for each member. */
function mistakenFor(name: EventName, other: EventName): Finding {
  const expected = `the shape of ${name}`;
  return findingOf("WHK-02", `${name} (body)`, { path: "", expected, actual: `that of ${other}` });
}
