import type { Check } from "../../check.ts";
import { bankLinkCompletion } from "./ep.ts";

/** What needs the target to be driven, or changed by a request, a file a group. */
export const drivenChecks: readonly Check[] = [...bankLinkCompletion];
