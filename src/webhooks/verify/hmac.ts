const ALGORITHM = { name: "HMAC", hash: "SHA-256" };

/** Signs a message by HMAC-SHA256. */
export type Sign = (message: Uint8Array) => Promise<Uint8Array>;

/** Makes what signs with a key of at least one byte. */
export function createHmacSigner(keyBytes: Uint8Array): Sign {
  // Imported with the first delivery, not before: workers allow no such work while they load. Kept
  // as it came, not as a promise: a promise of one request can't be waited for in another there.
  let key: CryptoKey | undefined;
  return async (message) => {
    key ??= await crypto.subtle.importKey("raw", unshared(keyBytes), ALGORITHM, false, ["sign"]);
    return new Uint8Array(await crypto.subtle.sign("HMAC", key, unshared(message)));
  };
}

/** TypeScript has it that bytes may lie in shared memory; those of a body or a key never do. */
const unshared = (bytes: Uint8Array) => bytes as Uint8Array<ArrayBuffer>;
