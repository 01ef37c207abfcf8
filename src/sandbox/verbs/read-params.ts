import { badRequest, Refusal } from "../refusal.ts";
import { verbs } from "./index.ts";
import type { VerbName, VerbParams } from "./params.ts";

/** Reads what a verb is called with. Throws a Refusal 400 that names the member, or 404. */
export function paramsOf<Name extends VerbName>(verb: Name, params: unknown): VerbParams[Name] {
  if (!Object.hasOwn(verbs, verb)) {
    throw new Refusal(404, "Not found", `there is no verb ${verb}; GET /_sandbox/verbs lists them`);
  }
  const read = verbs[verb].params.safeParse(params);
  if (read.success) return read.data as VerbParams[Name];
  const [first] = read.error.issues;
  const where = first?.path.join(".");
  throw badRequest(`${verb}: ${where ? `${where}: ` : ""}${first?.message}`);
}
