import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { type HmacSha256Options, hmacSha256 } from "../../../src/webhooks/verify/hmac-sha256.ts";
import { accepts, deliveryWith, rawDeliveryWith, refusalOf, utf8 } from "./delivery.ts";

const SECRET = "It's a Secret to Everybody";
const BODY = Uint8Array.from([0xff, 0, 0x7b, 0xc3, 0xa9, 0x0d, 0x0a]);
const sign = (encoding: "hex" | "base64", secret = SECRET) =>
  createHmac("sha256", secret).update(BODY).digest(encoding);
const hex = { header: "X-Signature", secret: SECRET, encoding: "hex" } as const;

test("the published example of GitHub is accepted", async () => {
  const verify = hmacSha256({ ...hex, header: "x-hub-signature-256", prefix: "sha256=" });
  const signature = "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
  const request = deliveryWith({ "x-hub-signature-256": `sha256=${signature}` });
  expect(await accepts(verify, request, utf8("Hello, World!"))).toBe(true);
});

test.each<[string, HmacSha256Options, string]>([
  ["hexadecimal", hex, sign("hex")],
  ["upper-case hexadecimal", hex, sign("hex").toUpperCase()],
  ["base64", { ...hex, encoding: "base64" }, sign("base64")],
  ["a prefix", { ...hex, prefix: "v0=" }, `v0=${sign("hex")}`],
  ["the first of two secrets", { ...hex, secret: [SECRET, "new"] }, sign("hex")],
  ["the second of two secrets", { ...hex, secret: ["new", SECRET] }, sign("hex")],
  ["a secret that is not ASCII", { ...hex, secret: "gehe\u00efm" }, sign("hex", "gehe\u00efm")],
])("a delivery signed with %s is accepted", async (_what, options, signature) => {
  const verify = hmacSha256(options);
  expect(await accepts(verify, deliveryWith({ "x-signature": signature }), BODY)).toBe(true);
});

test.each<[string, HmacSha256Options, string]>([
  ["of another secret", hex, sign("hex", "other")],
  ["cut short", hex, sign("hex").slice(0, -2)],
  ["with more after it", hex, `${sign("hex")}00`],
  ["twice, as two headers are joined", hex, `${sign("hex")}, ${sign("hex")}`],
  ["that is empty", hex, ""],
  ["that is not ASCII", hex, "\u{1F512}\uD800"],
  ["without its prefix", { ...hex, prefix: "sha256=" }, sign("hex")],
  ["in hexadecimal instead of base64", { ...hex, encoding: "base64" }, sign("hex")],
  ["in base64 for hexadecimal", hex, sign("base64")],
  ["in base64 without padding", { ...hex, encoding: "base64" }, sign("base64").slice(0, -1)],
  ["in base64, its case changed", { ...hex, encoding: "base64" }, sign("base64").toLowerCase()],
])("a signature %s is refused", async (_what, options, signature) => {
  const request = rawDeliveryWith({ "X-Signature": signature });
  expect(await accepts(hmacSha256(options), request, BODY)).toBe(false);
});

test("a changed body and a missing header are refused", async () => {
  const verify = hmacSha256(hex);
  const changed = BODY.with(1, 1);
  expect(await accepts(verify, deliveryWith({ "x-signature": sign("hex") }), changed)).toBe(false);
  expect(await accepts(verify, deliveryWith({}), BODY)).toBe(false);
});

test.each<[string, string]>([
  ["{body}", ""],
  ["{BODY}", ""],
  ["v0:{X-Request-Timestamp}:{body}", "v0:1614265330:"],
  ["{webhook-event-type}{webhook-id}{body}", "transaction.updatedmsg_1"],
  ["{{body}", "{"],
  ["é{body}", "é"],
])("%s is verified with the unchanged bytes of the body", async (signed, before) => {
  const message = Buffer.concat([Buffer.from(before), BODY]);
  const headers = {
    "x-request-timestamp": "1614265330",
    "webhook-event-type": " transaction.updated ",
    "webhook-id": "msg_1",
    "x-signature": createHmac("sha256", SECRET).update(message).digest("hex"),
  };
  const verify = hmacSha256({ ...hex, signed });
  expect(await accepts(verify, deliveryWith(headers), BODY)).toBe(true);
  expect(await accepts(verify, deliveryWith(headers), BODY.with(1, 1))).toBe(false);
  for (const name of before ? Object.keys(headers) : []) {
    if (!signed.toLowerCase().includes(name)) continue;
    const changed = deliveryWith({ ...headers, [name]: "changed" });
    expect(await accepts(verify, changed, BODY)).toBe(false);
    const { [name as keyof typeof headers]: _, ...without } = headers;
    expect(await refusalOf(verify, deliveryWith(without), BODY)).toContain(name);
  }
});

test("webhook-id identifies duplicates only if it is signed", async () => {
  const request = (before: string) =>
    deliveryWith({
      "webhook-id": "msg_1",
      "x-signature": createHmac("sha256", SECRET).update(before).update(BODY).digest("hex"),
    });
  expect(await hmacSha256(hex)(request(""), BODY)).toBe(true);
  const signed = "{webhook-id}.{body}";
  const verified = { verified: true, deliveryId: "msg_1" };
  expect(await hmacSha256({ ...hex, signed })(request("msg_1."), BODY)).toEqual(verified);
});

test.each<[string, object, string]>([
  [
    "a template without a body",
    { signed: "{webhook-id}" },
    'signed must contain {body} once; got "{',
  ],
  ["a template with two bodies", { signed: "{body}{body}" }, "signed must contain {body} once"],
  ["an empty template", { signed: "" }, "signed must contain {body} once"],
  [
    "a template with an invalid header name",
    { signed: "{a b}{body}" },
    '"a b" is not a header name',
  ],
  ["a template with an empty name", { signed: "{}{body}" }, '"" is not a header name'],
  ["an empty secret", { secret: "" }, "hmacSha256: the secret is empty"],
  ["a secret with a line break at its end", { secret: "key\n" }, "without white space at its ends"],
  ["a secret that begins with a space", { secret: ["key", " key"] }, "secret 2 of 2 must be text"],
  ["a secret of bytes", { secret: Buffer.from("key") }, "hmacSha256: the secret must be text"],
  ["no secret", { secret: [] }, "hmacSha256: no secret given"],
  ["an invalid header name", { header: "a:b" }, 'hmacSha256: "a:b" is not a header name'],
  ["another encoding", { encoding: "utf8" }, 'must be hex or base64; got "utf8"'],
  [
    "an encoding named like an inherited property",
    { encoding: "constructor" },
    "must be hex or base64",
  ],
])("%s is a usage error", (_what, options, message) => {
  expect(() => hmacSha256({ ...hex, ...options })).toThrow(
    expect.objectContaining({ code: "usage", message: expect.stringContaining(message) }),
  );
});
