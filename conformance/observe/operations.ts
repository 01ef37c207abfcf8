import { type OperationKey, operations } from "../../generated/operations.ts";
import { resourceOperations, resources as resourceTable } from "../../generated/resources.ts";
import type { OperationWithResponse } from "../../src/contract/validate.ts";

/** An operation that reads a collection or a resource. */
export type ReadOperation = OperationWithResponse & `GET ${string}`;

export type CollectionOperation = Exclude<ReadOperation, `${string}{${string}`>;

const readOperations = (Object.keys(operations) as OperationKey[]).filter(
  (key): key is ReadOperation => operations[key].method === "GET",
);

/** Every operation that reads a collection. */
export const collections = readOperations.filter(isCollection);

/** Every operation that reads one resource. */
export const resources = readOperations.filter((operation) => !isCollection(operation));

function isCollection(operation: ReadOperation): operation is CollectionOperation {
  return !operation.includes("{");
}

const addresses = Object.values(resourceTable);

/** The key of each collection's items in `_embedded` (PAGE-10). */
export const ITEM_KEYS = Object.fromEntries(
  addresses.flatMap((one) => ("itemKey" in one ? [[`GET ${one.path}`, one.itemKey]] : [])),
) as Readonly<Record<CollectionOperation, string>>;

const pairs = Object.values(resourceOperations);

/** An operation that gets one resource of a collection. */
export type ListedOperation = Extract<
  (typeof pairs)[number],
  { readonly get: string; readonly list: string }
>["get"];

/** The operation that lists the resource that an operation gets. */
export const LISTED_BY = Object.fromEntries(
  pairs.flatMap((one) => ("get" in one && "list" in one ? [[one.get, one.list]] : [])),
) as Readonly<Record<ListedOperation, CollectionOperation>>;

/** The operations whose resources are reliably linked only from deliveries. */
export const LINKED_BY_DELIVERIES: readonly ReadOperation[] = [
  resourceOperations.cardSubscriptions.get,
  resourceOperations.networkBulkFeeds.get,
];

/** An id that no server has. */
export const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000";

/** A path with ids that no server has. */
export function pathWithUnknownIds(template: string): string {
  return template.replaceAll(/\{\w+\}/g, UNKNOWN_ID);
}

const patterns = readOperations.map((operation) => {
  const path = operations[operation].path.replaceAll(/\{\w+\}/g, "[^/]+");
  return [operation, new RegExp(`^${path}$`)] as const;
});

/** The operation that a link leads to; undefined if it is not in the interface. */
export function operationAt(href: string): ReadOperation | undefined {
  const [path = ""] = href.split(/[?#]/);
  return patterns.find(([, pattern]) => pattern.test(path))?.[0];
}
