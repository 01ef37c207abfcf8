import { operations } from "../generated/operations.ts";
import { valueAt } from "../src/contract/pointer.ts";
import type { AnsweringOperation } from "../src/contract/validate.ts";
import { isBelow } from "./link.ts";
import type { Target } from "./session.ts";
import type { Survey } from "./survey.ts";

/** A path with ids that no server has. */
export function pathOfNothing(template: string): string {
  return template.replaceAll(/\{\w+\}/g, "00000000-0000-4000-8000-000000000000");
}

/**
 * Where the path of a resource is found: in which collection, and behind which members of its first
 * item.
 */
const SOURCES: Partial<Record<AnsweringOperation, Source>> = {
  "GET /subaccounts/{id}": selfLink("GET /subaccounts", "subaccounts"),
  "GET /cards/{id}": selfLink("GET /cards", "cards"),
  "GET /transactions/{transactionId}": selfLink("GET /transactions", "transactions"),
  "GET /transaction-messages/{id}": {
    collection: "GET /transactions",
    items: "transactions",
    link: ["_links", "messages", "0", "href"],
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
  readonly collection: AnsweringOperation;
  readonly items: string;
  readonly link: readonly string[];
}

function selfLink(collection: AnsweringOperation, items: string): Source {
  return { collection, items, link: ["_links", "self", "href"] };
}

/**
 * Finds a path that an operation can be asked by: a collection's own, or the link to the first
 * resource that the answers so far know (PAGE-14: by links, never built).
 *
 * @returns the path, or undefined where the answers know no such resource. Nothing links to a card
 * subscription or a bulk feed but events, so only a mock can be asked for one.
 */
export function findSubject(
  operation: AnsweringOperation,
  answers: Survey,
  { profile, baseUrl }: Target,
): string | undefined {
  const { path } = operations[operation];
  if (!path.includes("{")) return path;
  const source = SOURCES[operation];
  // A stateless mock answers any id by its example.
  if (!source) return profile === "mock" ? pathOfNothing(path) : undefined;
  const body = answers.get(source.collection)?.exchange.response?.json;
  const href = valueAt(body, ["_embedded", source.items, "0", ...source.link]);
  return isBelow(baseUrl, href) ? href : undefined;
}
