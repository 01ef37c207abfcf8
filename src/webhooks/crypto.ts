const encoder = new TextEncoder();
const HMAC_SHA256 = { name: "HMAC", hash: "SHA-256" };

interface Digest {
  update(data: Uint8Array | string): this;
  digest(encoding: Encoding): string;
}

/** The part of Node's crypto module that is used. */
interface NodeCrypto {
  createSecretKey(key: Uint8Array): object;
  createHmac(algorithm: "sha256", key: object): Digest;
  createHash(algorithm: "sha256"): Digest;
}

// Web Crypto uses another thread for each call, which costs more than the rest of a receipt. It is
// used on platforms without Node's module.
const nodeCrypto = (
  globalThis as {
    readonly process?: { getBuiltinModule?(name: string): NodeCrypto | undefined };
  }
).process?.getBuiltinModule?.("node:crypto");

/** A part of a message: bytes, or a text in UTF-8. */
export type MessagePart = Uint8Array | string;

/** The encoding of a signature: lower-case hexadecimal, or base64 (RFC 4648, 4) with padding. */
export type Encoding = "hex" | "base64";

/** Signs a message, which is given in parts. */
export type Sign = (
  message: readonly MessagePart[],
  encoding: Encoding,
) => string | Promise<string>;

/** Creates an HMAC-SHA256 signer for a key of at least one byte. */
export function createHmacSigner(keyBytes: Uint8Array): Sign {
  if (nodeCrypto) {
    // With the bytes as the key, each signature would cost four times as much.
    const key = nodeCrypto.createSecretKey(keyBytes);
    return (message, encoding) => {
      const hmac = nodeCrypto.createHmac("sha256", key);
      for (const part of message) hmac.update(part);
      return hmac.digest(encoding);
    };
  }
  // Imported with the first message, because Workers forbid such work while a module loads. The key
  // is cached, not its promise: a promise of one request can't be awaited in another there.
  let key: CryptoKey | undefined;
  return async (message, encoding) => {
    key ??= await crypto.subtle.importKey("raw", unshared(keyBytes), HMAC_SHA256, false, ["sign"]);
    const bytes = message.map((part) => (typeof part === "string" ? encoder.encode(part) : part));
    return encode(await crypto.subtle.sign("HMAC", key, unshared(joinBytes(bytes))), encoding);
  };
}

/** Narrows the type: the bytes of a body or a key are never in shared memory. */
const unshared = (bytes: Uint8Array) => bytes as Uint8Array<ArrayBuffer>;

/** A message, and the keys that its sender may sign it with. */
interface SignedMessage {
  readonly signers: readonly Sign[];
  readonly message: readonly MessagePart[];
  readonly encoding: Encoding;
}

/**
 * Whether one of the candidates is the signature of the message with one of the keys. Compares all
 * of them, so that the time does not show which one matches.
 */
export async function isSignature(
  candidates: readonly string[],
  { signers, message, encoding }: SignedMessage,
): Promise<boolean> {
  let isGenuine = false;
  for (const sign of signers) {
    const signed = sign(message, encoding);
    const signature = signed instanceof Promise ? await signed : signed;
    for (const candidate of candidates) {
      if (isEqualText(signature, candidate)) isGenuine = true;
    }
  }
  return isGenuine;
}

/** The SHA-256 of a text, in lower-case hexadecimal. */
export async function sha256Hex(text: string): Promise<string> {
  if (nodeCrypto) return nodeCrypto.createHash("sha256").update(text).digest("hex");
  return encode(await crypto.subtle.digest("SHA-256", encoder.encode(text)), "hex");
}

/**
 * Compares texts in a time that depends only on their lengths. Use it for texts whose length is
 * not secret, such as signatures; compare others by their SHA-256.
 */
export function isEqualText(left: string, right: string): boolean {
  if (left.length !== right.length) return false;
  let difference = 0;
  // Returning at the first difference would reveal how much of a guess is right.
  for (let index = 0; index < left.length; index += 1) {
    difference |= left.charCodeAt(index) ^ right.charCodeAt(index);
  }
  return difference === 0;
}

function encode(buffer: ArrayBuffer, encoding: Encoding): string {
  const bytes = new Uint8Array(buffer);
  if (encoding === "base64") return btoa(String.fromCharCode(...bytes));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Decodes base64 with padding; null if the text is not base64. */
export function fromBase64(text: string): Uint8Array | null {
  if (!/^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text)) return null;
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

/** Concatenates byte arrays. If only one of them has bytes, that one is returned, not a copy. */
export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const whole = parts.find((part) => part.length === length);
  if (whole) return whole;
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.length;
  }
  return bytes;
}
