import type { PathOf } from "./surface.ts";

/** What a path is called that the contract does not know. */
export const UNKNOWN = "/*";

/** Every path that answers a GET. The type holds it complete. */
const TEMPLATES: Readonly<Record<PathOf<"GET">, true>> = {
  "/subaccounts": true,
  "/subaccounts/{id}": true,
  "/cards": true,
  "/cards/{id}": true,
  "/card-subscriptions/{id}": true,
  "/network-bulk-feeds/{id}": true,
  "/transactions": true,
  "/transactions/{transactionId}": true,
  "/transaction-messages/{id}": true,
  "/bank-links": true,
  "/bank-accounts": true,
  "/bank-accounts/{id}": true,
  "/bank-transactions": true,
  "/bank-transactions/{subaccountId}/{id}": true,
  "/transaction-matches": true,
  "/transaction-matches/{subaccountId}/{matchId}": true,
};

const BY_SHAPE = new Map(Object.keys(TEMPLATES).map((path) => [shapeOf(path), path]));

/** The template that a path follows, such as `/cards/{id}`; {@link UNKNOWN} where it follows none. */
export function templateOf(path: string): string {
  return BY_SHAPE.get(shapeOf(path)) ?? UNKNOWN;
}

/** A path's first segment, and how many follow: enough to tell the templates apart. */
function shapeOf(path: string): string {
  const [, first, ...others] = path.split("/");
  return `${first} ${others.length}`;
}
