import { expect, test } from "vitest";
import { none } from "../../../src/webhooks/verification.ts";
import { sharedSecret } from "../../../src/webhooks/verify/shared-secret.ts";
import { accepts, deliveryWith, rawDeliveryWith, utf8 } from "./delivery.ts";

const SECRET = "correct horse battery staple";
const BODY = utf8("{}");
const verify = sharedSecret({ header: "X-Secret", secret: SECRET });

test("none accepts every delivery", async () => {
  expect(await accepts(none, deliveryWith({}), BODY)).toBe(true);
});

test("accepts a delivery with the secret", async () => {
  expect(await accepts(verify, deliveryWith({ "x-secret": SECRET }), BODY)).toBe(true);
});

test.each([
  ["another secret", "correct horse battery stapler"],
  ["the start of the secret", SECRET.slice(0, -1)],
  ["the secret in capitals", SECRET.toUpperCase()],
  ["an empty value", ""],
  ["the secret twice, as two headers are joined", `${SECRET}, ${SECRET}`],
  ["a value that is not ASCII", "gehe\u00efm\u{1F512}"],
  ["a lone surrogate", "\uD800"],
])("refuses a delivery with %s", async (_what, value) => {
  expect(await accepts(verify, rawDeliveryWith({ "X-Secret": value }), BODY)).toBe(false);
});

test("refuses a delivery without the header", async () => {
  expect(await accepts(verify, deliveryWith({ secret: SECRET }), BODY)).toBe(false);
});

test("accepts each of several secrets, and no other", async () => {
  const rotating = sharedSecret({ header: "x-secret", secret: ["old", "new"] });
  const taken = ["old", "new", "other", "old, new"].map((value) =>
    accepts(rotating, deliveryWith({ "x-secret": value }), BODY),
  );
  expect(await Promise.all(taken)).toEqual([true, true, false, false]);
});

test.each<[string, string, string | string[], string]>([
  ["an empty secret", "x-secret", "", "sharedSecret: the secret is empty; is its variable set?"],
  ["no secret", "x-secret", [], "sharedSecret: no secret given; give one"],
  [
    "an empty second secret",
    "x-secret",
    ["a", ""],
    "sharedSecret: secret 2 of 2 is empty; is its ",
  ],
  [
    "a secret that is not ASCII",
    "x-secret",
    "gehe\u00efm",
    "sharedSecret: the secret must be printable",
  ],
  [
    "a secret with a space after it",
    "x-secret",
    "secret ",
    "sharedSecret: the secret must be printable",
  ],
  [
    "a secret with a line break",
    "x-secret",
    "se\ncret",
    "sharedSecret: the secret must be printable",
  ],
  [
    "an invalid header name",
    "x secret",
    "a",
    'sharedSecret: "x secret" is not a header name; use one',
  ],
  ["an empty header name", "", "a", 'sharedSecret: "" is not a header name; use one'],
])("%s is a usage error", (_what, header, secret, message) => {
  expect(() => sharedSecret({ header, secret })).toThrow(
    expect.objectContaining({ code: "usage", message: expect.stringContaining(message) }),
  );
});

test("an unset secret is a usage error", () => {
  const secret = process.env["TXFEED_NO_SUCH_VARIABLE"] as string;
  expect(() => sharedSecret({ header: "x-secret", secret })).toThrow("the secret is empty");
});

test("an error does not contain the refused secret", () => {
  try {
    sharedSecret({ header: "x-secret", secret: "hunter2 " });
    expect.unreachable();
  } catch (error) {
    expect(String(error)).not.toContain("hunter2");
  }
});
