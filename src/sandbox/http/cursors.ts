import { createHmac, timingSafeEqual } from "node:crypto";

/** A place in a collection: behind the resource of that seq. */
export interface Place {
  readonly kind: string;
  readonly accountId: string;
  readonly seq: number;
}

const SEQ_BYTES = 6;
const SEAL_BYTES = 16;

/** Writes a place as a cursor: opaque, and good for this collection of this account alone. */
export function sealCursor(key: Buffer, { kind, accountId, seq }: Place): string {
  const place = Buffer.alloc(SEQ_BYTES);
  place.writeUIntBE(seq, 0, SEQ_BYTES);
  const seal = createHmac("sha256", key).update(`${kind} ${accountId} ${seq}`).digest();
  return Buffer.concat([place, seal.subarray(0, SEAL_BYTES)]).toString("base64url");
}

/** The seq that a cursor was sealed with; undefined where it was made or changed by others. */
export function openCursor(
  key: Buffer,
  { kind, accountId }: Omit<Place, "seq">,
  cursor: string,
): number | undefined {
  const bytes = Buffer.from(cursor, "base64url");
  if (bytes.length !== SEQ_BYTES + SEAL_BYTES) return undefined;
  const seq = bytes.readUIntBE(0, SEQ_BYTES);
  // The whole text is compared: decoding lets through more than one way to write the same bytes.
  const sealed = Buffer.from(sealCursor(key, { kind, accountId, seq }));
  const given = Buffer.from(cursor);
  return given.length === sealed.length && timingSafeEqual(given, sealed) ? seq : undefined;
}
