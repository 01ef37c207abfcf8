import * as z from "zod";
import type { EventPayloads } from "../../../generated/events.ts";
import { BANK_ACCOUNT_TRANSITIONS } from "../../model/bank-account.ts";
import { applies } from "../../model/state-machine.ts";
import { syncPosting } from "../activity/posting.ts";
import { adviceForSubject } from "../advice.ts";
import { Id, Text, Timestamp, verbParams } from "../fields.ts";
import { subjectOf } from "../lookup.ts";
import type { Resource } from "../resources.ts";
import type { Of } from "../schema.ts";
import { requireTransition } from "../state-machine.ts";
import type { Store } from "../store.ts";
import type { UnitOfWork } from "../unit-of-work.ts";
import { verb } from "../verbs/verb.ts";
import { enrolledCards } from "./cards.ts";

export type BankAccount = Resource<"bank-accounts">;

/** BAC-02: why a connection changed, and when it expires; null if not applicable. */
type StateChangeCause = Pick<EventPayloads["bankaccount.state_changed"], "reason" | "expiresAt">;

type AccountVerb = "consent-expire" | "disconnect" | "recover";

const WEEK_MS = 7 * 86_400_000;

export const BankAccountParams = verbParams({ bankAccountId: Id.optional() }).describe(
  "A bank account. Default: the latest one to which the verb applies.",
);
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
    const { expiresAt = new Date(work.nowMs() + WEEK_MS).toISOString() } = params;
    const account = changeState(work, "consent-expire", params, { reason, expiresAt });
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
    return { bankAccountId: changeState(work, "disconnect", params).id };
  },
});

/** BAC-04: recovers a connection, and syncs what the bank posted in the meantime. */
export const recover = verb({
  name: "recover",
  summary: "Reconnects a bank account, and syncs its postings",
  requirements: ["BAC-04"],
  params: BankAccountParams,
  result: BankAccountResult,
  example: {},
  run(work, params) {
    const account = changeState(work, "recover", params);
    const { unsynced } = account.internal;
    account.internal.unsynced = [];
    work.store.update(account);
    for (const posting of unsynced) syncPosting(work, account.id, posting);
    return { bankAccountId: account.id };
  },
});

/**
 * Changes the state of a connection, and announces it: of the given bank account, or of the latest
 * to which the verb applies.
 *
 * @throws {Refusal} 409 if the verb does not apply
 */
function changeState(
  work: UnitOfWork,
  verb: AccountVerb,
  params: BankAccountParams,
  { reason, expiresAt }: StateChangeCause = { reason: null, expiresAt: null },
): BankAccount {
  const { store } = work;
  const account = accountFor(store, verb, params);
  const { id, accountId, internal } = account;
  const previousState = internal.state;
  const what = `bank account ${id}`;
  const subject = { accountId, bankAccountId: id };
  const rows = BANK_ACCOUNT_TRANSITIONS;
  const { to, sends } = requireTransition(rows, verb, previousState, what, subject);
  internal.state = to;
  store.update(account);
  const event = { bankAccountId: id, state: to, previousState, reason, expiresAt };
  for (const name of sends) work.announce(name, { accountId, resource: id }, event);
  return account;
}

/** The given bank account, or the latest that the verb applies to. */
function accountFor(
  store: Store,
  verb: AccountVerb,
  { accountId, bankAccountId }: BankAccountParams,
): BankAccount {
  const advise = () => adviceForSubject(store, verb, { accountId });
  const which = { id: bankAccountId, accountId, verb, advise };
  return subjectOf(store, "bank-accounts", which, (one) => canChangeAccount(one, verb));
}

function canChangeAccount({ internal }: BankAccount, verb: AccountVerb): boolean {
  return applies(BANK_ACCOUNT_TRANSITIONS, verb, internal.state);
}

/** Whether a card can be linked to an account. */
export const isConnected = ({ internal }: BankAccount) => internal.state !== "disconnected";

/** The bank accounts of a subaccount, oldest first, optionally by their last four digits. */
export function bankAccountsIn(store: Store, subaccountId: string, mask?: string): BankAccount[] {
  const links = store.children("bank-links", subaccountId, { mentions: mask });
  return links
    .flatMap((link) => store.children("bank-accounts", link.id, { mentions: mask }))
    .filter(({ internal }) => mask === undefined || internal.mask === mask);
}

/** The connected account with these last four digits that has no enrolled card with them. */
export function waitingAccount(
  store: Store,
  subaccountId: string,
  last4: string,
): BankAccount | undefined {
  const cards = enrolledCards(store, subaccountId, last4).map(({ card }) => card.id);
  return bankAccountsIn(store, subaccountId, last4)
    .filter(isConnected)
    .find(({ internal }) => !internal.cardIds.some((id) => cards.includes(id)));
}
