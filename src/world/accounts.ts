import { notFound } from "./refusal.ts";
import type { Store } from "./store.ts";
import type { UnitOfWork } from "./unit-of-work.ts";

/** Creates an account with new credentials, and returns its id. */
export function openAccount(work: UnitOfWork): string {
  const { store, random } = work;
  const secret = () => work.secretOf(random.hex(40));
  const accountId = random.id("account");
  store.addAccount({
    accountId,
    clientId: `api-${random.hex(12)}`,
    clientSecret: secret(),
    sdkClientId: `sdk-${random.hex(12)}`,
    sdkClientSecret: secret(),
  });
  return accountId;
}

/** The given account's id; default: the first account's. Throws a 404 Refusal if none exists. */
export function accountFor(store: Store, accountId?: string): string {
  const account = store.accounts().find((known) => !accountId || known.accountId === accountId);
  if (!account) throw notFound("account", accountId ?? "");
  return account.accountId;
}
