import { bareBody } from "../../model/links.ts";
import type { UnitOfWork } from "../unit-of-work.ts";

/**
 * Opens a subaccount.
 *
 * @param name shown only by the control API
 * @returns its id
 */
export function openSubaccount(work: UnitOfWork, accountId: string, name?: string): string {
  const id = work.random.id();
  const place = work.store.latest("subaccounts", accountId).length + 1;
  work.insert({
    kind: "subaccounts",
    id,
    accountId,
    subaccountId: id,
    parent: accountId,
    body: bareBody("subaccounts", id),
    internal: { name: name ?? `Subaccount ${place}` },
  });
  return id;
}
