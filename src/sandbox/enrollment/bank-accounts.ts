import { applies, type Transition } from "../../model/state-machine.ts";
import { syncPosting } from "../activity/posting.ts";
import { requireTransition } from "../state-machine.ts";
import type { Resource } from "../store/resources.ts";
import type { Store } from "../store/store.ts";
import type { UnitOfWork } from "../unit-of-work.ts";
import { enrolledCards } from "./cards.ts";

export type BankAccount = Resource<"bank-accounts">;

type AccountState = BankAccount["internal"]["state"];
type AccountTrigger = "connect" | "consent-expire" | "disconnect" | "recover";

const CHANGED = ["bankaccount.state_changed"] as const;

/** The states of a bank account's connection; nothing is sent where the state stays (BAC-01). */
export const BANK_ACCOUNT_TRANSITIONS = [
  { trigger: "connect", from: ["new"], to: "active", sends: [], requirement: "BLK-01" },
  {
    trigger: "consent-expire",
    from: ["active"],
    to: "auth_required",
    sends: CHANGED,
    requirement: "BAC-04",
  },
  {
    trigger: "disconnect",
    from: ["active", "auth_required"],
    to: "disconnected",
    sends: CHANGED,
    requirement: "BAC-04",
  },
  {
    trigger: "recover",
    from: ["auth_required", "disconnected"],
    to: "active",
    sends: CHANGED,
    requirement: "BAC-04",
  },
] as const satisfies readonly Transition<AccountState, AccountTrigger>[];

/** BAC-02: why a connection changed, and until when it lasts; null where that does not apply. */
export interface StateChangeCause {
  readonly reason: string | null;
  readonly expiresAt: string | null;
}

const NO_CAUSE: StateChangeCause = { reason: null, expiresAt: null };

/** Whether a trigger applies to a bank account. */
export function canChangeAccount({ internal }: BankAccount, trigger: AccountTrigger): boolean {
  return applies(BANK_ACCOUNT_TRANSITIONS, trigger, internal.state);
}

/** Takes a connection to its next state, and tells of it. Throws a Refusal 409. */
export function changeAccountState(
  work: UnitOfWork,
  account: BankAccount,
  trigger: "consent-expire" | "disconnect" | "recover",
  cause = NO_CAUSE,
): void {
  const { id, accountId, internal } = account;
  const previousState = internal.state;
  const { to, sends } = requireTransition(
    BANK_ACCOUNT_TRANSITIONS,
    trigger,
    previousState,
    `bank account ${id}`,
  );
  internal.state = to;
  work.store.update(account);
  const event = { bankAccountId: id, state: to, previousState, ...cause };
  for (const name of sends) work.announce(name, { accountId, resource: id }, event);
}

/** BAC-04: a connection comes back, and what the bank posted meanwhile is synced. */
export function recoverBankAccount(work: UnitOfWork, account: BankAccount): void {
  const { unsynced } = account.internal;
  account.internal.unsynced = [];
  changeAccountState(work, account, "recover");
  for (const posting of unsynced) syncPosting(work, account.id, posting);
}

/** Whether a card may be linked to an account: a lost connection links none. */
export const isConnected = ({ internal }: BankAccount) => internal.state !== "disconnected";

/** The bank accounts of a subaccount, the first one first. */
export function bankAccountsIn(store: Store, subaccountId: string): BankAccount[] {
  const links = store.children("bank-links", subaccountId);
  return links.flatMap((link) => store.children("bank-accounts", link.id));
}

/** The connected account of these last four digits that no enrolled card of them belongs to yet. */
export function waitingAccount(
  store: Store,
  subaccountId: string,
  last4: string,
): BankAccount | undefined {
  const cards = enrolledCards(store, subaccountId, last4).map(({ card }) => card.id);
  return bankAccountsIn(store, subaccountId)
    .filter((account) => isConnected(account) && account.internal.mask === last4)
    .find(({ internal }) => !internal.cardIds.some((id) => cards.includes(id)));
}
