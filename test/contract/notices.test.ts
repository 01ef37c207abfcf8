import { expect, test } from "vitest";
import { validateEvent, validateResponse } from "../../src/contract/index.ts";
import { bodyOf } from "./cases/payload.ts";

const payloadOf = (of: string, name?: string) => structuredClone(bodyOf(of, name));

const UPDATED = ["transaction.updated", "settled-by-network"] as const;
const MESSAGE = ["transactionmessage.created", "bank-posting"] as const;
const LINKED = ["cardsubscription.updated", "network-bulk-active-linked"] as const;
const FEED = ["networkbulkfeed.statechanged", "failed-with-card-count"] as const;
const COMPLETED = ["banklink.completed", "credit-with-minted-cards"] as const;
const STATE = ["bankaccount.state_changed", "consent-expiring"] as const;
const MATCH = ["transaction.match.created", "high"] as const;

type Row = [readonly [string, string], path: string, value: unknown, requirement: string];

test.each<Row>([
  [UPDATED, "/status", "REVERSED", "TXN-04"],
  [UPDATED, "/network", "NETWORK_D", "TXN-01"],
  [UPDATED, "/transactionType", "CREDIT_01", "TXN-01"],
  [UPDATED, "/_embedded/messages/1/bankData/provider", "PROVIDER_C", "MSG-10"],
  [MESSAGE, "/messageType", "AUTH_ADVC", "MSG-10"],
  [MESSAGE, "/result", "DECLINED", "MSG-10"],
  [LINKED, "/state", "sleeping", "SUB-01"],
  [FEED, "/newState", "paused", "NBF-01"],
  [COMPLETED, "/bankAccounts/0/type", "depository", "BLK-01"],
  [STATE, "/reason", "other_reason", "BAC-02"],
  [MATCH, "/reasons/0/type", "Colour", "MAT-03"],
])("%s with %s as %j is valid, with a notice of %s", ([event, name], path, value, requirement) => {
  const body = payloadOf(event, name);
  const segments = path.split("/").slice(1);
  const last = segments.pop() ?? "";
  const holder = segments.reduce<Record<string, unknown>>(
    (object, segment) => object[segment] as Record<string, unknown>,
    body,
  );
  holder[last] = value;
  const { ok, findings } = validateEvent(event, body);
  const notices = findings.filter(({ level }) => level === "notice");
  expect(ok).toBe(findings.every(({ level }) => level !== "error"));
  expect(notices.map(({ requirement: id, path: at }) => [id, at])).toEqual([[requirement, path]]);
  expect(notices[0]?.message).toContain(`${event} ${path}: expected one of the known values (`);
});

test("an unconstrained value and an unknown field cause no notice", () => {
  const body = { ...payloadOf(...UPDATED), newField: { status: "REVERSED" } };
  expect(validateEvent("transaction.updated", body)).toEqual({ ok: true, body, findings: [] });
});

test("known network codes are the configured ones and OPEN_BANKING", () => {
  const text = JSON.stringify(payloadOf(...UPDATED)).replaceAll("NETWORK_A", "VISA");
  const networks = { a: "VISA", b: "AMEX", c: "MC" };
  const { findings } = validateEvent("transaction.updated", JSON.parse(text));
  expect(new Set(findings.map(({ actual }) => actual))).toEqual(new Set(['string "VISA"']));
  expect(validateEvent("transaction.updated", JSON.parse(text), { networks }).findings).toEqual([]);
  const [notice] = validateEvent("transaction.updated", payloadOf(...UPDATED), {
    networks,
  }).findings;
  expect(notice?.expected).toBe("one of the known values (VISA, AMEX, MC, OPEN_BANKING)");
});

test("a response has the same notices as an event", () => {
  const response = { ...payloadOf("GET /transactions/{transactionId}"), status: "REVERSED" };
  const { ok, findings } = validateResponse("GET /transactions/{transactionId}", 200, response);
  expect({ ok, ids: findings.map(({ requirement }) => requirement) }).toEqual({
    ok: true,
    ids: ["TXN-04"],
  });
});

test("a payload has at most 1000 notices", () => {
  const [reason] = payloadOf(...MATCH)["reasons"] as object[];
  const reasons = Array(200_000).fill({ ...reason, type: "Colour" });
  const body = { ...payloadOf(...MATCH), reasons };
  const { ok, findings } = validateEvent("transaction.match.created", body);
  expect({ ok, count: findings.length }).toEqual({ ok: true, count: 1000 });
});
