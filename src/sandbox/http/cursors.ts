import { createHmac, timingSafeEqual } from "node:crypto";

/** The position after the resource with sequence number `seq` in a collection. */
interface Place {
  readonly kind: string;
  readonly accountId: string;
  readonly seq: number;
}

const SEQ_BYTES = 6;
const SEAL_BYTES = 16;

/** Creates an opaque cursor that is valid only for this collection and account. */
export function sealCursor(key: Buffer, { kind, accountId, seq }: Place): string {
  const place = Buffer.alloc(SEQ_BYTES);
  place.writeUIntBE(seq, 0, SEQ_BYTES);
  const seal = createHmac("sha256", key).update(`${kind} ${accountId} ${seq}`).digest();
  return Buffer.concat([place, seal.subarray(0, SEAL_BYTES)]).toString("base64url");
}

/** Returns the `seq` of a cursor; undefined if the cursor is invalid. */
export function openCursor(
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
