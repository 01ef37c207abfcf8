import { verbInfo } from "../../../generated/control-operations.ts";
import { activityVerbs } from "../activity/verbs.ts";
import { enrollmentVerbs } from "../enrollment/verbs.ts";
import { readInput } from "../read-input.ts";
import { Refusal } from "../refusal.ts";
import type { VerbName, VerbParams } from "./params.ts";
import type { VerbHandlers } from "./verb.ts";

/** The handler of every verb. */
export const verbs: VerbHandlers<VerbName> = { ...activityVerbs, ...enrollmentVerbs };

/** Reads the parameters of a verb. Throws a Refusal 400 that names the field, or 404. */
export function readParams<Name extends VerbName>(verb: Name, params: unknown): VerbParams[Name] {
  if (!Object.hasOwn(verbInfo, verb)) {
    throw new Refusal(404, "Not found", `there is no verb ${verb}; GET /_sandbox/verbs lists them`);
  }
  return readInput(verbInfo[verb].params, params, verb) as VerbParams[Name];
}
