import * as z from "zod";
import type { EventPayloads } from "../../../generated/events.ts";
import {
  BANK_ACCOUNT_TRANSITIONS,
  BANK_LINK_TRANSITIONS,
  normalizedType,
} from "../../model/bank-account.ts";
import { bareBody } from "../../model/links.ts";
import { CurrencyCode, FourDigits, Id, NetworkCode, Text, verbParams } from "../fields.ts";
import type { EnrolledCard } from "../linked-cards.ts";
import { namedOrLatest } from "../lookup.ts";
import type { LinkableAccount, Resource } from "../resources.ts";
import type { Of } from "../schema.ts";
import { requireTransition } from "../state-machine.ts";
import type { UnitOfWork } from "../unit-of-work.ts";
import { verb } from "../verbs/verb.ts";
import type { BankAccount } from "./bank-accounts.ts";
import { cardNetwork, drawDigits, enrolledCards, takenDigits } from "./cards.ts";
import { subaccountFor } from "./subaccounts.ts";
import {
  announceSubscription,
  enrollCard,
  linkCard,
  type SubscriptionChange,
} from "./subscriptions.ts";

type BankLink = Resource<"bank-links">;

/** The delay until polling finds a finished session whose notification was lost. */
const POLL_MS = 30_000;

const DEFAULT_PROVIDER = "PROVIDER_A";
const DEFAULT_CURRENCY = "EUR";
const DEFAULT_TYPE = "depository/checking";

export const LinkableAccountParams = z
  .strictObject({
    name: Text.optional(),
    mask: FourDigits.describe(
      "The last four digits; of a credit account, those of its card (BLK-01).",
    ).optional(),
    type: Text.describe("The type as the provider names it, such as `Credit Card`.").optional(),
    currency: CurrencyCode.optional(),
    network: NetworkCode.describe("The network of the card of a credit account.").optional(),
  })
  .describe("An account of the bank.");
export type LinkableAccountParams = Of<typeof LinkableAccountParams>;

export const LinkStartParams = verbParams({
  subaccountId: Id.optional(),
  provider: Text.optional(),
  accounts: z
    .array(LinkableAccountParams)
    .min(1)
    .max(20)
    .describe("The accounts of the bank. Default: a credit account and a current account.")
    .optional(),
}).describe("A bank link that a cardholder starts in the hosted flow.");
export type LinkStartParams = Of<typeof LinkStartParams>;

export const LinkCompleteParams = verbParams({
  bankLinkId: Id.describe(
    "Default: the latest link that is not completed; if there is none, a new one is started.",
  ).optional(),
  by: z
    .enum(["notification", "polling"])
    .describe(
      "Whether the provider sends its notification; otherwise polling detects the completion.",
    )
    .optional(),
}).describe("The completion of a hosted flow.");
export type LinkCompleteParams = Of<typeof LinkCompleteParams>;

const BankLinkResult = z.object({
  bankLinkId: z.string(),
  bankAccountIds: z.array(z.string()).describe("Empty until the link is completed."),
  retryAfterSeconds: z
    .int()
    .describe(
      "The greatest delay until polling completes the link; absent unless its flow is finished.",
    )
    .optional(),
});

export const linkStart = verb({
  name: "link-start",
  summary: "Starts a bank link in the hosted flow",
  requirements: [],
  params: LinkStartParams,
  result: BankLinkResult,
  example: { accounts: [{ name: "Everyday Account", mask: "4242" }] },
  run: (work, params) => resultOf(work, start(work, params)),
});

export const linkComplete = verb({
  name: "link-complete",
  summary: "Completes a bank link, with or without the provider's notification",
  requirements: ["BLK-02", "BLK-03", "BLK-04", "BLK-05", "SUB-07", "SUB-10"],
  params: LinkCompleteParams,
  result: BankLinkResult,
  example: { by: "polling" },
  run(work, { bankLinkId, accountId, by = "notification" }) {
    const link = linkFor(work, bankLinkId, accountId);
    if (by === "polling") finish(work, link);
    else completeBankLink(work, link.id);
    return resultOf(work, link);
  },
});

/** The given link, the latest that is not completed, or a new one. */
function linkFor(work: UnitOfWork, id?: string, accountId?: string): BankLink {
  const which = { id, accountId };
  const isUnderWay = ({ internal }: BankLink) => internal.state !== "completed";
  const found = namedOrLatest(work.store, "bank-links", which, isUnderWay);
  return found ?? start(work, { accountId });
}

/** Starts a hosted flow. `GET /bank-links` lists it from now on. */
function start(work: UnitOfWork, params: LinkStartParams): BankLink {
  const { accountId, subaccountId } = subaccountFor(work, params);
  const { provider = DEFAULT_PROVIDER, accounts = defaultAccounts(work, subaccountId) } = params;
  const taken = takenDigits(work.store, subaccountId);
  for (const { mask } of accounts) if (mask !== undefined) taken.add(mask);
  const whole = accounts.map((account) => withDefaults(work, account, taken));
  const id = work.random.id("bank link");
  const { to } = requireTransition(BANK_LINK_TRANSITIONS, "start", "new");
  return work.insert({
    ...{ kind: "bank-links", id, accountId, subaccountId, parent: subaccountId },
    body: bareBody("bank-links", id, subaccountId),
    internal: { state: to, provider, accounts: whole },
  });
}

/** A credit account, and a current account for the latest card without a bank account. */
function defaultAccounts({ store }: UnitOfWork, subaccountId: string): LinkableAccountParams[] {
  const cards = enrolledCards(store, subaccountId);
  const free = cards.findLast(({ subscription }) => !subscription.body.bankAccountId);
  const mask = free && { mask: free.card.internal.last4 };
  return [
    { name: "Travel Credit", type: "Credit Card" },
    { name: "Everyday Account", ...mask },
  ];
}

function withDefaults(
  work: UnitOfWork,
  { name, mask, type = DEFAULT_TYPE, currency = DEFAULT_CURRENCY, network }: LinkableAccountParams,
  taken: Set<string>,
): LinkableAccount {
  const usualName = normalizedType(type) === "credit" ? "Credit Card" : "Current Account";
  return {
    name: name ?? usualName,
    mask: mask ?? drawDigits(work, taken),
    type,
    currency,
    network: cardNetwork(work, "c", network),
  };
}

function resultOf({ store }: UnitOfWork, { id, internal }: BankLink): Of<typeof BankLinkResult> {
  const accounts = store.children("bank-accounts", id);
  return {
    bankLinkId: id,
    bankAccountIds: accounts.map((account) => account.id),
    ...(internal.state === "finished" && { retryAfterSeconds: POLL_MS / 1_000 }),
  };
}

/** The cardholder completes the flow, but the notification is lost. Polling will find it. */
function finish(work: UnitOfWork, link: BankLink): void {
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
  readonly eventItem: EventPayloads["banklink.completed"]["bankAccounts"][number];
  readonly changes: readonly SubscriptionChange[];
}

function openBankAccount(work: UnitOfWork, link: BankLink, shown: LinkableAccount): OpenedAccount {
  const { mask, network } = shown;
  const account = insertBankAccount(work, link, shown);
  const { name, type, cardIds } = account.internal;
  const enrolled = enrolledCards(work.store, link.subaccountId, mask);
  // BLK-04: a card keeps its bank account, and is listed at each account that shows its digits.
  const isFree = ({ subscription }: EnrolledCard) => !subscription.body.bankAccountId;
  const kept = enrolled.filter((card) => !isFree(card)).map(({ card }) => card.id);
  const linked = enrolled.filter(isFree).map((card) => linkCard(work, card, account));
  const item = () => ({ id: account.id, name, mask, type, cardIds: [...cardIds, ...kept] });
  // BLK-03: no card is minted for an account with an enrolled card.
  if (type !== "credit" || enrolled.length > 0) return { eventItem: item(), changes: linked };
  const { accountId, subaccountId } = link;
  const card = { accountId, subaccountId, last4: mask, network, bankAccount: account };
  const minted = enrollCard(work, "mint", card);
  const mintedItem = {
    ...{ id: minted.subscription.body.cardId, subscriptionId: minted.subscription.id },
    ...{ last4digits: mask, network: network.toLowerCase(), enrollmentType: "bank-feed" as const },
  };
  return { eventItem: { ...item(), cards: [mintedItem] }, changes: [minted] };
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
