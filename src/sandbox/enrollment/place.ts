import { accountFor } from "../accounts.ts";
import { namedOrLatest } from "../lookup.ts";
import type { UnitOfWork } from "../unit-of-work.ts";
import { openSubaccount } from "./subaccounts.ts";

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
