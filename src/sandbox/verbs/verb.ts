import type { UnitOfWork } from "../unit-of-work.ts";
import type { VerbName, VerbParams, VerbResults } from "./params.ts";

/** Carries out a verb. Throws a Refusal if the verb does not apply; then nothing changes. */
type VerbHandler<Name extends VerbName> = (
  work: UnitOfWork,
  params: VerbParams[Name],
) => VerbResults[Name];

/** The handlers of some verbs, by name. */
export type VerbHandlers<Name extends VerbName> = { readonly [N in Name]: VerbHandler<N> };
