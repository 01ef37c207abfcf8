/** A collection of the interface: the first segment of a resource's path (EP-13). */
type Collection =
  | "subaccounts"
  | "cards"
  | "card-subscriptions"
  | "network-bulk-feeds"
  | "bank-links"
  | "bank-accounts"
  | "bank-transactions"
  | "transactions"
  | "transaction-messages"
  | "transaction-matches";

/** CONV-05: the link to a resource. */
export function linkTo(collection: Collection, id: string): { href: string } {
  return { href: `/${collection}/${id}` };
}

/** The link to a resource whose path contains its subaccount (EP-10, EP-12). */
export function linkWithin(
  collection: Collection,
  subaccountId: string,
  id: string,
): { href: string } {
  return { href: `/${collection}/${subaccountId}/${id}` };
}

/** The body of a resource of which the interface shows only the id and the links. */
export function bareBody(collection: Collection, id: string, subaccountId?: string) {
  const links = { self: linkTo(collection, id) };
  if (subaccountId === undefined) return { id, _links: links };
  return { id, _links: { ...links, subaccount: linkTo("subaccounts", subaccountId) } };
}
