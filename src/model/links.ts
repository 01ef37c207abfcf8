import type { ResourceKind } from "../../generated/resources.ts";

/** Formats 32 hexadecimal digits as an id in the shape of a random UUID. */
export function uuidFrom(hex: string): string {
  const groups = [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`];
  return [...groups, `a${hex.slice(17, 20)}`, hex.slice(20, 32)].join("-");
}

/** CONV-05: the link to a resource. */
export function linkTo(kind: ResourceKind, id: string): { href: string } {
  return { href: `/${kind}/${id}` };
}

/** The link to a resource whose path contains its subaccount (EP-10, EP-12). */
export function linkWithin(kind: ResourceKind, subaccountId: string, id: string): { href: string } {
  return { href: `/${kind}/${subaccountId}/${id}` };
}

/** The body of a resource whose other fields the interface does not show. */
export function bareBody(kind: ResourceKind, id: string, subaccountId?: string) {
  const links = { self: linkTo(kind, id) };
  if (subaccountId === undefined) return { id, _links: links };
  return { id, _links: { ...links, subaccount: linkTo("subaccounts", subaccountId) } };
}
