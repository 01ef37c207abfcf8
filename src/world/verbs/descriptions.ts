import { inputSchemas, verbInfo } from "../../../generated/control-operations.ts";
import type { VerbDescription, VerbName } from "../../../generated/control-types.ts";

// A module of its own: its published types must not reach the engine and node:sqlite.

/** Describes every verb, in the order in which lists show them. Needs no running sandbox. */
export function verbDescriptions(): VerbDescription[] {
  return Object.entries(verbInfo).map(([name, { params, ...info }]) => {
    return { name: name as VerbName, ...info, params: inputSchemas[params] };
  });
}
