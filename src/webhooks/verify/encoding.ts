import { sha256 } from "./constant-time.ts";

/** Bytes as text in base64 (RFC 4648, 4), with padding. */
export function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

/** Bytes as text in lower-case hexadecimal. */
export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The bytes of a text in base64, with padding; null where it is none. */
export function fromBase64(text: string): Uint8Array | null {
  if (!/^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text)) return null;
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

/** The SHA-256 of a text, in lower-case hexadecimal. */
export async function sha256Hex(text: string): Promise<string> {
  return toHex(await sha256(text));
}
