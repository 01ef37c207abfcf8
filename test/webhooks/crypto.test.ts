import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { isEqual } from "../../src/webhooks/crypto.ts";

const encoder = new TextEncoder();
const BYTES = Uint8Array.from({ length: 32 }, (_, index) => index * 7);

test("equal bytes are equal", () => {
  expect(isEqual(BYTES, Uint8Array.from(BYTES))).toBe(true);
});

test("bytes that differ in any bit are not equal", () => {
  const changed = BYTES.map((_, at) => {
    const other = Uint8Array.from(BYTES);
    other[at] = (other[at] ?? 0) ^ 0x80;
    return isEqual(BYTES, other) || isEqual(other, BYTES) ? 1 : 0;
  });
  expect([...changed]).toEqual(new Array(32).fill(0));
});

test("a prefix is not equal to the whole", () => {
  expect(isEqual(BYTES, BYTES.subarray(0, 31))).toBe(false);
  expect(isEqual(BYTES.subarray(0, 31), BYTES)).toBe(false);
});

describe.each([
  ["with Node's crypto module", true],
  ["with Web Crypto", false],
])("%s", (_, isNode) => {
  beforeEach(() => {
    vi.resetModules();
    if (!isNode) vi.stubGlobal("process", undefined);
  });
  afterEach(() => vi.unstubAllGlobals());

  test.each(["hex", "base64"] as const)(
    "signatures by HMAC-SHA256 are created and compared in %s",
    async (encoding) => {
      const { createHmacSigner, isSignature } = await import("../../src/webhooks/crypto.ts");
      // RFC 4231, test case 2, with each key of a rotation.
      const keys = ["old", "Jefe"].map((key) => createHmacSigner(encoder.encode(key)));
      const message = [encoder.encode("what do ya want "), "", "for nothing?"];
      const signature = Buffer.from(
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
        "hex",
      ).toString(encoding);
      const signed = { signers: keys, message, encoding };
      expect(await keys[1]?.(message, encoding)).toBe(signature);
      expect(await isSignature(["other", signature], signed)).toBe(true);
      expect(await isSignature([signature, "other"], signed)).toBe(true);
      expect(await isSignature([signature.slice(1), `${signature}a`], signed)).toBe(false);
      expect(await isSignature([signature.replace(/.$/, "#")], signed)).toBe(false);
      expect(await isSignature([], signed)).toBe(false);
      expect(await isSignature([signature], { ...signed, signers: keys.slice(0, 1) })).toBe(false);
    },
  );

  test("a text is hashed as UTF-8", async () => {
    const { sha256Hex } = await import("../../src/webhooks/crypto.ts");
    expect(await sha256Hex("abc")).toMatch(/^ba7816bf8f01cfea/);
    // A lone surrogate is encoded as U+FFFD.
    expect(await sha256Hex("\ud800€")).toBe(await sha256Hex("\ufffd€"));
  });
});
