import { notFound } from "../refusal.ts";
import type { Kind } from "../store/resources.ts";
import { nameOf, type Store } from "../store/store.ts";

/** Which resource is asked for, and by whom. */
export interface Wanted {
  readonly kind: Kind;
  readonly id: string;
  readonly accountId: string;
  /** The subaccount that the path names; undefined where it names none. */
  readonly subaccountId: string | undefined;
}

/**
 * Gives a resource's body as it is served: what is stored, with nothing parsed. A bank transaction
 * that was deleted is in no list, and still there, as messages name it (MSG-11); a match that was
 * retracted is gone.
 *
 * @throws a Refusal 404 where there is none, or it is another account's (AUTH-12), or of another
 * subaccount than the path says
 */
export function servedBody(store: Store, { kind, id, accountId, subaccountId }: Wanted): string {
  const row = store
    .sql(
      `SELECT subaccount_id, listed, body FROM resources
       WHERE id = ? AND kind = ? AND account_id = ?`,
    )
    .get(id, kind, accountId);
  const isRetracted = kind === "transaction-matches" && row?.["listed"] === 0;
  const isElsewhere = subaccountId !== undefined && subaccountId !== row?.["subaccount_id"];
  if (!row || isRetracted || isElsewhere) throw notFound(nameOf(kind), id);
  return row["body"] as string;
}
