import { createHash, createHmac } from "node:crypto";
import fc from "fast-check";
import { Webhook } from "standardwebhooks";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { hasCode } from "../../src/errors.ts";
import * as webhooks from "../../src/webhooks/index.ts";

type Headers = Readonly<Record<string, string>>;
/** Creates a verifier with the presets of a platform. */
type Preset = (presets: typeof webhooks) => webhooks.Verify;

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const BODY = Uint8Array.from([0xff, 0, 0x7b, 0xc3, 0xa9, 0x0d, 0x0a]);

/** The result of a preset; false for a delivery that it refuses. Other errors pass through. */
async function resultOf(verify: webhooks.Verify, headers: Headers, body: Uint8Array) {
  // Not `Headers`, which refuses values that other servers pass on.
  const get = (name: string) => headers[name.toLowerCase()] ?? null;
  try {
    return await verify({ method: "POST", url: "/", headers: { get } }, body);
  } catch (error) {
    if (hasCode(error, "unverified")) return false;
    throw error;
  }
}

const KEY = "It's a Secret to Everybody";
const HMAC = { header: "X-Signature", secret: KEY, encoding: "hex" } as const;
const hmac =
  (options = {}): Preset =>
  ({ hmacSha256 }) =>
    hmacSha256({ ...HMAC, ...options });
/** Signs the body with a text before it. */
const sign = (before = "", encoding: "hex" | "base64" = "hex", key = KEY) =>
  createHmac("sha256", key).update(before).update(BODY).digest(encoding);
const signed = (before: string) => ({ "x-signature": sign(before) });

const SHARED = { header: "X-Secret", secret: "correct horse battery staple" };
const shared =
  (options = {}): Preset =>
  ({ sharedSecret }) =>
    sharedSecret({ ...SHARED, ...options });

// The published example of Standard Webhooks.
const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const OTHER = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
const ID = "msg_p5jXN8AQM9LWM0D4loKWxJek";
const SECONDS = 1_614_265_330;
const TEST = '{"test": 2432232314}';
const SIGNATURE = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
const UNKNOWN = "v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhqw/enGzPCXe4=";
const standard =
  (options = {}, offset = 0): Preset =>
  ({ standardWebhooks }) => {
    const now = () => (SECONDS + offset) * 1000 + 999;
    return standardWebhooks({ secrets: SECRET, now, ...options });
  };
const example = (signature = SIGNATURE): Headers => ({
  "webhook-id": ID,
  "webhook-timestamp": String(SECONDS),
  "webhook-signature": signature,
});

/** Deliveries that are authentic: every one of the headers is necessary. */
const authentic: [string, Preset, Headers, Uint8Array?][] = [
  [
    "the published example of GitHub",
    hmac({ header: "x-hub-signature-256", prefix: "sha256=" }),
    {
      "x-hub-signature-256":
        "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17",
    },
    utf8("Hello, World!"),
  ],
  ["hexadecimal", hmac(), signed("")],
  ["upper-case hexadecimal", hmac(), { "x-signature": sign().toUpperCase() }],
  ["base64", hmac({ encoding: "base64" }), { "x-signature": sign("", "base64") }],
  ["the first of two keys", hmac({ secret: [KEY, "new"] }), signed("")],
  ["the second of two keys", hmac({ secret: ["new", KEY] }), signed("")],
  ["a key of UTF-8", hmac({ secret: "gehéim" }), { "x-signature": sign("", "hex", "gehéim") }],
  ["{BODY}", hmac({ signed: "{BODY}" }), signed("")],
  ["text in UTF-8 before the body", hmac({ signed: "é{{body}" }), signed("é{")],
  [
    "a signed time",
    hmac({ signed: "v0:{X-Request-Time}:{body}" }),
    { "x-request-time": "1614265330", ...signed("v0:1614265330:") },
  ],
  [
    "a signed name and id",
    hmac({ signed: "{webhook-event-type}{webhook-id}{body}" }),
    { "webhook-event-type": " a.b", "webhook-id": "msg_1", ...signed("a.bmsg_1") },
  ],
  ["the published example of Standard Webhooks", standard(), example(), utf8(TEST)],
  ["the older of two secrets", standard({ secrets: [SECRET, OTHER] }), example(), utf8(TEST)],
  ["the newer of two secrets", standard({ secrets: [OTHER, SECRET] }), example(), utf8(TEST)],
  ["a secret without whsec_", standard({ secrets: SECRET.slice(6) }), example(), utf8(TEST)],
  ["a shared secret", shared(), { "x-secret": SHARED.secret }],
  ["the second of two shared secrets", shared({ secret: ["old", "new"] }), { "x-secret": "new" }],
];

/** Headers with one difference, none of which is authentic. */
function* forgeriesOf(headers: Headers): Generator<Headers> {
  for (const [name, value] of Object.entries(headers)) {
    const { [name]: _without, ...others } = headers;
    yield others;
    const values = ["", `${value}, ${value}`, `${value}0`, value.slice(0, -1), "\u{1F512}\uD800"];
    for (const forged of values) yield { ...headers, [name]: forged };
    for (let index = 0; index < value.length; index += 1) {
      yield { ...headers, [name]: `${value.slice(0, index)}#${value.slice(index + 1)}` };
    }
  }
}

/** Signs a time that may not be one. */
const timed = (time: string): Headers => {
  const key = Buffer.from(SECRET.slice(6), "base64");
  const signature = createHmac("sha256", key).update(`${ID}.${time}.${TEST}`).digest("base64");
  return { ...example(`v1,${signature}`), "webhook-timestamp": time };
};

/** Whether a delivery with the example's body is accepted. */
type Case = [string, Preset, Headers, boolean];
const anyTime = standard({ toleranceSeconds: 2 ** 31 - 1 });
const standardCases: Case[] = [
  ...[`${SIGNATURE} v1,AAAA`, `v1,AAAA ${SIGNATURE}`, `${UNKNOWN} ${SIGNATURE} v9`].map(
    (list): Case => [list, standard(), example(list), true],
  ),
  ...[SIGNATURE.slice(3), `v2${SIGNATURE.slice(2)}`, `v1a${SIGNATURE.slice(2)}`, "v1,", "v1"].map(
    (list): Case => [list, standard(), example(list), false],
  ),
  ...["soon", `${SECONDS}s`, `${SECONDS}.0`, `+${SECONDS}`, "1e9999", "-1", "\u0661"].map(
    (time): Case => [`the time ${time}`, anyTime, timed(time), false],
  ),
  ...[-301, 301].map((offset): Case => [`${offset} s`, standard({}, offset), example(), false]),
  ...[-300, 300].map((offset): Case => [`${offset} s`, standard({}, offset), example(), true]),
  ["6 s in 5", standard({ toleranceSeconds: 5 }, 6), example(), false],
  ["1 s in 0", standard({ toleranceSeconds: 0 }, 1), example(), false],
  ["0 s in 0", standard({ toleranceSeconds: 0 }), example(), true],
];

describe.each([
  ["Node's crypto module", true],
  ["Web Crypto", false],
])("with %s", (_platform, isNode) => {
  let presets: typeof webhooks;
  let sha256Hex: (text: string) => Promise<string>;
  beforeAll(async () => {
    vi.resetModules();
    if (!isNode) vi.stubGlobal("process", undefined);
    presets = await import("../../src/webhooks/index.ts");
    ({ sha256Hex } = await import("../../src/webhooks/crypto.ts"));
    vi.unstubAllGlobals();
  });

  test.each(authentic)(
    "%s is accepted, and nothing else",
    async (_, preset, headers, body = BODY) => {
      const verify = preset(presets);
      // Every id of these deliveries is signed.
      const deliveryId = headers["webhook-id"];
      const expected = deliveryId === undefined || { verified: true, deliveryId };
      expect(await resultOf(verify, headers, body)).toEqual(expected);
      for (const forged of forgeriesOf(headers)) {
        expect([forged, await resultOf(verify, forged, body)]).toEqual([forged, false]);
      }
      if ("x-secret" in headers) return;
      for (const changed of [body.with(1, 1), body.subarray(1), Uint8Array.of(...body, 0)]) {
        expect(await resultOf(verify, headers, changed)).toBe(false);
      }
    },
  );

  test("a text is hashed as UTF-8", async () => {
    // A lone surrogate is encoded as U+FFFD.
    const hash = createHash("sha256").update("abc\ufffd€").digest("hex");
    expect(await sha256Hex("abc\ud800€")).toBe(hash);
  });

  test.each(standardCases)("Standard Webhooks with %s", async (_, preset, headers, isAccepted) => {
    const result = await resultOf(preset(presets), headers, utf8(TEST));
    expect(result).toEqual(isAccepted && { verified: true, deliveryId: ID });
  });
});

test.each([
  ["in hexadecimal instead of base64", "base64", sign()],
  ["in base64 instead of hexadecimal", "hex", sign("", "base64")],
  ["in base64 of another case", "base64", sign("", "base64").toLowerCase()],
] as const)("a signature %s is refused", async (_what, encoding, signature) => {
  const verify = hmac({ encoding })(webhooks);
  expect(await resultOf(verify, { "x-signature": signature }, BODY)).toBe(false);
});

test("hmacSha256 identifies no delivery by an unsigned webhook-id", async () => {
  const verify = hmac()(webhooks);
  expect(await resultOf(verify, { "webhook-id": "msg_1", ...signed("") }, BODY)).toBe(true);
});

test("standardWebhooks accepts and refuses like the standardwebhooks package", async () => {
  const theirs = new Webhook(SECRET);
  const ours = webhooks.standardWebhooks({ secrets: SECRET });
  const isTakenByThem = (headers: Record<string, string>, body: string) => {
    try {
      theirs.verify(body, headers, { jsonParse: false });
      return true;
    } catch {
      return false;
    }
  };
  const changes = fc.record({
    offset: fc.constantFrom(-1000, -310, -290, 0, 290, 310, 1000),
    before: fc.constantFrom("", "v1,AAAA ", "v2,AAAA "),
    after: fc.constantFrom("", " ", "=", ",", " v1", "x"),
    behindTime: fc.constantFrom("", " ", "0", "s"),
    behindBody: fc.constantFrom("", "5"),
  });
  const none = { offset: 0, before: "", after: "", behindTime: "", behindBody: "" };
  let refused = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.stringMatching(/^[!-~]{1,40}$/),
      fc.string({ unit: "binary" }),
      fc.oneof(fc.constant(none), changes),
      async (id, text, change) => {
        const body = new TextDecoder().decode(utf8(text));
        const seconds = Math.floor(Date.now() / 1000) + change.offset;
        const signature = theirs.sign(id, new Date(seconds * 1000), body);
        const headers = {
          "webhook-id": id,
          "webhook-timestamp": `${seconds}${change.behindTime}`,
          "webhook-signature": `${change.before}${signature}${change.after}`,
        };
        const received = body + change.behindBody;
        const isTaken = isTakenByThem(headers, received);
        const result = await resultOf(ours, headers, utf8(received));
        if (change === none) expect([isTaken, result]).toMatchObject([true, { deliveryId: id }]);
        if (isTaken) return;
        // They accept more, such as letters after a time.
        expect(result).toBe(false);
        refused += 1;
      },
    ),
    { numRuns: 700 },
  );
  expect(refused).toBeGreaterThan(100);
});

const WHITE_SPACE = "must be text without white space at its ends";
const PRINTABLE = "sharedSecret: the secret must be printable";
const BASE64 = "standardWebhooks: the secret must be base64 with padding";

test.each<[(options: object) => Preset, object, string]>([
  [hmac, { signed: "{webhook-id}" }, 'signed must contain {body} once; got "{webhook-id}"'],
  [hmac, { signed: "{body}{body}" }, "signed must contain {body} once"],
  [hmac, { signed: "" }, "signed must contain {body} once"],
  [hmac, { signed: "{a b}{body}" }, '"a b" is not a header name'],
  [hmac, { signed: "{}{body}" }, '"" is not a header name'],
  [hmac, { header: "a:b" }, 'hmacSha256: "a:b" is not a header name; use one like x-secret'],
  [hmac, { encoding: "utf8" }, 'encoding must be hex or base64; got "utf8"'],
  [hmac, { encoding: "constructor" }, "encoding must be hex or base64"],
  [hmac, { secret: [] }, "hmacSha256: no secret given; give one"],
  [hmac, { secret: "hunter2\n" }, `hmacSha256: the secret ${WHITE_SPACE}`],
  [hmac, { secret: ["key", " hunter2"] }, `hmacSha256: secret 2 of 2 ${WHITE_SPACE}`],
  [hmac, { secret: Buffer.from("hunter2") }, `hmacSha256: the secret ${WHITE_SPACE}`],
  [shared, { header: "" }, 'sharedSecret: "" is not a header name'],
  [shared, { secret: "" }, "sharedSecret: the secret is empty; is its variable set?"],
  [shared, { secret: undefined }, "sharedSecret: the secret is empty; is its variable set?"],
  [shared, { secret: ["a", ""] }, "sharedSecret: secret 2 of 2 is empty"],
  [shared, { secret: "hunter2é" }, PRINTABLE],
  [shared, { secret: "hunter2 " }, PRINTABLE],
  [shared, { secret: "hunter2\nb" }, PRINTABLE],
  [standard, { secrets: "hunter20\n" }, BASE64],
  [standard, { secrets: "whsec_" }, BASE64],
  [standard, { secrets: "whsec_hunter2" }, BASE64],
  [standard, { secrets: `whpk_${SECRET.slice(6)}` }, BASE64],
  [standard, { toleranceSeconds: -1 }, "toleranceSeconds must be an integer of at least 0"],
])("%o refuses %o and shows no secret", (preset, options, message) => {
  const create = () => preset(options)(webhooks);
  expect(create).toThrow(expect.objectContaining({ code: "usage" }));
  expect(create).toThrow(message);
  expect(create).not.toThrow("hunter");
});
