import { expect, test, vi } from "vitest";
import { hasCode, QuarantineError } from "../src/errors.ts";
import { createReceiver } from "../src/webhooks/index.ts";

test("hasCode refuses values that are not errors of the package", () => {
  const unreadable = Proxy.revocable({}, {});
  unreadable.revoke();
  const values = [
    ...[null, undefined, "quarantine", unreadable.proxy],
    { name: "TxfeedError", code: "quarantine" },
    Object.assign(new Error("of another package"), { code: "quarantine" }),
  ];
  expect(values.map((value) => hasCode(value, "quarantine"))).toEqual(values.map(() => false));
});

test("hasCode recognises a subclass with a name of its own", () => {
  class Closed extends QuarantineError {
    override name = "Closed";
  }
  expect(hasCode(new Closed("the account is closed"), "quarantine")).toBe(true);
  expect(hasCode(new Closed("the account is closed"), "retry-later")).toBe(false);
});

test("a receiver recognises the errors of another copy of the package", async () => {
  vi.resetModules();
  const copy = await import("../src/webhooks/index.ts");
  expect(copy.QuarantineError).not.toBe(QuarantineError);
  const verify = copy.hmacSha256({ header: "x-signature", secret: "key", encoding: "hex" });
  const headers = { "content-type": "application/json", "webhook-event-type": "event" };
  const request = new Request("http://localhost", { method: "POST", headers, body: "{}" });
  expect((await createReceiver({ on: {}, verify })(request)).status).toBe(401);
});
