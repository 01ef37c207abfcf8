import { verbInfo } from "../../../generated/control-operations.ts";
import type { VerbName, VerbParams } from "../../../generated/control-types.ts";
import { accountFor } from "../accounts.ts";
import { bankPost, lateCardData } from "../activity/bank-post.ts";
import { clear, clearPartially } from "../activity/clearing.ts";
import { enrich } from "../activity/enrichment.ts";
import { purchase } from "../activity/purchase.ts";
import { rematch } from "../activity/rematch.ts";
import { providerRemove, retireDuplicate } from "../activity/retirement.ts";
import { switchProjection } from "../activity/transaction.ts";
import { bankAccountVerbs } from "../enrollment/bank-account-verbs.ts";
import { bankLinkVerbs } from "../enrollment/bank-link-verbs.ts";
import { cardVerbs } from "../enrollment/card-verbs.ts";
import { feedVerbs } from "../enrollment/feed-verbs.ts";
import { openSubaccount } from "../enrollment/subaccounts.ts";
import { readInput } from "../read-input.ts";
import { Refusal } from "../refusal.ts";
import type { VerbHandlers } from "./verb.ts";

/** Verbs for purchases, postings and matches. */
const activityVerbs: VerbHandlers<
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

const subaccountVerbs: VerbHandlers<"open-subaccount"> = {
  "open-subaccount": (work, { accountId, name }) => {
    return { subaccountId: openSubaccount(work, accountFor(work.store, accountId), name) };
  },
};

/** Verbs that enroll cards and link bank accounts. */
export const enrollmentVerbs = {
  ...subaccountVerbs,
  ...cardVerbs,
  ...feedVerbs,
  ...bankLinkVerbs,
  ...bankAccountVerbs,
};

/** The handler of every verb. */
export const verbs: VerbHandlers<VerbName> = { ...activityVerbs, ...enrollmentVerbs };

/** Reads the parameters of a verb. Throws a Refusal 400 that names the field, or 404. */
export function readParams<Name extends VerbName>(verb: Name, params: unknown): VerbParams[Name] {
  if (!Object.hasOwn(verbInfo, verb)) {
    throw new Refusal(404, "Not found", `there is no verb ${verb}; GET /_sandbox/verbs lists them`);
  }
  return readInput(verbInfo[verb].params, params, verb) as VerbParams[Name];
}
