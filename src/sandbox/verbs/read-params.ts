import { read } from "../read.ts";
import { Refusal } from "../refusal.ts";
import { verbs } from "./index.ts";
import type { VerbName, VerbParams } from "./params.ts";

/** Reads what a verb is called with. Throws a Refusal 400 that names the member, or 404. */
export function paramsOf<Name extends VerbName>(verb: Name, params: unknown): VerbParams[Name] {
  if (!Object.hasOwn(verbs, verb)) {
    throw new Refusal(404, "Not found", `there is no verb ${verb}; GET /_sandbox/verbs lists them`);
  }
  return read(verbs[verb].params, params, verb) as VerbParams[Name];
}
