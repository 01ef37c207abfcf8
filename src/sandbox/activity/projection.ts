import { accountFor } from "../accounts.ts";
import type { UnitOfWork } from "../unit-of-work.ts";
import type { SwitchProjectionParams, VerbResults } from "../verbs/params.ts";
import { rebuildBody } from "./transaction.ts";

/** TXN-10: switches the projection of an account on or off. No event announces it. */
export function switchProjection(
  work: UnitOfWork,
  { accountId, on }: SwitchProjectionParams,
): VerbResults["switch-projection"] {
  const { store } = work;
  const account = accountFor(store, accountId);
  store.sql("UPDATE accounts SET projection = ? WHERE id = ?").run(Number(on), account);
  for (const transaction of store.latest("transactions", account)) {
    rebuildBody(work, transaction);
  }
  return { accountId: account };
}
