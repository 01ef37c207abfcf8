import type { VerbName, VerbParams, VerbResults } from "../../../generated/control-types.ts";
import type { UnitOfWork } from "../unit-of-work.ts";

/** Executes a verb. If the verb does not apply, throws a Refusal and changes nothing. */
type VerbHandler<Name extends VerbName> = (
  work: UnitOfWork,
  params: VerbParams[Name],
) => VerbResults[Name];

/** Handlers by verb name. */
export type VerbHandlers<Name extends VerbName> = { readonly [N in Name]: VerbHandler<N> };
