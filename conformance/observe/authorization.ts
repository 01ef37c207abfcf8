import { type OperationKey, operations } from "../../generated/operations.ts";
import { maxPageSize } from "../../generated/resources.ts";
import type { OperationWithResponse } from "../../src/contract/validate.ts";
import type { RawCall, Session } from "../check.ts";
import { Skip } from "../skip.ts";
import type { Exchange } from "../wire/exchange.ts";
import { tokenOf } from "../wire/tokens.ts";
import { feedOf } from "./crawl.ts";
import { collections, linksIn, operationAt, pathBelow, pathWithUnknownIds } from "./operations.ts";
import { type Walk, walk } from "./pages.ts";
import { pagingsOf } from "./paging.ts";

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

/** A call with an Authorization header, or without one. */
export function withAuthorization(call: RawCall, authorization: string | undefined): RawCall {
  const { method, path, headers, body } = call;
  return {
    method,
    path,
    headers: { ...headers, ...(authorization !== undefined && { authorization }) },
    ...(body !== undefined && { body }),
  };
}

/** Gets a token for the SDK credentials and keeps it as `$TXFEED_SDK_TOKEN`. */
export function sdkExchange(session: Session): Promise<Exchange> {
  return session.share("the SDK's token", (shared) =>
    shared.exchangeToken({ identity: "sdk", keepAs: "$TXFEED_SDK_TOKEN" }),
  );
}

/** Gets a token for the second account and keeps it as `$TXFEED_SECOND_TOKEN`. */
export function secondAccountExchange(session: Session): Promise<Exchange> {
  return session.share("the second account's token", (shared) =>
    shared.exchangeToken({ identity: "second", keepAs: "$TXFEED_SECOND_TOKEN" }),
  );
}

/**
 * Gets a second token for the run's own credentials and keeps it as `$TXFEED_TOKEN_LATER`. It may
 * invalidate the first one (AUTH-10). Most data is therefore fetched before, so that only the check
 * of AUTH-10 fails.
 */
export function laterExchange(session: Session): Promise<Exchange> {
  return session.share("a second token", async (shared) => {
    await feedOf(shared);
    if (shared.capabilities.profile === "full") await pagingsOf(shared);
    return shared.exchangeToken({ keepAs: "$TXFEED_TOKEN_LATER" });
  });
}

/** Throws a Skip if an exchange returned no token. */
export function requireToken(exchange: Exchange, whose: string): void {
  if (tokenOf(exchange) !== undefined) return;
  throw new Skip(`${whose} got no token: see AUTH-01 and AUTH-02`);
}

/** The data that the second account can see. */
interface SecondAccount {
  readonly lists: readonly Walk[];
  /** The paths of the resources that its lists link to, by operation. */
  readonly paths: ReadonlyMap<string, readonly string[]>;
}

/** A limit for whole lists, and one that requires following next links. */
const LIMITS = [maxPageSize, 1];

/** Maximum number of pages per list. */
const MAX_PAGES = 5;

/** Reads the lists of the second account. Rejects with a Skip if it has no token. */
export function secondAccountOf(session: Session): Promise<SecondAccount> {
  return session.share("the second account", async (shared) => {
    requireToken(await secondAccountExchange(shared), "the second account's credentials");
    const options = { mostPages: MAX_PAGES, token: "$TXFEED_SECOND_TOKEN" };
    const lists = await Promise.all(
      collections.flatMap((operation) =>
        LIMITS.map((limit) => walk(shared, operation, { limit, ...options })),
      ),
    );
    const items = lists.flatMap(({ pages }) => pages.flatMap((page) => page.items));
    const hrefs = new Set(linksIn(items).map(({ href }) => href));
    const resources = [...hrefs].filter((href) => isResource(operationAt(href)));
    return { lists, paths: Map.groupBy(resources, (href) => operationAt(href) ?? "") };
  });
}

function isResource(operation: string | undefined): boolean {
  return operation?.includes("{") ?? false;
}
