import { completeBankLink } from "../../world/enrollment/bank-links.ts";
import { notFound } from "../../world/refusal.ts";
import { type Kind, nameOf } from "../../world/resources.ts";
import { jsonObjectOf } from "../request-body.ts";
import type { SqliteStore } from "../store/store.ts";
import type { OperationRequest } from "./operation.ts";

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
  store: SqliteStore,
  { kind, id, accountId, subaccountId }: ResourceRequest,
): string {
  const found = store.served(kind, id);
  const isTheirs = found?.accountId === accountId;
  const isElsewhere = subaccountId !== undefined && subaccountId !== found?.subaccountId;
  const isRetracted = kind === "transaction-matches" && found?.listed === false;
  if (!found || !isTheirs || isElsewhere || isRetracted) throw notFound(nameOf(kind), id);
  return found.body;
}

/**
 * Completes a bank link by hand (EP-07), and returns it. The body is not specified: any JSON object
 * or no body is accepted. A second call has no effect and the same response.
 *
 * @throws {Refusal} 404 for an unknown link; 400, 413 or 415 if the body is not a JSON object
 */
export async function completeByHand({
  context,
  service,
  accountId,
}: OperationRequest): Promise<string> {
  await jsonObjectOf(context);
  const id = context.req.param("bankLinkId") ?? "";
  const wanted = { kind: "bank-links", id, accountId, subaccountId: undefined } as const;
  return service.engine.commit((work) => {
    servedBody(work.store, wanted);
    completeBankLink(work, id);
    return servedBody(work.store, wanted);
  });
}
