import type { SandboxAccount } from "./control/control.ts";
import { notFound } from "./refusal.ts";
import type { Store } from "./store/store.ts";
import type { UnitOfWork } from "./unit-of-work.ts";

/** Creates an account with new credentials, and returns its id. */
export function openAccount(work: UnitOfWork): string {
  const { store, random } = work;
  const secret = () => work.secretOf(random.hex(40));
  const id = random.id();
  const seq = accountsOf(store).length + 1;
  store
    .sql(
      `INSERT INTO accounts (id, seq, client_id, client_secret, sdk_client_id, sdk_client_secret)
       VALUES (?, ?, ?, ?, ?, ?)`,
    )
    .run(...[id, seq, `api-${random.hex(12)}`, secret()], ...[`sdk-${random.hex(12)}`, secret()]);
  return id;
}

/** All accounts, the oldest first. */
export function accountsOf(store: Store): SandboxAccount[] {
  return store
    .sql("SELECT * FROM accounts ORDER BY seq")
    .all()
    .map((row) => ({
      accountId: row["id"] as string,
      clientId: row["client_id"] as string,
      clientSecret: row["client_secret"] as string,
      sdkClientId: row["sdk_client_id"] as string,
      sdkClientSecret: row["sdk_client_secret"] as string,
    }));
}

/** The given account's id; default: the first account's. Throws a 404 Refusal if none exists. */
export function accountFor(store: Store, accountId?: string): string {
  const accounts = accountsOf(store);
  const account = accounts.find((known) => !accountId || known.accountId === accountId);
  if (!account) throw notFound("account", accountId ?? "");
  return account.accountId;
}
