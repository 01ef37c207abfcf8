import { type OperationKey, operations } from "../../generated/operations.ts";
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

/** Where a collection's items stand in `_embedded` (PAGE-10; readings, 12). */
export const ITEMS: Readonly<Record<CollectionOperation, string>> = {
  "GET /subaccounts": "subaccounts",
  "GET /cards": "cards",
  "GET /transactions": "transactions",
  "GET /bank-links": "bankLinks",
  "GET /bank-accounts": "bankAccounts",
  "GET /bank-transactions": "bankTransactions",
  "GET /transaction-matches": "transactionMatches",
};

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

/** The operation that a link leads to; undefined where it is none of the interface. */
export function operationAt(href: string): ReadOperation | undefined {
  const [path = ""] = href.split(/[?#]/);
  return patterns.find(([, pattern]) => pattern.test(path))?.[0];
}
