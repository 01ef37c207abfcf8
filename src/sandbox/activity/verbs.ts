import type { VerbHandlers } from "../verbs/verb.ts";
import { bankPost, lateCardData } from "./bank-post.ts";
import { clear, clearPartially } from "./clearing.ts";
import { enrich } from "./enrichment.ts";
import { switchProjection } from "./projection.ts";
import { purchase } from "./purchase.ts";
import { rematch } from "./rematch.ts";
import { providerRemove, retireDuplicate } from "./retirement.ts";

/** What happens with cards and at the bank. */
export const activityVerbs: VerbHandlers<
  | ("purchase" | "clear" | "clear-partial" | "bank-post" | "late-card-data")
  | ("retire-duplicate" | "provider-remove" | "rematch" | "enrich" | "switch-projection")
> = {
  purchase,
  clear,
  "clear-partial": clearPartially,
  "bank-post": bankPost,
  "late-card-data": lateCardData,
  "retire-duplicate": retireDuplicate,
  "provider-remove": providerRemove,
  rematch,
  enrich,
  "switch-projection": switchProjection,
};
