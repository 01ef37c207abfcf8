import { activityVerbs } from "../activity/verbs.ts";
import { enrollmentVerbs } from "../enrollment/verbs.ts";
import type { VerbName } from "./params.ts";
import type { Verbs } from "./verb.ts";

/** Every verb, in the order in which they are shown. */
export const verbs: Verbs<VerbName> = { ...activityVerbs, ...enrollmentVerbs };
