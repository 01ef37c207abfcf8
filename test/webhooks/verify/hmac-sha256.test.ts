import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { type HmacSha256Options, hmacSha256 } from "../../../src/webhooks/verify/hmac-sha256.ts";
import { deliveryWith, rawDeliveryWith, utf8 } from "./delivery.ts";

const SECRET = "It's a Secret to Everybody";
const BODY = Uint8Array.from([0xff, 0, 0x7b, 0xc3, 0xa9, 0x0d, 0x0a]);
const sign = (encoding: "hex" | "base64", secret = SECRET) =>
  createHmac("sha256", secret).update(BODY).digest(encoding);
const hex = { header: "X-Signature", secret: SECRET, encoding: "hex" } as const;

test("takes the published example of GitHub", async () => {
  const verify = hmacSha256({ ...hex, header: "x-hub-signature-256", prefix: "sha256=" });
  const signature = "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
  const request = deliveryWith({ "x-hub-signature-256": `sha256=${signature}` });
  expect(await verify(request, utf8("Hello, World!"))).toBe(true);
});

test.each<[string, HmacSha256Options, string]>([
  ["hexadecimal", hex, sign("hex")],
  ["hexadecimal in capitals", hex, sign("hex").toUpperCase()],
  ["base64", { ...hex, encoding: "base64" }, sign("base64")],
  ["a prefix", { ...hex, prefix: "v0=" }, `v0=${sign("hex")}`],
  ["the first of two secrets", { ...hex, secret: [SECRET, "new"] }, sign("hex")],
  ["the second of two secrets", { ...hex, secret: ["new", SECRET] }, sign("hex")],
  ["a secret that is no ASCII", { ...hex, secret: "gehe\u00efm" }, sign("hex", "gehe\u00efm")],
])("takes a delivery signed with %s", async (_what, options, signature) => {
  const verify = hmacSha256(options);
  expect(await verify(deliveryWith({ "x-signature": signature }), BODY)).toBe(true);
});

test.each<[string, HmacSha256Options, string]>([
  ["of another secret", hex, sign("hex", "other")],
  ["cut short", hex, sign("hex").slice(0, -2)],
  ["with more behind it", hex, `${sign("hex")}00`],
  ["twice, as two headers are joined", hex, `${sign("hex")}, ${sign("hex")}`],
  ["that is empty", hex, ""],
  ["that is no ASCII", hex, "\u{1F512}\uD800"],
  ["without its prefix", { ...hex, prefix: "sha256=" }, sign("hex")],
  ["in hexadecimal for base64", { ...hex, encoding: "base64" }, sign("hex")],
  ["in base64 for hexadecimal", hex, sign("base64")],
  ["in base64 without padding", { ...hex, encoding: "base64" }, sign("base64").slice(0, -1)],
  ["in base64, its case changed", { ...hex, encoding: "base64" }, sign("base64").toLowerCase()],
])("refuses a signature %s", async (_what, options, signature) => {
  const request = rawDeliveryWith({ "X-Signature": signature });
  expect(await hmacSha256(options)(request, BODY)).toBe(false);
});

test("refuses a body with a byte changed, and a delivery without the header", async () => {
  const verify = hmacSha256(hex);
  const changed = BODY.with(1, 1);
  expect(await verify(deliveryWith({ "x-signature": sign("hex") }), changed)).toBe(false);
  expect(await verify(deliveryWith({}), BODY)).toBe(false);
});

test.each<[string, object, string]>([
  ["an empty secret", { secret: "" }, "hmacSha256: the secret is empty"],
  ["no secret", { secret: [] }, "hmacSha256: no secret given"],
  ["a name of no header", { header: "a:b" }, 'hmacSha256: "a:b" is no header name'],
  ["another encoding", { encoding: "utf8" }, 'must be hex or base64, not "utf8"'],
  ["an encoding of every object", { encoding: "constructor" }, "must be hex or base64"],
])("is not made with %s", (_what, options, message) => {
  expect(() => hmacSha256({ ...hex, ...options })).toThrow(
    expect.objectContaining({ code: "usage", message: expect.stringContaining(message) }),
  );
});
