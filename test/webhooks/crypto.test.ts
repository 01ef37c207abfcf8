import { expect, test } from "vitest";
import { isEqual } from "../../src/webhooks/crypto.ts";

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
