import type { Check } from "../../check.ts";
import { drivenAuthentication } from "./auth.ts";
import { bankLinkCompletion } from "./ep.ts";
import { storyChecks } from "./stories.ts";

/** What needs the target to be driven, or changed by a request, a file a group. */
export const drivenChecks: readonly Check[] = [
  ...storyChecks,
  ...bankLinkCompletion,
  ...drivenAuthentication,
];
