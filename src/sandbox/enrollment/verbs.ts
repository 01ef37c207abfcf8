import { accountFor } from "../accounts.ts";
import type { VerbHandlers } from "../verbs/verb.ts";
import { bankAccountVerbs } from "./bank-account-verbs.ts";
import { bankLinkVerbs } from "./bank-link-verbs.ts";
import { cardVerbs } from "./card-verbs.ts";
import { feedVerbs } from "./feed-verbs.ts";
import { openSubaccount } from "./subaccounts.ts";

const subaccountVerbs: VerbHandlers<"open-subaccount"> = {
  "open-subaccount": (work, { accountId, name }) => {
    return { subaccountId: openSubaccount(work, accountFor(work.store, accountId), name) };
  },
};

/** What enrolls cards, and links bank accounts. */
export const enrollmentVerbs = {
  ...subaccountVerbs,
  ...cardVerbs,
  ...feedVerbs,
  ...bankLinkVerbs,
  ...bankAccountVerbs,
};
