import { z } from "zod";

/** An id, as answers and events tell it. */
const id = z.string({ error: "takes an id, as a string" }).optional();

const text = z.string({ error: "takes a string" });
const words = text.min(1, { error: "takes at least one character" });
const network = words.optional();
const digits = (count: string, pattern: RegExp) =>
  text.regex(pattern, { error: `takes ${count} digits, as a string` });

function count(limits: string, most: number) {
  const error = `takes a whole number ${limits}`;
  return z.int({ error }).min(0, { error }).max(most, { error }).optional();
}

export const openSubaccountParams = z.strictObject({ accountId: id, name: words.optional() });

export const enrollParams = z.strictObject({
  ...{ accountId: id, subaccountId: id },
  cardNumber: digits("12 to 19", /^\d{12,19}$/).optional(),
  network,
  customerReferenceId: z.string({ error: "takes a string or null" }).nullable().optional(),
});

export const subscriptionParams = z.strictObject({ accountId: id, subscriptionId: id });

export const linkCardParams = z.strictObject({ accountId: id, cardId: id, bankAccountId: id });

export const feedSubmitParams = z.strictObject({
  ...{ accountId: id, subaccountId: id, network },
  expectedCardCount: count("of 0 or more", Number.MAX_SAFE_INTEGER),
});

/** How many cards come by one acceptance at most. */
export const MOST_CARDS = 100;

export const feedAcceptParams = z.strictObject({
  ...{ accountId: id, feedId: id },
  cards: count(`from 0 to ${MOST_CARDS}`, MOST_CARDS),
});

export const feedRejectParams = z.strictObject({
  ...{ accountId: id, feedId: id },
  errorReason: words.optional(),
});

const linkableAccount = z.strictObject({
  name: words.exactOptional(),
  mask: digits("four", /^\d{4}$/).exactOptional(),
  type: words.exactOptional(),
  currency: text
    .regex(/^[A-Z]{3}$/, { error: "takes a currency's three capital letters" })
    .exactOptional(),
  network: words.exactOptional(),
});

/** How many accounts a bank shows at most. */
const MOST_ACCOUNTS = 20;

export const linkStartParams = z.strictObject({
  ...{ accountId: id, subaccountId: id, provider: words.optional() },
  accounts: z
    .array(linkableAccount, { error: "takes a list of accounts" })
    .min(1, { error: "takes at least one account" })
    .max(MOST_ACCOUNTS, { error: `takes at most ${MOST_ACCOUNTS} accounts` })
    .optional(),
});

export const linkCompleteParams = z.strictObject({
  ...{ accountId: id, bankLinkId: id },
  by: z.enum(["notification", "polling"], { error: "takes notification or polling" }).optional(),
});

export const bankAccountParams = z.strictObject({ accountId: id, bankAccountId: id });

export const consentExpireParams = z.strictObject({
  ...bankAccountParams.shape,
  reason: words.optional(),
  expiresAt: z.iso
    .datetime({
      precision: 3,
      error: "takes a timestamp such as 2026-01-12T09:00:00.000Z, or null",
    })
    .nullable()
    .optional(),
});
