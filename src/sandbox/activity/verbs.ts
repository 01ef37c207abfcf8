import type { VerbName } from "../verbs/params.ts";
import type { Verbs } from "../verbs/verb.ts";

/** What happens with cards and at the bank. */
export const activityVerbs = {} as Verbs<Exclude<VerbName, never>>;
