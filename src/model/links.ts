import type { ResourceKind } from "../../generated/resources.ts";

/** CONV-05: the link to a resource. */
export function linkTo(kind: ResourceKind, id: string): { href: string } {
  return { href: `/${kind}/${id}` };
}

/** The link to a resource whose path contains its subaccount (EP-10, EP-12). */
export function linkWithin(kind: ResourceKind, subaccountId: string, id: string): { href: string } {
  return { href: `/${kind}/${subaccountId}/${id}` };
}

/** The body of a resource of which the interface shows only the id and the links. */
export function bareBody(kind: ResourceKind, id: string, subaccountId?: string) {
  const links = { self: linkTo(kind, id) };
  if (subaccountId === undefined) return { id, _links: links };
  return { id, _links: { ...links, subaccount: linkTo("subaccounts", subaccountId) } };
}
