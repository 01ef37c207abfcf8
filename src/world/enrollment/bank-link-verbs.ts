import * as z from "zod";
import { normalizedType } from "../../model/bank-account.ts";
import { CurrencyCode, FourDigits, Id, NetworkCode, OfAccount, Text } from "../fields.ts";
import { namedOrLatest } from "../lookup.ts";
import type { LinkableAccount } from "../resources.ts";
import type { Of } from "../schema.ts";
import type { UnitOfWork } from "../unit-of-work.ts";
import { verb } from "../verbs/verb.ts";
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

export const LinkStartParams = z
  .strictObject({
    ...OfAccount.shape,
    subaccountId: Id.optional(),
    provider: Text.optional(),
    accounts: z
      .array(LinkableAccountParams)
      .min(1)
      .max(20)
      .describe("The accounts of the bank. Default: a credit account and a current account.")
      .optional(),
  })
  .describe("A bank link that a cardholder starts in the hosted flow.");
export type LinkStartParams = Of<typeof LinkStartParams>;

export const LinkCompleteParams = z
  .strictObject({
    ...OfAccount.shape,
    bankLinkId: Id.describe(
      "Default: the latest link that is not completed; if there is none, a new one is started.",
    ).optional(),
    by: z
      .enum(["notification", "polling"])
      .describe(
        "Whether the provider sends its notification; otherwise polling detects the completion.",
      )
      .optional(),
  })
  .describe("The completion of a hosted flow.");
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
    if (by === "polling") finishBankLink(work, link);
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

function resultOf({ store }: UnitOfWork, { id, internal }: BankLink): Of<typeof BankLinkResult> {
  const accounts = store.children("bank-accounts", id);
  return {
    bankLinkId: id,
    bankAccountIds: accounts.map((account) => account.id),
    ...(internal.state === "finished" && { retryAfterSeconds: POLL_MS / 1_000 }),
  };
}
