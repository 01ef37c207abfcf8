import { notFound } from "../refusal.ts";
import type { Kind } from "../store/resources.ts";
import { nameOf, type Store } from "../store/store.ts";

/** The requested resource, and the account that requests it. */
interface ResourceRequest {
  readonly kind: Kind;
  readonly id: string;
  readonly accountId: string;
  /** The subaccount in the path, if any. */
  readonly subaccountId: string | undefined;
}

/**
 * The stored body of a resource, as unparsed JSON text. A deleted bank transaction is not listed
 * but still served, because messages refer to it (MSG-11). A retracted match is not served.
 *
 * @throws {Refusal} 404 if there is none, or it belongs to another account (AUTH-12) or to another
 * subaccount than that of the path
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
