import type * as z from "zod";
import type { RequirementId } from "../../../generated/requirements.ts";
import type { Of } from "../schema.ts";
import type { UnitOfWork } from "../unit-of-work.ts";
import type { VerbName } from "./names.ts";

/** A verb: everything that the sandbox, its document and its clients know of it. */
export interface Verb<Name extends VerbName, Params extends z.ZodObject, Result extends z.ZodType> {
  readonly name: Name;
  /** What the verb does, in a few words. */
  readonly summary: string;
  /** The requirements that it implements; empty if it only prepares for other verbs. */
  readonly requirements: readonly RequirementId[];
  readonly params: Params;
  /** The ids of the resources that it creates or changes. */
  readonly result: Result;
  readonly example: z.input<Params>;
  /** Executes the verb. If it does not apply, throws a Refusal and changes nothing. */
  readonly run: (work: UnitOfWork, params: Of<Params>) => Of<Result>;
}

/** Declares a verb. */
export function verb<Name extends VerbName, Params extends z.ZodObject, Result extends z.ZodType>(
  entry: Verb<Name, Params, Result>,
): Verb<Name, Params, Result> {
  return entry;
}
