import { createHmac, timingSafeEqual } from "node:crypto";

/** A position in a collection: after the resource with this seq. */
interface Place {
  readonly kind: string;
  readonly accountId: string;
  readonly seq: number;
}

const SEQ_BYTES = 6;
const SEAL_BYTES = 16;

/** Makes an opaque cursor of a position, valid only for this collection of this account. */
export function sealCursor(key: Buffer, { kind, accountId, seq }: Place): string {
  const place = Buffer.alloc(SEQ_BYTES);
  place.writeUIntBE(seq, 0, SEQ_BYTES);
  const seal = createHmac("sha256", key).update(`${kind} ${accountId} ${seq}`).digest();
  return Buffer.concat([place, seal.subarray(0, SEAL_BYTES)]).toString("base64url");
}

/** The seq of a cursor; undefined if the cursor is forged. */
export function openCursor(
  key: Buffer,
  { kind, accountId }: Omit<Place, "seq">,
  cursor: string,
): number | undefined {
  const bytes = Buffer.from(cursor, "base64url");
  if (bytes.length !== SEQ_BYTES + SEAL_BYTES) return undefined;
  const seq = bytes.readUIntBE(0, SEQ_BYTES);
  // Compares the whole text, because several texts decode to the same bytes.
  const sealed = Buffer.from(sealCursor(key, { kind, accountId, seq }));
  const given = Buffer.from(cursor);
  return given.length === sealed.length && timingSafeEqual(given, sealed) ? seq : undefined;
}
