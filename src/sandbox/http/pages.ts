import { createHmac, timingSafeEqual } from "node:crypto";
import { type ResourceInfo, resources } from "../../../generated/resources.ts";
import { badRequest } from "../../world/refusal.ts";
import type { Kind } from "../../world/resources.ts";
import type { ListedBody } from "../store/store.ts";
import { keysOf } from "./keys.ts";
import { Listing } from "./listing.ts";
import type { OperationRequest } from "./operation.ts";
import { cursorOf, limitOf, offsetOf, refuseParameter } from "./page-query.ts";

const itemKeys = new Map<string, string | undefined>(
  Object.values<ResourceInfo>(resources).map(({ path, itemKey }) => [path, itemKey]),
);

type Links = Record<string, { readonly href: string }>;

/** Responds with a page in cursor style, which every list except /cards has (PAGE-09). */
export function cursorPage(kind: Kind, call: OperationRequest): string {
  const { context, service, accountId } = call;
  refuseParameter(context, "offset");
  const limit = limitOf(context);
  const cursor = cursorOf(context);
  const { cursors } = keysOf(service.engine);
  const from = cursor === undefined ? 0 : openCursor(cursors, { kind, accountId }, cursor);
  if (from === undefined) {
    throw badRequest("invalid cursor: use the cursor from a page link unchanged");
  }
  // One more than the page has, to know whether there is a next page.
  const found = listingOf(kind, call).after(from, limit + 1);
  const items = found.slice(0, limit);
  const last = items.at(-1);
  const hrefAt = (place: string | undefined) =>
    href(kind, place === undefined ? "" : `cursor=${place}`, limit);
  const links: Links = { self: { href: hrefAt(cursor) } };
  if (found.length > limit && last) {
    const cursor = sealCursor(cursors, { kind, accountId, seq: last.seq });
    links["next"] = { href: hrefAt(cursor) };
  }
  return page(kind, links, items);
}

/** Responds with a page in offset style, which /cards has (EP-02). */
export function offsetPage(kind: Kind, call: OperationRequest): string {
  const { context } = call;
  refuseParameter(context, "cursor");
  const limit = limitOf(context);
  const given = offsetOf(context);
  const offset = given ?? 0;
  const listing = listingOf(kind, call);
  const total = listing.total();
  const last = total === 0 ? 0 : Math.floor((total - 1) / limit) * limit;
  const linkTo = (position: number) => ({ href: href(kind, `offset=${position}`, limit) });
  const links: Links = {
    self: given === undefined ? { href: href(kind, "", limit) } : linkTo(offset),
    first: linkTo(0),
    last: linkTo(last),
  };
  if (offset + limit < total) links["next"] = linkTo(offset + limit);
  // PAGE-07. Beyond the end, the previous page is the last one with items.
  if (offset > 0) links["prev"] = linkTo(offset >= total ? last : Math.max(0, offset - limit));
  return page(kind, links, listing.from(offset, limit), total);
}

function listingOf(kind: Kind, { service, accountId }: OperationRequest): Listing {
  const { engine, faults } = service;
  const { listLagMs } = faults;
  const asOfMs = listLagMs === 0 ? undefined : engine.clock.now() - listLagMs;
  return new Listing(engine.store, kind, accountId, asOfMs);
}

/** PAGE-15: a link keeps the limit. */
function href(kind: Kind, place: string, limit: number): string {
  return `/${kind}?${place && `${place}&`}limit=${limit}`;
}

/** Makes a page from bodies that are JSON text. */
function page(kind: Kind, links: Links, items: readonly ListedBody[], total?: number): string {
  // PAGE-10
  const name = itemKeys.get(`/${kind}`);
  const bodies = items.map(({ body }) => body).join(",");
  const end = total === undefined ? "" : `,"totalItems":${total}`;
  return `{"_links":${JSON.stringify(links)},"_embedded":{"${name}":[${bodies}]}${end}}`;
}

/** The position after the resource with sequence number `seq` in a collection. */
interface Place {
  readonly kind: string;
  readonly accountId: string;
  readonly seq: number;
}

const SEQ_BYTES = 6;
const SEAL_BYTES = 16;

/** Creates an opaque cursor that is valid only for this collection and account. */
function sealCursor(key: Buffer, { kind, accountId, seq }: Place): string {
  const place = Buffer.alloc(SEQ_BYTES);
  place.writeUIntBE(seq, 0, SEQ_BYTES);
  const seal = createHmac("sha256", key).update(`${kind} ${accountId} ${seq}`).digest();
  return Buffer.concat([place, seal.subarray(0, SEAL_BYTES)]).toString("base64url");
}

/** Returns the `seq` of a cursor; undefined if the cursor is invalid. */
function openCursor(
  key: Buffer,
  { kind, accountId }: Omit<Place, "seq">,
  cursor: string,
): number | undefined {
  const bytes = Buffer.from(cursor, "base64url");
  if (bytes.length !== SEQ_BYTES + SEAL_BYTES) return undefined;
  const seq = bytes.readUIntBE(0, SEQ_BYTES);
  // Compare the texts, because different texts can decode to the same bytes.
  const sealed = Buffer.from(sealCursor(key, { kind, accountId, seq }));
  const given = Buffer.from(cursor);
  return given.length === sealed.length && timingSafeEqual(given, sealed) ? seq : undefined;
}
