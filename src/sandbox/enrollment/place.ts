import { accountFor } from "../accounts.ts";
import { namedOrLatest } from "../lookup.ts";
import type { UnitOfWork } from "../unit-of-work.ts";
import { openSubaccount } from "./subaccounts.ts";

/** Where a verb takes place. */
export interface SubaccountRef {
  readonly accountId: string;
  readonly subaccountId: string;
}

/** The named subaccount, or the account's latest; one is opened where the account has none. */
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
