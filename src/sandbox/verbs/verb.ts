import type { z } from "zod";
import type { RequirementId } from "../../../generated/requirements.ts";
import type { UnitOfWork } from "../unit-of-work.ts";
import type { VerbName, VerbParams, VerbResults } from "./params.ts";

/** Something that can be made to happen: data, and the change that it makes. */
export interface Verb<Name extends VerbName = VerbName> {
  readonly name: Name;
  /** What it does, in a few words, as a button or a list of verbs shows it. */
  readonly summary: string;
  /** What of the interface it carries out; none where it only sets the scene. */
  readonly requirements: readonly RequirementId[];
  readonly params: z.ZodType<VerbParams[Name]>;
  /** Carries it out. Throws a Refusal where it does not apply; then nothing changes. */
  readonly run: (work: UnitOfWork, params: VerbParams[Name]) => VerbResults[Name];
}

/** The verbs of one part of the service, by their names. */
export type Verbs<Name extends VerbName> = { readonly [N in Name]: Omit<Verb<N>, "name"> };
