import { accountFor } from "../accounts.ts";
import type { UnitOfWork } from "../unit-of-work.ts";
import type { SwitchProjectionParams, VerbResults } from "../verbs/params.ts";
import { rebuildBody } from "./transaction.ts";

/**
 * TXN-10: switches the projection of messages on or off for an account, as its contact would. No
 * event tells of it, and nothing else of a transaction changes.
 */
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
