import { type OperationKey, operations } from "../generated/operations.ts";
import type { AnsweringOperation } from "../src/contract/validate.ts";
import { linkAt } from "./link.ts";
import type { Profile } from "./session.ts";
import type { Answer } from "./survey.ts";
import type { TypedCall } from "./typed-call.ts";

/** An operation that reads a collection or a resource. */
export type ReadOperation = AnsweringOperation & `GET ${string}`;

type CollectionOperation = Exclude<ReadOperation, `${string}{${string}`>;

const readOperations = (Object.keys(operations) as OperationKey[]).filter(
  (key): key is ReadOperation => operations[key].method === "GET",
);

/** Every operation that reads a collection. */
export const collections = readOperations.filter(isCollection);

/** Every operation that reads one resource: it is found in the collections. */
export const resources = readOperations.filter((operation) => !isCollection(operation));

function isCollection(operation: ReadOperation): operation is CollectionOperation {
  return !operation.includes("{");
}

/** An id that no server has. */
const NOTHING = "00000000-0000-4000-8000-000000000000";

/** A path with ids that no server has. */
export function pathOfNothing(template: string): string {
  return template.replaceAll(/\{\w+\}/g, NOTHING);
}

/**
 * Where a link to a resource is found: in which collection, and behind which members of its first
 * item.
 */
const SOURCES: Partial<Record<ReadOperation, Source>> = {
  "GET /subaccounts/{id}": selfLink("GET /subaccounts", "subaccounts"),
  "GET /cards/{id}": selfLink("GET /cards", "cards"),
  "GET /transactions/{transactionId}": selfLink("GET /transactions", "transactions"),
  "GET /transaction-messages/{id}": {
    collection: "GET /transactions",
    items: "transactions",
    link: ["_links", "messages", "0"],
  },
  "GET /bank-accounts/{id}": selfLink("GET /bank-accounts", "bankAccounts"),
  "GET /bank-transactions/{subaccountId}/{id}": selfLink(
    "GET /bank-transactions",
    "bankTransactions",
  ),
  "GET /transaction-matches/{subaccountId}/{matchId}": selfLink(
    "GET /transaction-matches",
    "transactionMatches",
  ),
};

interface Source {
  readonly collection: CollectionOperation;
  readonly items: string;
  readonly link: readonly string[];
}

function selfLink(collection: CollectionOperation, items: string): Source {
  return { collection, items, link: ["_links", "self"] };
}

/** Nothing links to these but events. A stateless mock answers any id by its example. */
const UNLINKED: Partial<Record<ReadOperation, TypedCall>> = {
  "GET /card-subscriptions/{id}": (feed) => feed.cardSubscriptions.getResult(NOTHING),
  "GET /network-bulk-feeds/{id}": (feed) => feed.networkBulkFeeds.getResult(NOTHING),
};

/**
 * Finds the call that asks an operation: of a resource, by the link to the first one that the
 * answers so far know (PAGE-14: by links, never built).
 *
 * @returns the call, or undefined where the answers know no such resource.
 */
export function findSubject(
  operation: ReadOperation,
  answers: ReadonlyMap<AnsweringOperation, Answer>,
  profile: Profile,
): TypedCall | undefined {
  if (isCollection(operation)) return (feed) => feed.GET(operations[operation].path);
  const source = SOURCES[operation];
  if (!source) return profile === "mock" ? UNLINKED[operation] : undefined;
  const body = answers.get(source.collection)?.exchange.response?.json;
  const link = linkAt(body, ["_embedded", source.items, "0", ...source.link]);
  return link === undefined ? undefined : (feed) => feed.followResult(link);
}
