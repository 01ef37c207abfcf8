import { notFound } from "../refusal.ts";
import type { Kind } from "../store/resources.ts";
import { nameOf, type Store } from "../store/store.ts";

/** Which resource is asked for, and by whom. */
export interface ResourceRequest {
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
export function servedBody(
  store: Store,
  { kind, id, accountId, subaccountId }: ResourceRequest,
): string {
  const found = store.served(kind, id);
  const isTheirs = found?.accountId === accountId;
  const isElsewhere = subaccountId !== undefined && subaccountId !== found?.subaccountId;
  const isRetracted = kind === "transaction-matches" && found?.listed === false;
  if (!found || !isTheirs || isElsewhere || isRetracted) throw notFound(nameOf(kind), id);
  return found.body;
}
