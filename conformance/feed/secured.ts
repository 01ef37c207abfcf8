import { type OperationKey, operations } from "../../generated/operations.ts";
import type { OperationWithResponse } from "../../src/contract/validate.ts";
import type { RawCall, Session } from "../session.ts";
import type { Exchange } from "../transport/exchange.ts";
import { feedOf } from "./crawl.ts";
import { pathWithUnknownIds } from "./operations.ts";

export const securedOperations = (Object.keys(operations) as OperationKey[]).filter(
  (key) => operations[key].secured,
);

/** A request of a secured operation, to be sent with whatever a check has in mind. */
export interface SecuredCall extends RawCall {
  readonly operation: OperationKey;
  /** What the same answered with a good token; left out where the path is one of nothing. */
  readonly accepted?: Exchange;
}

/** An operation at an id that nobody has. What gets through all the same touches nothing. */
export function callWithUnknownIds(operation: OperationKey): SecuredCall {
  const { method, path } = operations[operation];
  return {
    operation,
    ...(method === "PATCH" && NO_CHANGE),
    method,
    path: pathWithUnknownIds(path),
  };
}

const NO_CHANGE = { headers: { "content-type": "application/json" }, body: "{}" };

/** An operation at something that is there, as the target's own lists and links lead to it. */
export async function callOfExisting(
  session: Session,
  operation: OperationKey,
): Promise<SecuredCall | undefined> {
  if (operations[operation].method !== "GET") return undefined;
  const answers = (await feedOf(session)).of(operation as OperationWithResponse);
  const accepted = answers.find(({ isJson }) => isJson)?.exchange;
  if (!accepted) return undefined;
  return { operation, method: "GET", path: pathBelow(session, accepted), accepted };
}

/** An operation at something that is there, or else at nothing. */
export async function callOf(session: Session, operation: OperationKey): Promise<SecuredCall> {
  return (await callOfExisting(session, operation)) ?? callWithUnknownIds(operation);
}

/** Path and query of a request, below the base address. */
export function pathBelow({ baseUrl }: Session, { request }: Exchange): string {
  return request.url.slice(new URL(baseUrl).href.replace(/(?<!\/)\/+$/, "").length);
}

/** A call with an Authorization header. */
export function withAuthorization(call: SecuredCall, authorization: string): RawCall {
  const { method, path, headers, body } = call;
  return {
    method,
    path,
    headers: { ...headers, authorization },
    ...(body !== undefined && { body }),
  };
}
