import { bareBody } from "../../model/links.ts";
import { accountFor } from "../accounts.ts";
import { namedOrLatest } from "../lookup.ts";
import type { UnitOfWork } from "../unit-of-work.ts";

/**
 * Opens a subaccount.
 *
 * @param name shown only by the control API
 * @returns its id
 */
export function openSubaccount(work: UnitOfWork, accountId: string, name?: string): string {
  const id = work.random.id("subaccount");
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

/** A subaccount, with its account. */
export interface SubaccountRef {
  readonly accountId: string;
  readonly subaccountId: string;
}

/** The given subaccount, the account's latest, or a new one. */
export function subaccountFor(
  work: UnitOfWork,
  {
    subaccountId,
    accountId,
  }: { subaccountId?: string | undefined; accountId?: string | undefined },
): SubaccountRef {
  const which = { id: subaccountId, accountId };
  const found = namedOrLatest(work.store, "subaccounts", which, () => true);
  if (found) return { accountId: found.accountId, subaccountId: found.id };
  const owner = accountFor(work.store, accountId);
  return { accountId: owner, subaccountId: openSubaccount(work, owner) };
}
