import type { Kind } from "./store/resources.ts";

/** CONV-05: the link to a resource. */
export function linkTo(kind: Kind, id: string): { href: string } {
  return { href: `/${kind}/${id}` };
}

/** The link to a resource that is addressed within its subaccount (EP-10, EP-12). */
export function linkWithin(kind: Kind, subaccountId: string, id: string): { href: string } {
  return { href: `/${kind}/${subaccountId}/${id}` };
}

/** The body of a resource of which the interface shows no more than its id and its links. */
export function bareBody(kind: Kind, id: string, subaccountId?: string) {
  const links = { self: linkTo(kind, id) };
  if (subaccountId === undefined) return { id, _links: links };
  return { id, _links: { ...links, subaccount: linkTo("subaccounts", subaccountId) } };
}
