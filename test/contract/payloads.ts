import type { EventName, EventPayloads } from "../../generated/events.ts";
import { readExamples } from "../document.ts";

const examples = readExamples();

/** A copy of an example payload of the contract. Default: the first one. */
export function exampleOf<Name extends EventName>(event: Name, name?: string): EventPayloads[Name] {
  const found = examples.find(
    (example) => example.of === event && (name === undefined || example.case === name),
  );
  if (!found) throw new Error(`there is no example ${event}/${name}`);
  return structuredClone(found.value) as EventPayloads[Name];
}
