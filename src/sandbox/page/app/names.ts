import type { Shown } from "./api.ts";
import { page } from "./model.ts";

/** The last digits of a card, or a short id. */
export function cardName(id: string | null | undefined): string | undefined {
  const card = page.view.named.get(id ?? "");
  return card?.kind === "cards" ? `card\u00a0••${card.hidden.last4}` : shortened("card\u00a0", id);
}

/** The name of a bank account, or a short id. */
export function bankAccountName(id: string | null | undefined): string | undefined {
  const account = page.view.named.get(id ?? "");
  if (account?.kind !== "bank-accounts") return shortened("bank account ", id);
  return `${account.hidden.name}\u00a0••${account.hidden.mask}`;
}

/** The name of an account that is not the first one, which is the default of the verbs. */
export function otherAccount(id: string): string | undefined {
  const name = accountName(id);
  return name === "account 1" ? undefined : name;
}

export function accountName(id: string | null): string | undefined {
  const at = page.view.status.accounts.findIndex(({ accountId }) => accountId === id);
  return at === -1 ? undefined : `account ${at + 1}`;
}

export function subscriptionOf({ hidden }: Shown<"cards">) {
  const subscription = page.view.named.get(hidden.subscriptionId);
  return subscription?.kind === "card-subscriptions" ? subscription.body : undefined;
}

function shortened(kind: string, id: string | null | undefined): string | undefined {
  return id ? `${kind}${id.slice(0, 8)}` : undefined;
}
