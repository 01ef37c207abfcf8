import {
  BANK_ACCOUNT_TRANSITIONS,
  BANK_LINK_TRANSITIONS,
  type LinkedAccount,
  linkedAccount,
  mintedCard,
  normalizedType,
} from "../../model/bank-account.ts";
import { bareBody } from "../../model/links.ts";
import type { EnrolledCard } from "../linked-cards.ts";
import type { LinkableAccount, Resource } from "../resources.ts";
import { requireTransition } from "../state-machine.ts";
import type { UnitOfWork } from "../unit-of-work.ts";
import type { BankAccount } from "./bank-accounts.ts";
import { enrollCard, enrolledCards, linkCard } from "./cards.ts";
import type { SubaccountRef } from "./subaccounts.ts";
import { announceSubscription, type SubscriptionChange } from "./subscriptions.ts";

export type BankLink = Resource<"bank-links">;

/** The delay until polling finds a finished session whose notification was lost. */
export const POLL_MS = 30_000;

/** Starts a hosted flow. `GET /bank-links` lists it from now on. */
export function startBankLink(
  work: UnitOfWork,
  { accountId, subaccountId }: SubaccountRef,
  { provider, accounts }: { provider: string; accounts: readonly LinkableAccount[] },
): BankLink {
  const id = work.random.id("bank link");
  const { to } = requireTransition(BANK_LINK_TRANSITIONS, "start", "new");
  return work.insert({
    ...{ kind: "bank-links", id, accountId, subaccountId, parent: subaccountId },
    body: bareBody("bank-links", id, subaccountId),
    internal: { state: to, provider, accounts },
  });
}

/** The cardholder completes the flow, but the notification is lost. Polling will find it. */
export function finishBankLink(work: UnitOfWork, link: BankLink): void {
  const { state } = link.internal;
  const { to } = requireTransition(BANK_LINK_TRANSITIONS, "finish", state, `bank link ${link.id}`);
  if (to === state) return;
  link.internal.state = to;
  work.store.update(link);
  work.schedule("poll-link", link.id, POLL_MS);
}

/**
 * Completes a bank link by PATCH, notification or polling. Only the first has an effect (BLK-02).
 *
 * @throws {Refusal} 404 if the link does not exist
 */
export function completeBankLink(work: UnitOfWork, bankLinkId: string): void {
  const link = work.store.find("bank-links", bankLinkId);
  const { state, accounts } = link.internal;
  const { to, sends } = requireTransition(
    BANK_LINK_TRANSITIONS,
    "complete",
    state,
    `bank link ${link.id}`,
  );
  if (to === state) return;
  work.cancel("poll-link", link.id);
  link.internal.state = to;
  work.store.update(link);
  const openings = accounts.map((account) => openBankAccount(work, link, account));
  const event = { bankLinkId, bankAccounts: openings.map(({ eventItem }) => eventItem) };
  for (const name of sends) {
    work.announce(name, { accountId: link.accountId, resource: link.id }, event);
  }
  // SUB-10: the order is not specified. Here the account is announced before its cards.
  for (const { changes } of openings)
    for (const change of changes) announceSubscription(work, change);
}

/** A linked account, and the changes of its cards. */
interface OpenedAccount {
  readonly eventItem: LinkedAccount;
  readonly changes: readonly SubscriptionChange[];
}

function openBankAccount(work: UnitOfWork, link: BankLink, shown: LinkableAccount): OpenedAccount {
  const { mask, network } = shown;
  const account = insertBankAccount(work, link, shown);
  const { name, type } = account.internal;
  const enrolled = enrolledCards(work.store, link.subaccountId, mask);
  // BLK-04: a card keeps its bank account, and is listed at each account that shows its digits.
  const isFree = ({ subscription }: EnrolledCard) => !subscription.body.bankAccountId;
  const kept = enrolled.filter((card) => !isFree(card)).map(({ card }) => card.id);
  const linked = enrolled.filter(isFree).map((card) => linkCard(work, card, account));
  const shownWith = (minted: Parameters<typeof linkedAccount>[1]) => {
    const cardIds = [...account.internal.cardIds, ...kept];
    return linkedAccount({ id: account.id, name, mask, type, cardIds }, minted);
  };
  // BLK-03: no card is minted for an account with an enrolled card.
  if (type !== "credit" || enrolled.length > 0)
    return { eventItem: shownWith([]), changes: linked };
  const { accountId, subaccountId } = link;
  const card = { accountId, subaccountId, last4: mask, network, bankAccount: account };
  const minted = enrollCard(work, "mint", card);
  const { id: subscriptionId, body } = minted.subscription;
  const mintedItem = mintedCard({ id: body.cardId, subscriptionId, last4digits: mask, network });
  return { eventItem: shownWith([mintedItem]), changes: [minted] };
}

function insertBankAccount(work: UnitOfWork, link: BankLink, shown: LinkableAccount): BankAccount {
  const { name, mask, currency } = shown;
  const { accountId, subaccountId } = link;
  const id = work.random.id("bank account");
  const { to } = requireTransition(BANK_ACCOUNT_TRANSITIONS, "connect", "new");
  return work.insert({
    ...{ kind: "bank-accounts", id, accountId, subaccountId, parent: link.id },
    body: bareBody("bank-accounts", id, subaccountId),
    internal: {
      ...{ name, mask, type: normalizedType(shown.type), currency },
      ...{ provider: link.internal.provider, state: to, cardIds: [], unsynced: [] },
    },
  });
}
