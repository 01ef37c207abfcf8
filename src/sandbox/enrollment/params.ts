import * as z from "zod";
import * as values from "../verbs/values.ts";

const id = values.id.optional();
const network = values.network.optional();

const digits = (count: string, pattern: RegExp) => {
  return z.string().regex(pattern, `takes ${count} digits`);
};

export const openSubaccountParams = z.strictObject({ accountId: id, name: values.text.optional() });

export const enrollParams = z.strictObject({
  accountId: id,
  subaccountId: id,
  cardNumber: digits("12 to 19", /^\d{12,19}$/).optional(),
  network,
  customerReferenceId: z.string().max(200).nullable().optional(),
});

export const subscriptionParams = z.strictObject({ accountId: id, subscriptionId: id });

export const linkCardParams = z.strictObject({ accountId: id, cardId: id, bankAccountId: id });

export const feedSubmitParams = z.strictObject({
  accountId: id,
  subaccountId: id,
  network,
  expectedCardCount: z.int().min(0).optional(),
});

/** How many cards come by one acceptance at most. */
export const MOST_CARDS = 100;

export const feedAcceptParams = z.strictObject({
  accountId: id,
  feedId: id,
  cards: z.int().min(0).max(MOST_CARDS).optional(),
});

export const feedRejectParams = z.strictObject({
  accountId: id,
  feedId: id,
  errorReason: values.text.optional(),
});

const linkableAccount = z.strictObject({
  name: values.text.exactOptional(),
  mask: digits("four", /^\d{4}$/).exactOptional(),
  type: values.text.exactOptional(),
  currency: values.currency.exactOptional(),
  network: values.network.exactOptional(),
});

export const linkStartParams = z.strictObject({
  accountId: id,
  subaccountId: id,
  provider: values.text.optional(),
  accounts: z.array(linkableAccount).min(1).max(20).optional(),
});

export const linkCompleteParams = z.strictObject({
  accountId: id,
  bankLinkId: id,
  by: z.enum(["notification", "polling"]).optional(),
});

export const bankAccountParams = z.strictObject({ accountId: id, bankAccountId: id });

export const consentExpireParams = z.strictObject({
  accountId: id,
  bankAccountId: id,
  reason: values.text.optional(),
  expiresAt: values.timestamp.nullable().optional(),
});
