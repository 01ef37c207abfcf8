import type { EventPayloads } from "../../../generated/events.ts";
import type { Ledger } from "../ledger.ts";
import { bareBody } from "../links.ts";
import { type Move, transition } from "../machine.ts";
import type { LinkableAccount, Resource } from "../store/resources.ts";
import { normalizedType } from "./account-types.ts";
import { BANK_ACCOUNT_MOVES, type BankAccount } from "./bank-accounts.ts";
import { enrollCard, enrolledCards, linkCard } from "./cards.ts";
import type { Place } from "./place.ts";
import { type SubscriptionChange, tell } from "./subscriptions.ts";

export type BankLink = Resource<"bank-links">;

type LinkState = BankLink["hidden"]["state"];
type LinkTrigger = "start" | "finish" | "complete";

const COMPLETED = ["banklink.completed"] as const;

/**
 * The states of a bank link. `finish` is the cardholder's end of the hosted flow where its
 * notification is lost; `complete` comes by PATCH, notification or polling, and what comes after
 * the first of them finds nothing to do (BLK-02).
 */
export const BANK_LINK_MOVES = [
  { trigger: "start", from: ["new"], to: "started", sends: [], requirement: "BLK-02" },
  {
    trigger: "finish",
    from: ["started", "finished"],
    to: "finished",
    sends: [],
    requirement: "BLK-02",
  },
  { trigger: "finish", from: ["completed"], to: "completed", sends: [], requirement: "BLK-02" },
  {
    trigger: "complete",
    from: ["started", "finished"],
    to: "completed",
    sends: COMPLETED,
    requirement: "BLK-02",
  },
  { trigger: "complete", from: ["completed"], to: "completed", sends: [], requirement: "BLK-02" },
] as const satisfies readonly Move<LinkState, LinkTrigger>[];

/** When the polling next looks for sessions that have finished without a word. */
const POLL_MS = 30_000;

/** Begins a hosted flow: `GET /bank-links` lists it from now on. */
export function startBankLink(
  ledger: Ledger,
  { accountId, subaccountId }: Place,
  { provider, accounts }: { provider: string; accounts: readonly LinkableAccount[] },
): BankLink {
  const id = ledger.random.id();
  const { to } = transition(BANK_LINK_MOVES, "start", "new", "it");
  return ledger.insert({
    ...{ kind: "bank-links", id, accountId, subaccountId, parent: subaccountId },
    body: bareBody("bank-links", id, subaccountId),
    hidden: { state: to, provider, accounts },
  });
}

/** The cardholder is through, but the notification of it is lost: the polling finds out. */
export function finishBankLink(ledger: Ledger, link: BankLink): void {
  const { state } = link.hidden;
  const { to } = transition(BANK_LINK_MOVES, "finish", state, `bank link ${link.id}`);
  if (to === state) return;
  link.hidden.state = to;
  ledger.store.update(link);
  ledger.schedule("poll-link", link.id, POLL_MS);
}

/**
 * Completes a bank link, be it by PATCH, by the hosted flow's notification or by the polling: the
 * first of them does it, and what comes later changes nothing (BLK-02). Throws a Refusal 404.
 */
export function completeBankLink(ledger: Ledger, bankLinkId: string): void {
  const link = ledger.store.find("bank-links", bankLinkId);
  const { state, accounts } = link.hidden;
  const { to, sends } = transition(BANK_LINK_MOVES, "complete", state, `bank link ${link.id}`);
  if (to === state) return;
  ledger.callOff("poll-link", link.id);
  link.hidden.state = to;
  ledger.store.update(link);
  const openings = accounts.map((account) => openBankAccount(ledger, link, account));
  const event = { bankLinkId, bankAccounts: openings.map(({ told }) => told) };
  for (const name of sends) {
    ledger.announce(name, { accountId: link.accountId, resource: link.id }, event);
  }
  // SUB-10: the order of the two is open; here an account is named before its cards link to it.
  for (const { changes } of openings) for (const change of changes) tell(ledger, change);
}

/** An account that a completion opened: what is told of it, and of its cards. */
interface Opening {
  readonly told: EventPayloads["banklink.completed"]["bankAccounts"][number];
  readonly changes: readonly SubscriptionChange[];
}

function openBankAccount(ledger: Ledger, link: BankLink, shown: LinkableAccount): Opening {
  const { mask, network } = shown;
  const account = insertBankAccount(ledger, link, shown);
  const { id, hidden } = account;
  const { name, type, cardIds } = hidden;
  const enrolled = enrolledCards(ledger.store, link.subaccountId, mask);
  // BLK-04; a card that has its bank account keeps it.
  const free = enrolled.filter(({ subscription }) => !subscription.body.bankAccountId);
  const linked = free.map((card) => linkCard(ledger, card, account));
  const told = { id, name, mask, type, cardIds };
  // BLK-03: what is enrolled already needs no card of its own.
  if (type !== "credit" || enrolled.length > 0) return { told, changes: linked };
  const { accountId, subaccountId } = link;
  const card = { accountId, subaccountId, last4: mask, network, bankAccount: account };
  const minted = enrollCard(ledger, "mint", card);
  const { id: subscriptionId, body } = minted.subscription;
  const cards = [
    {
      ...{ id: body.cardId, subscriptionId, last4digits: mask, network: network.toLowerCase() },
      enrollmentType: "bank-feed" as const,
    },
  ];
  return { told: { ...told, cards }, changes: [minted] };
}

function insertBankAccount(ledger: Ledger, link: BankLink, shown: LinkableAccount): BankAccount {
  const { name, mask, currency } = shown;
  const { accountId, subaccountId } = link;
  const id = ledger.random.id();
  const { to } = transition(BANK_ACCOUNT_MOVES, "connect", "new", "it");
  return ledger.insert({
    ...{ kind: "bank-accounts", id, accountId, subaccountId, parent: link.id },
    body: bareBody("bank-accounts", id, subaccountId),
    hidden: {
      ...{ name, mask, type: normalizedType(shown.type), currency },
      ...{ provider: link.hidden.provider, state: to, cardIds: [], unsynced: [] },
    },
  });
}
