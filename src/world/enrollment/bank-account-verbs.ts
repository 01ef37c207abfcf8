import type { BankAccountParams } from "../../../generated/control-types.ts";
import { adviceForSubject } from "../advice.ts";
import { subjectOf } from "../lookup.ts";
import type { UnitOfWork } from "../unit-of-work.ts";
import type { VerbHandlers } from "../verbs/verb.ts";
import {
  type BankAccount,
  canChangeAccount,
  changeAccountState,
  recoverBankAccount,
} from "./bank-accounts.ts";

type AccountVerb = "consent-expire" | "disconnect" | "recover";

const WEEK_MS = 7 * 86_400_000;

/** The verbs of a bank account's connection. */
export const bankAccountVerbs: VerbHandlers<AccountVerb> = {
  "consent-expire": (work, { reason = "consent_expiring", ...params }) => {
    const account = accountFor(work, "consent-expire", params);
    const { expiresAt = new Date(work.nowMs() + WEEK_MS).toISOString() } = params;
    changeAccountState(work, account, "consent-expire", { reason, expiresAt });
    return { bankAccountId: account.id };
  },
  disconnect: (work, params) => {
    const account = accountFor(work, "disconnect", params);
    changeAccountState(work, account, "disconnect");
    return { bankAccountId: account.id };
  },
  recover: (work, params) => {
    const account = accountFor(work, "recover", params);
    recoverBankAccount(work, account);
    return { bankAccountId: account.id };
  },
};

/** The given bank account, or the latest that the verb applies to. */
function accountFor(
  { store }: UnitOfWork,
  verb: AccountVerb,
  { accountId, bankAccountId }: BankAccountParams,
): BankAccount {
  const advise = () => adviceForSubject(store, verb, { accountId });
  const which = { id: bankAccountId, accountId, verb, advise };
  return subjectOf(store, "bank-accounts", which, (one) => canChangeAccount(one, verb));
}
