import type { Ledger } from "../ledger.ts";
import { bareBody } from "../links.ts";

/** Opens a subaccount, by a name that the control API alone shows. Returns its id. */
export function openSubaccount(ledger: Ledger, accountId: string, name?: string): string {
  const id = ledger.random.id();
  const place = ledger.store.latest("subaccounts", accountId).length + 1;
  ledger.insert({
    kind: "subaccounts",
    id,
    accountId,
    subaccountId: id,
    parent: accountId,
    body: bareBody("subaccounts", id),
    hidden: { name: name ?? `Subaccount ${place}` },
  });
  return id;
}
