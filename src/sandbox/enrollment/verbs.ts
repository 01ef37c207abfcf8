import { accountFor } from "../accounts.ts";
import type { Verbs } from "../verbs/verb.ts";
import { bankAccountVerbs } from "./bank-account-verbs.ts";
import { bankLinkVerbs } from "./bank-link-verbs.ts";
import { cardVerbs } from "./card-verbs.ts";
import { feedVerbs } from "./feed-verbs.ts";
import { openSubaccountParams } from "./params.ts";
import { openSubaccount } from "./subaccounts.ts";

const subaccountVerbs: Verbs<"open-subaccount"> = {
  "open-subaccount": {
    summary: "a subaccount is opened",
    requirements: [],
    params: openSubaccountParams,
    run: (work, { accountId, name }) => {
      return { subaccountId: openSubaccount(work, accountFor(work.store, accountId), name) };
    },
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
