import type { VerbName } from "../verbs/params.ts";
import type { Verbs } from "../verbs/verb.ts";

/** What enrolls cards, and links bank accounts. */
export const enrollmentVerbs = {} as Verbs<Exclude<VerbName, never>>;
