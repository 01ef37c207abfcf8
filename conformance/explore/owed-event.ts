import type { EventName } from "../../generated/events.ts";
import type { RequirementId } from "../../generated/requirements.ts";
import { differences, type Message } from "../assert.ts";
import type { Breach } from "../check.ts";
import { textAt } from "../scenarios/find-deliveries.ts";
import type { Transition } from "./tables.ts";

/** An event that a step must send. */
export interface Owed {
  /** Broken if the event does not come. */
  readonly requirement: RequirementId;
  readonly event: EventName;
  /** The event in words. */
  readonly what: string;
  /** Whether a delivery of the event is about the step's resource. */
  readonly is: (body: unknown) => boolean;
  /** What its body must have, and the requirement that is broken otherwise. */
  readonly wants?: readonly Wanted[];
  /** Broken if the event comes twice. */
  readonly once?: RequirementId;
  /** The row of a state table that has happened once the event is there and correct. */
  readonly row?: Transition;
}

/** A part of a body that the interface determines. */
export interface Wanted {
  readonly requirement: RequirementId;
  readonly breaches: (message: Message) => readonly Breach[];
}

/** Values that a body must have, by JSON pointer; undefined: nothing. */
export function values(
  requirement: RequirementId,
  wanted: Readonly<Record<string, unknown>>,
): Wanted {
  return { requirement, breaches: (message) => differences(message, wanted) };
}

/** Whether a body has a text at a place. */
export function has(path: string, text: string): (body: unknown) => boolean {
  return (body) => textAt(body, path) === text;
}
