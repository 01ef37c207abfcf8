import type {
  LinkableAccountParams,
  LinkStartParams,
  VerbResults,
} from "../../../generated/control-types.ts";
import { normalizedType } from "../../model/bank-account.ts";
import { namedOrLatest } from "../lookup.ts";
import type { LinkableAccount } from "../resources.ts";
import type { UnitOfWork } from "../unit-of-work.ts";
import type { VerbHandlers } from "../verbs/verb.ts";
import {
  type BankLink,
  completeBankLink,
  finishBankLink,
  POLL_MS,
  startBankLink,
} from "./bank-links.ts";
import { cardNetwork, drawDigits, enrolledCards, takenDigits } from "./cards.ts";
import { type SubaccountRef, subaccountFor } from "./subaccounts.ts";

const DEFAULT_PROVIDER = "PROVIDER_A";
const DEFAULT_CURRENCY = "EUR";
const DEFAULT_TYPE = "depository/checking";

/** The verbs of a bank link. */
export const bankLinkVerbs: VerbHandlers<"link-start" | "link-complete"> = {
  "link-start": (work, params) => resultOf(work, start(work, params)),
  "link-complete": (work, { bankLinkId, accountId, by = "notification" }) => {
    const link = linkFor(work, bankLinkId, accountId);
    if (by === "polling") finishBankLink(work, link);
    else completeBankLink(work, link.id);
    return resultOf(work, link);
  },
};

/** The given link, the latest that is not completed, or a new one. */
function linkFor(work: UnitOfWork, id?: string, accountId?: string): BankLink {
  const which = { id, accountId };
  const isUnderWay = ({ internal }: BankLink) => internal.state !== "completed";
  const found = namedOrLatest(work.store, "bank-links", which, isUnderWay);
  return found ?? start(work, { accountId });
}

function start(work: UnitOfWork, params: LinkStartParams): BankLink {
  const place = subaccountFor(work, params);
  const { provider = DEFAULT_PROVIDER, accounts = defaultAccounts(work, place) } = params;
  const taken = takenDigits(work.store, place.subaccountId);
  for (const { mask } of accounts) if (mask !== undefined) taken.add(mask);
  const whole = accounts.map((account) => withDefaults(work, account, taken));
  return startBankLink(work, place, { provider, accounts: whole });
}

/** A credit account, and a current account for the latest card without a bank account. */
function defaultAccounts(
  { store }: UnitOfWork,
  { subaccountId }: SubaccountRef,
): LinkableAccountParams[] {
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

function resultOf({ store }: UnitOfWork, { id, internal }: BankLink): VerbResults["link-start"] {
  const accounts = store.children("bank-accounts", id);
  return {
    bankLinkId: id,
    bankAccountIds: accounts.map((account) => account.id),
    ...(internal.state === "finished" && { retryAfterSeconds: POLL_MS / 1_000 }),
  };
}
