import { type OperationKey, operations } from "../../generated/operations.ts";
import type { OperationWithResponse } from "../../src/contract/validate.ts";
import type { RawCall, Session } from "../run/session.ts";
import type { Exchange } from "../wire/exchange.ts";
import { feedOf } from "./crawl.ts";
import { pathBelow } from "./links.ts";
import { pathWithUnknownIds } from "./operations.ts";

export const securedOperations = (Object.keys(operations) as OperationKey[]).filter(
  (key) => operations[key].secured,
);

/** A request of a secured operation that a check can modify before sending. */
export interface SecuredCall extends RawCall {
  readonly operation: OperationKey;
  /** The response with a valid token; omitted if the resource does not exist. */
  readonly accepted?: Exchange;
}

/** Calls an operation with unknown ids. If an invalid request is accepted, it changes nothing. */
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

/** Calls an operation on an existing resource, found in the target's lists and links. */
export async function callOfExisting(
  session: Session,
  operation: OperationKey,
): Promise<SecuredCall | undefined> {
  if (operations[operation].method !== "GET") return undefined;
  const responses = (await feedOf(session)).of(operation as OperationWithResponse);
  const accepted = responses.find(({ isJson }) => isJson)?.exchange;
  if (!accepted) return undefined;
  return { operation, method: "GET", path: pathBelow(session, accepted), accepted };
}

/** Calls an operation on an existing resource, or else with unknown ids. */
export async function callOf(session: Session, operation: OperationKey): Promise<SecuredCall> {
  return (await callOfExisting(session, operation)) ?? callWithUnknownIds(operation);
}

/** Adds an Authorization header to a call. */
export function withAuthorization(call: SecuredCall, authorization: string): RawCall {
  const { method, path, headers, body } = call;
  return {
    method,
    path,
    headers: { ...headers, authorization },
    ...(body !== undefined && { body }),
  };
}
