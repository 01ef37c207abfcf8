import * as z from "zod";
import { adviceForSubject } from "../advice.ts";
import { Id, OfAccount, Text, Timestamp } from "../fields.ts";
import { subjectOf } from "../lookup.ts";
import type { Of } from "../schema.ts";
import type { UnitOfWork } from "../unit-of-work.ts";
import { verb } from "../verbs/verb.ts";
import {
  type BankAccount,
  canChangeAccount,
  changeAccountState,
  recoverBankAccount,
} from "./bank-accounts.ts";

type AccountVerb = "consent-expire" | "disconnect" | "recover";

const WEEK_MS = 7 * 86_400_000;

export const BankAccountParams = z
  .strictObject({ ...OfAccount.shape, bankAccountId: Id.optional() })
  .describe("A bank account. Default: the latest one to which the verb applies.");
export type BankAccountParams = Of<typeof BankAccountParams>;

export const ConsentExpireParams = z
  .strictObject({
    ...BankAccountParams.shape,
    reason: Text.describe("Default: consent_expiring.").optional(),
    expiresAt: Timestamp.nullable()
      .describe("Default: seven days from now; null if unknown.")
      .optional(),
  })
  .describe("A consent to a bank account that expires soon.");
export type ConsentExpireParams = Of<typeof ConsentExpireParams>;

const BankAccountResult = z.object({ bankAccountId: z.string() });

export const consentExpire = verb({
  name: "consent-expire",
  summary: "Announces that the consent to a bank account expires soon",
  requirements: ["BAC-02", "BAC-04"],
  params: ConsentExpireParams,
  result: BankAccountResult,
  example: { expiresAt: null },
  run(work, { reason = "consent_expiring", ...params }) {
    const account = accountFor(work, "consent-expire", params);
    const { expiresAt = new Date(work.nowMs() + WEEK_MS).toISOString() } = params;
    changeAccountState(work, account, "consent-expire", { reason, expiresAt });
    return { bankAccountId: account.id };
  },
});

export const disconnect = verb({
  name: "disconnect",
  summary: "Disconnects a bank account",
  requirements: ["BAC-04"],
  params: BankAccountParams,
  result: BankAccountResult,
  example: {},
  run(work, params) {
    const account = accountFor(work, "disconnect", params);
    changeAccountState(work, account, "disconnect");
    return { bankAccountId: account.id };
  },
});

export const recover = verb({
  name: "recover",
  summary: "Reconnects a bank account, and syncs its postings",
  requirements: ["BAC-04"],
  params: BankAccountParams,
  result: BankAccountResult,
  example: {},
  run(work, params) {
    const account = accountFor(work, "recover", params);
    recoverBankAccount(work, account);
    return { bankAccountId: account.id };
  },
});

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
