import { inputSchemas, verbInfo } from "../../../generated/control-operations.ts";
import type { VerbDescription } from "../control/control.ts";
import type { VerbName } from "./params.ts";

/** Describes every verb, in the order in which lists show them. Needs no running sandbox. */
export function verbDescriptions(): VerbDescription[] {
  return Object.entries(verbInfo).map(([name, { params, ...info }]) => {
    return { name: name as VerbName, ...info, params: inputSchemas[params] };
  });
}
