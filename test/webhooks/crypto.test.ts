import { createHmac } from "node:crypto";
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

  test("a message is signed by HMAC-SHA256 with each key", async () => {
    const { createHmacSigner, signWithEach, toHex } = await import("../../src/webhooks/crypto.ts");
    // RFC 4231, test cases 1 and 2.
    const keys = [new Uint8Array(20).fill(0x0b), encoder.encode("Jefe")];
    const message = [encoder.encode("Hi "), encoder.encode("There")];
    const signatures = await signWithEach(keys.map(createHmacSigner), message);
    expect(signatures.map((bytes) => toHex(bytes).slice(0, 16))).toEqual([
      "b0344c61d8db3853",
      createHmac("sha256", "Jefe").update("Hi There").digest("hex").slice(0, 16),
    ]);
  });

  test("a text is hashed as UTF-8", async () => {
    const { sha256Hex } = await import("../../src/webhooks/crypto.ts");
    expect(await sha256Hex("abc")).toMatch(/^ba7816bf8f01cfea/);
    // A lone surrogate is encoded as U+FFFD.
    expect(await sha256Hex("\ud800€")).toBe(await sha256Hex("\ufffd€"));
  });
});
