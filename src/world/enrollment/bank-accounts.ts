import {
  type AccountTrigger,
  accountStateEvent,
  BANK_ACCOUNT_TRANSITIONS,
  type StateChangeCause,
} from "../../model/bank-account.ts";
import { applies } from "../../model/state-machine.ts";
import { syncPosting } from "../activity/posting.ts";
import type { Resource } from "../resources.ts";
import { requireTransition } from "../state-machine.ts";
import type { Store } from "../store.ts";
import type { UnitOfWork } from "../unit-of-work.ts";
import { enrolledCards } from "./cards.ts";

export type BankAccount = Resource<"bank-accounts">;

/** Whether a trigger applies to a bank account. */
export function canChangeAccount({ internal }: BankAccount, trigger: AccountTrigger): boolean {
  return applies(BANK_ACCOUNT_TRANSITIONS, trigger, internal.state);
}

/**
 * Changes the state of a connection, and announces it.
 *
 * @throws {Refusal} 409 if the trigger does not apply
 */
export function changeAccountState(
  work: UnitOfWork,
  account: BankAccount,
  trigger: "consent-expire" | "disconnect" | "recover",
  cause?: StateChangeCause,
): void {
  const { id, accountId, internal } = account;
  const previousState = internal.state;
  const { to, sends } = requireTransition(
    BANK_ACCOUNT_TRANSITIONS,
    trigger,
    previousState,
    `bank account ${id}`,
    { accountId, bankAccountId: id },
  );
  internal.state = to;
  work.store.update(account);
  const event = accountStateEvent(id, { state: to, previousState }, cause);
  for (const name of sends) work.announce(name, { accountId, resource: id }, event);
}

/** BAC-04: recovers a connection, and syncs what the bank posted in the meantime. */
export function recoverBankAccount(work: UnitOfWork, account: BankAccount): void {
  const { unsynced } = account.internal;
  account.internal.unsynced = [];
  changeAccountState(work, account, "recover");
  for (const posting of unsynced) syncPosting(work, account.id, posting);
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
