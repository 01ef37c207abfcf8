import { createHmac } from "node:crypto";
import fc from "fast-check";
import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import { standardWebhooks } from "../../../src/webhooks/verify/standard-webhooks.ts";
import { accepts, deliveryWith, rawDeliveryWith, utf8 } from "./delivery.ts";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const OTHER = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
const ID = "msg_p5jXN8AQM9LWM0D4loKWxJek";
const SECONDS = 1_614_265_330;
const BODY = '{"test": 2432232314}';
const SIGNATURE = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";

/** The standard's published example with changes. */
const example = {
  "webhook-id": ID,
  "webhook-timestamp": String(SECONDS),
  "webhook-signature": SIGNATURE,
};
const at = (seconds: number) => () => seconds * 1000 + 999;
const verify = standardWebhooks({ secrets: SECRET, now: at(SECONDS) });
const takes = (changed: Record<string, string>, check = verify) =>
  accepts(check, rawDeliveryWith({ ...example, ...changed }), utf8(BODY));

test("the published example is accepted", async () => {
  expect(await takes({})).toBe(true);
});

describe("headers", () => {
  test.each(Object.keys(example))("refuses a delivery without %s", async (name) => {
    const { [name as keyof typeof example]: _without, ...headers } = example;
    expect(await accepts(verify, deliveryWith(headers), utf8(BODY))).toBe(false);
    expect(await takes({ [name]: "" })).toBe(false);
  });

  test.each([
    ["webhook-id", "msg_other"],
    ["webhook-id", `${ID}, ${ID}`],
    ["webhook-id", "\u{1F512}\uD800"],
    ["webhook-timestamp", "soon"],
    ["webhook-timestamp", `${SECONDS}, ${SECONDS}`],
    ["webhook-timestamp", `${SECONDS}.0`],
    ["webhook-timestamp", `${SECONDS}s`],
    ["webhook-timestamp", `+${SECONDS}`],
    ["webhook-timestamp", `${SECONDS + 1}`],
    ["webhook-timestamp", "\u0661\u0666"],
    ["webhook-signature", SIGNATURE.slice(3)],
    ["webhook-signature", SIGNATURE.slice(0, -1)],
    ["webhook-signature", `${SIGNATURE}, ${SIGNATURE}`],
    ["webhook-signature", `${SIGNATURE},`],
    ["webhook-signature", `v2${SIGNATURE.slice(2)}`],
    ["webhook-signature", `v1a${SIGNATURE.slice(2)}`],
    ["webhook-signature", `V1${SIGNATURE.slice(2)}`],
    ["webhook-signature", "v1,"],
    ["webhook-signature", "v1"],
    ["webhook-signature", "\u{1F512}\uD800"],
  ])("refuses %s: %s", async (name, value) => {
    expect(await takes({ [name]: value })).toBe(false);
  });

  test.each(["soon", `${SECONDS}s`, "1e9999", "-1"])(
    "refuses the timestamp %s even if it is signed",
    async (timestamp) => {
      const key = Buffer.from(SECRET.slice("whsec_".length), "base64");
      const hmac = createHmac("sha256", key).update(`${ID}.${timestamp}.${BODY}`);
      const signed = { "webhook-signature": `v1,${hmac.digest("base64")}` };
      expect(await takes({ "webhook-timestamp": timestamp, ...signed })).toBe(false);
    },
  );

  test("refuses a body with a byte changed", async () => {
    expect(await accepts(verify, deliveryWith(example), utf8(`${BODY} `))).toBe(false);
  });
});

describe("several signatures and secrets", () => {
  test.each([
    ["the first", `${SIGNATURE} v1,AAAA`],
    ["the last", `v1,AAAA ${SIGNATURE}`],
    [
      "one among unknown versions",
      `v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhqw/enGzPCXe4= ${SIGNATURE} v9`,
    ],
  ])("%s that is authentic is accepted", async (_which, list) => {
    expect(await takes({ "webhook-signature": list })).toBe(true);
  });

  test.each([
    ["the old", [SECRET, OTHER]],
    ["the new", [OTHER, SECRET]],
    ["one without whsec_", [SECRET.slice("whsec_".length)]],
  ])("a signature by %s secret is accepted", async (_which, secrets) => {
    expect(await takes({}, standardWebhooks({ secrets, now: at(SECONDS) }))).toBe(true);
  });

  test("a signature by another secret is refused", async () => {
    expect(await takes({}, standardWebhooks({ secrets: OTHER, now: at(SECONDS) }))).toBe(false);
  });
});

describe("the timestamp", () => {
  test.each([
    [-301, undefined, false],
    [-300, undefined, true],
    [300, undefined, true],
    [301, undefined, false],
    [5, 5, true],
    [6, 5, false],
    [-6, 5, false],
    [1, 0, false],
    [0, 0, true],
  ])("a clock %d s off, within %d: %s", async (offset, toleranceSeconds, isTaken) => {
    const tolerance = toleranceSeconds === undefined ? {} : { toleranceSeconds };
    const now = at(SECONDS + offset);
    expect(await takes({}, standardWebhooks({ secrets: SECRET, now, ...tolerance }))).toBe(isTaken);
  });
});

describe("compared with the standardwebhooks package", () => {
  const theirs = new Webhook(SECRET);
  const ours = standardWebhooks({ secrets: SECRET });
  const isTakenByThem = (headers: Record<string, string>, body: string) => {
    try {
      theirs.verify(body, headers, { jsonParse: false });
      return true;
    } catch {
      return false;
    }
  };
  const headerText = fc.stringMatching(/^[!-~]{1,40}$/);

  test("accepts everything that it signs", async () => {
    await fc.assert(
      fc.asyncProperty(headerText, fc.string({ unit: "binary" }), async (id, text) => {
        const body = new TextDecoder().decode(utf8(text));
        const seconds = Math.floor(Date.now() / 1000);
        const headers = {
          "webhook-id": id,
          "webhook-timestamp": String(seconds),
          "webhook-signature": theirs.sign(id, new Date(seconds * 1000), body),
        };
        expect(isTakenByThem(headers, body)).toBe(true);
        expect(await accepts(ours, deliveryWith(headers), utf8(body))).toBe(true);
      }),
    );
  });

  test("refuses everything that it refuses", async () => {
    const now = () => Math.floor(Date.now() / 1000);
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(-1000, -310, -290, 0, 290, 310, 1000),
        fc.constantFrom("", "v1,AAAA ", "v2,AAAA "),
        fc.constantFrom("", " ", "=", ",", " v1", "x"),
        fc.constantFrom("", " ", "0", "s"),
        fc.boolean(),
        async (offset, before, after, behindTime, isSame) => {
          const seconds = now() + offset;
          const signature = theirs.sign(ID, new Date(seconds * 1000), BODY);
          const headers = {
            "webhook-id": ID,
            "webhook-timestamp": `${seconds}${behindTime}`,
            "webhook-signature": `${before}${signature}${after}`,
          };
          const body = isSame ? BODY : BODY.replace("4", "5");
          if (isTakenByThem(headers, body)) return;
          refused++;
          expect(await accepts(ours, rawDeliveryWith(headers), utf8(body))).toBe(false);
        },
      ),
      { numRuns: 500 },
    );
    expect(refused).toBeGreaterThan(100);
  });
});

test.each<[string, object, string]>([
  ["an empty secret", { secrets: "" }, "standardWebhooks: the secret is empty"],
  ["a secret with a line break at its end", { secrets: "YQ==\n" }, "the secret must be base64"],
  ["only a prefix", { secrets: "whsec_" }, "standardWebhooks: the secret must be base64"],
  ["no secret", { secrets: [] }, "standardWebhooks: no secret given"],
  ["text that is not base64", { secrets: ["YQ==", "se-cret"] }, "secret 2 of 2 must be base64"],
  ["base64 without its padding", { secrets: "whsec_YQ" }, "the secret must be base64 with padding"],
  ["a key of another scheme", { secrets: `whpk_${SECRET.slice(6)}` }, "the secret must be base64"],
  [
    "a tolerance below 0",
    { toleranceSeconds: -1 },
    "toleranceSeconds must be an integer of at least 0; got -1",
  ],
  ["a tolerance that is not a number", { toleranceSeconds: Number.NaN }, "at least 0; got NaN"],
])("%s is a usage error", (_what, options, message) => {
  expect(() => standardWebhooks({ secrets: SECRET, ...options })).toThrow(
    expect.objectContaining({ code: "usage", message: expect.stringContaining(message) }),
  );
});
