import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { UnverifiedError } from "../../src/errors.ts";
import { make } from "../../src/fixtures/index.ts";
import {
  createReceiver,
  type DeliveryReport,
  hmacSha256,
  sharedSecret,
  standardWebhooks,
  type Verify,
} from "../../src/webhooks/index.ts";
import { deliver } from "../support/payloads.ts";

const NAME = "transaction.updated";
const updated = make(NAME);
const KEY = Buffer.from("open sesame");
const SECONDS = 1_614_265_330;
const standard = standardWebhooks({
  secrets: KEY.toString("base64"),
  now: () => SECONDS * 1000,
});
const signatureOf = (message: string) => createHmac("sha256", KEY).update(message).digest("base64");
const SIGNED = {
  "webhook-id": "msg_1",
  "webhook-timestamp": String(SECONDS),
  "webhook-signature": `v1,${signatureOf(`msg_1.${SECONDS}.${JSON.stringify(updated)}`)}`,
};
const hmac = hmacSha256({
  header: "x-signature",
  secret: "open sesame",
  encoding: "base64",
  prefix: "v0=",
  signed: "{webhook-event-type}.{body}",
});
const secret = sharedSecret({ header: "x-secret", secret: "open sesame" });

/** The report of a delivery. */
async function reportOf(request: Request, verify?: Verify): Promise<DeliveryReport | undefined> {
  const reports: DeliveryReport[] = [];
  const onDelivery = (report: DeliveryReport) => reports.push(report);
  const receiver = createReceiver({
    on: {},
    ...(verify && { verify }),
    limitBytes: 5000,
    onDelivery,
  });
  const response = await receiver(request);
  // The response does not contain the reason.
  const text = await response.text();
  if (response.status === 401) expect(text).not.toContain(reports[0]?.reason);
  return reports[0];
}

const LONG = "x".repeat(10_000);
const unverified: [Verify, Record<string, string>, string][] = [
  [standard, { "webhook-id": "" }, "the header webhook-id is empty"],
  [standard, { "webhook-id": "msg_2" }, "the signature does not match"],
  [standard, { "webhook-timestamp": "soon" }, 'webhook-timestamp is "soon", not a number'],
  [standard, { "webhook-timestamp": LONG }, `webhook-timestamp is "${"x".repeat(80)}…", not a`],
  [
    standard,
    { "webhook-timestamp": String(SECONDS - 301) },
    "webhook-timestamp is 301 s old; the tolerance is 300 s",
  ],
  [
    standard,
    { "webhook-timestamp": String(SECONDS + 301) },
    "webhook-timestamp is 301 s in the future; the tolerance is 300 s",
  ],
  [
    standard,
    { "webhook-signature": "v2,AAAA" },
    "webhook-signature has no signature of version v1",
  ],
  [standard, { "webhook-signature": "v1,A, v1,A" }, "the header webhook-signature was sent twice"],
  [
    standard,
    { "webhook-signature": "v1,AAAA" },
    "the signature does not match: wrong secret, or the signed content was changed",
  ],
  [hmac, {}, "the header x-signature is missing"],
  [hmac, { "x-signature": "abc" }, "the header x-signature does not start with v0="],
  [hmac, { "x-signature": "v0=abc" }, "the signature does not match"],
  [
    hmac,
    { "x-signature": "v0=abc", "webhook-event-type": "a, b" },
    "the header webhook-event-type does not name one event",
  ],
  [secret, {}, "the header x-secret is missing"],
  [secret, { "x-secret": "guess" }, "the secret in the header x-secret is wrong"],
  [() => false, {}, "verify returned false"],
  [(() => ({ id: 1 })) as never, {}, "verify returned neither true nor { verified: true }"],
  [(() => ({ verified: "true" })) as never, {}, "verify returned neither true nor"],
  [(() => undefined) as never, {}, "verify returned neither true nor"],
  [
    () => {
      throw new UnverifiedError("the key is revoked");
    },
    {},
    "the key is revoked",
  ],
];
test.each(unverified)("%o refuses %o: %s", async (verify, changed, reason) => {
  const request = deliver(NAME, updated);
  for (const [name, value] of Object.entries({ ...SIGNED, ...changed })) {
    request.headers.set(name, value);
  }
  expect(await reportOf(request, verify)).toEqual({
    event: null,
    outcome: "unverified",
    reason: expect.stringContaining(reason),
    durationMs: expect.any(Number),
  });
});

test.each(Object.keys(SIGNED))("a missing %s is named", async (name) => {
  const request = deliver(NAME, updated);
  for (const [other, value] of Object.entries(SIGNED)) {
    if (other !== name) request.headers.set(other, value);
  }
  const reason = `the header ${name} is missing`;
  expect(await reportOf(request, standard)).toMatchObject({ outcome: "unverified", reason });
});

const refused: [Request, string][] = [
  [deliver(NAME, updated, { method: "PUT" }), 'the method is "PUT", not POST'],
  [deliver(NAME, updated, { contentType: "text/plain" }), 'the content type is "text/plain", not'],
  [deliver(NAME, "{"), "the body is not JSON"],
  [deliver(NAME, new Uint8Array([0xff])), "the body is not UTF-8"],
  [deliver(null, updated), "the header webhook-event-type is missing"],
  [deliver("a, b", updated), 'the header webhook-event-type is "a, b", not one event'],
  [deliver(NAME, LONG), "the body has more than 5000 bytes"],
  [deliver(NAME, {}), "it breaks the contract; findings: "],
];
test.each(refused)("%o is refused: %s", async (request, reason) => {
  expect(await reportOf(request)).toMatchObject({ reason: expect.stringContaining(reason) });
});

test("a reason never contains a signature, a secret or a sent value", async () => {
  for (const [verify, changed] of unverified) {
    const request = deliver(NAME, updated);
    const guesses = { "x-secret": "GUESS", "x-signature": "GUESS", "webhook-signature": "GUESS" };
    for (const [name, value] of Object.entries({ ...SIGNED, ...changed, ...guesses })) {
      request.headers.set(name, value);
    }
    const { reason } = (await reportOf(request, verify)) ?? {};
    expect(reason).not.toMatch(/GUESS|open sesame/);
  }
});
