import { expect, test } from "vitest";
import {
  type ContractOptions,
  checkHistory,
  validateEvent,
  validateResponse,
} from "../../src/contract/index.ts";
import { bodyOf } from "./cases/payload.ts";

/** A valid payload with one member replaced, or removed if the value is `undefined`. */
function broken(
  of: string,
  name: string | undefined,
  path: string,
  value: unknown,
): Record<string, unknown> {
  const body = structuredClone(bodyOf(of, name));
  const segments = path.split("/").slice(1);
  const last = segments.pop() ?? "";
  const parent = segments.reduce<Record<string, unknown>>(
    (object, segment) => object[segment] as Record<string, unknown>,
    body,
  );
  if (value === undefined) delete parent[last];
  else parent[last] = value;
  return body;
}

const UPDATED = ["transaction.updated", "settled-by-network"] as const;
const LINKED = ["cardsubscription.updated", "network-bulk-active-linked"] as const;
const MINTED = ["cardsubscription.created", "bank-feed"] as const;
const MESSAGE = ["transactionmessage.created", "bank-posting"] as const;
const MATCH = ["transaction.match.created", "high"] as const;
const COMPLETED = ["banklink.completed", "credit-with-minted-cards"] as const;
const STATE = ["bankaccount.state_changed", "consent-expiring"] as const;
const FEED = ["networkbulkfeed.statechanged", "failed-with-card-count"] as const;
const POSTING = ["banktransaction.created", "debit"] as const;
const RETIRED = ["banktransaction.deleted", "duplicate-retired"] as const;
const RETRACTED = ["transaction.match.deleted", "rematch-superseded"] as const;

type Row = [readonly [string, string], path: string, value: unknown, requirement: string];

test.each<Row>([
  [UPDATED, "/id", "42", "CONV-01"],
  [UPDATED, "/id", undefined, "TXN-01"],
  [UPDATED, "/createdAt", "2025-03-04T12:30:16Z", "CONV-02"],
  [UPDATED, "/transactionHoldAmount", "42.50", "CONV-04"],
  [UPDATED, "/descriptor", null, "TXN-01"],
  [UPDATED, "/cardId", undefined, "TXN-02"],
  [UPDATED, "/cardId", "a card", "CONV-01"],
  [UPDATED, "/cardId", 7, "TXN-02"],
  [UPDATED, "/status", 7, "TXN-04"],
  [UPDATED, "/acceptor/mcc", 5812, "TXN-05"],
  [UPDATED, "/acceptor/state", undefined, "TXN-05"],
  [UPDATED, "/network", "network_a", "TXN-01"],
  [UPDATED, "/supersededMessageIds", undefined, "TXN-06"],
  [UPDATED, "/supersededMessageIds/0", "x", "CONV-01"],
  [UPDATED, "/_links/self", "/transactions/1", "CONV-05"],
  [UPDATED, "/_links/self/href", "https://elsewhere.example/", "CONV-05"],
  [UPDATED, "/_links/self/href", "//elsewhere.example/", "CONV-05"],
  [UPDATED, "/_links/messages", undefined, "TXN-01"],
  [UPDATED, "/_embedded/messages", {}, "TXN-10"],
  [UPDATED, "/_embedded/messages/0/superseded", "false", "MSG-01"],
  [UPDATED, "/_embedded/messages/0/dateTime", "2025-03-04T12:30:15Z", "MSG-07"],
  [UPDATED, "/_embedded/messages/0/bankData", undefined, "MSG-01"],
  [UPDATED, "/_embedded/messages/0/dateTime", undefined, "MSG-01"],
  [UPDATED, "/_embedded/messages/0/dateTime", 1741091415, "MSG-07"],
  [UPDATED, "/status", undefined, "TXN-01"],
  [UPDATED, "/network", "4711", "TXN-01"],
  [UPDATED, "/_embedded/messages/1/bankData/provider", undefined, "MSG-08"],
  [UPDATED, "/_embedded/messages/1/bankData", "none", "MSG-08"],
  [UPDATED, "/metadata", [], "WHK-03"],
  [UPDATED, "/metadata", { resourceId: 1 }, "WHK-03"],
  [MESSAGE, "/accountId", undefined, "MSG-01"],
  [MESSAGE, "/approvalCode", 921053, "MSG-06"],
  [MESSAGE, "/traceId", 734, "MSG-05"],
  [MESSAGE, "/traceId", "00A7", "MSG-05"],
  [MESSAGE, "/messageType", 1, "MSG-10"],
  [LINKED, "/enrollmentType", "by-magic", "SUB-01"],
  [LINKED, "/enrollmentType", undefined, "SUB-01"],
  [LINKED, "/networkBulkFeedId", null, "SUB-02"],
  [LINKED, "/_links/networkBulkFeed", undefined, "SUB-02"],
  [LINKED, "/customerReferenceId", undefined, "SUB-01"],
  [LINKED, "/state", 1, "SUB-01"],
  [MINTED, "/bankAccountId", undefined, "SUB-03"],
  [MINTED, "/_links", undefined, "SUB-01"],
  [MINTED, "/_links/bankAccount", undefined, "SUB-03"],
  [MINTED, "/networkBulkFeedId", "bc806344-066c-4947-b770-9d25dee501a3", "SUB-02"],
  [FEED, "/oldState", 1, "NBF-01"],
  [FEED, "/expectedCardCount", 2.5, "NBF-01"],
  [FEED, "/networkReference", undefined, "NBF-01"],
  [COMPLETED, "/bankAccounts/0/mask", "44102", "BLK-01"],
  [COMPLETED, "/bankAccounts/0/cardIds", undefined, "BLK-01"],
  [COMPLETED, "/bankAccounts/0/cards/0/network", "NETWORK_C", "BLK-03"],
  [COMPLETED, "/bankAccounts/0/cards/0/enrollmentType", "network-bulk", "BLK-03"],
  [STATE, "/state", "asleep", "BAC-01"],
  [STATE, "/reason", undefined, "BAC-02"],
  [STATE, "/expiresAt", "soon", "CONV-02"],
  [POSTING, "/amount", 0, "BTX-02"],
  [POSTING, "/amount", -42.5, "BTX-02"],
  [POSTING, "/amount", "42.5", "CONV-04"],
  [POSTING, "/amount", null, "BTX-01"],
  [POSTING, "/amount", undefined, "BTX-01"],
  [POSTING, "/category", [], "BTX-03"],
  [POSTING, "/transactionType", "DEBIT", "BTX-01"],
  [POSTING, "/date", "2025-02-30", "CONV-03"],
  [RETIRED, "/reason", "because", "BTX-04"],
  [MATCH, "/confidence", "SURE", "MAT-01"],
  [MATCH, "/confidence", null, "MAT-01"],
  [MATCH, "/confidence", 1, "MAT-01"],
  [MATCH, "/reasons/0/diff", undefined, "MAT-03"],
  [MATCH, "/matches/0/id", undefined, "MAT-01"],
  [MATCH, "/cardTransaction/source", undefined, "MAT-01"],
  [RETRACTED, "/reason", "provider_removed", "MAT-05"],
])("%s with %s as %j breaks %s, in one finding", ([event, name], path, value, requirement) => {
  const { ok, findings } = validateEvent(event, broken(event, name, path, value));
  expect(ok).toBe(false);
  expect(findings.map((finding) => finding.requirement)).toEqual([requirement]);
  expect(findings[0]?.level).toBe("error");
  expect(findings[0]?.message).toContain(event);
});

test.each<[readonly [string, string], path: string, value: unknown]>([
  [UPDATED, "/newField", { any: "thing" }],
  [UPDATED, "/_embedded", undefined],
  [UPDATED, "/_embedded/messages", undefined],
  [UPDATED, "/_embedded/messages/0/approvalCode", null],
  [UPDATED, "/_embedded/messages/0/approvalCode", undefined],
  [UPDATED, "/metadata", { resourceId: "anything", more: 1 }],
  [MESSAGE, "/cardId", undefined],
  [MESSAGE, "/bankData", null],
  [MESSAGE, "/dateTime", undefined],
  [LINKED, "/customerReferenceId", "any string at all"],
  [MATCH, "/reasons/0/cardValue", { any: "thing" }],
  [POSTING, "/category", null],
])("%s with %s as %j is valid", ([event, name], path, value) => {
  const { ok, findings } = validateEvent(event, broken(event, name, path, value));
  expect({ ok, findings }).toEqual({ ok: true, findings: [] });
});

test("a deviation of the experimental event is a notice", () => {
  const { ok, findings } = validateEvent("enrichment.merchant.created", { id: 1 });
  expect(ok).toBe(true);
  expect(findings.length).toBeGreaterThan(0);
  expect(new Set(findings.map(({ level }) => level))).toEqual(new Set(["notice"]));
});

test.each(["transaction.deleted", "toString", "__proto__", ""])(
  "%j is not an event of the contract",
  (name) => {
    const { ok, findings } = validateEvent(name, {});
    expect(ok).toBe(false);
    expect(findings.map(({ requirement }) => requirement)).toEqual(["WHK-01"]);
  },
);

test.each([null, 5, "text", [], true])("a body that is %j is described in the finding", (body) => {
  const { findings } = validateEvent("transaction.created", body);
  expect(findings).toHaveLength(1);
  expect(findings[0]).toMatchObject({ path: "", expected: "object", requirement: "WHK-02" });
});

test("a body has at most 1000 findings", () => {
  const body = broken(...MATCH, "/matches", Array(200_000).fill({ amount: "1" }));
  const { ok, findings } = validateEvent("transaction.match.created", body);
  expect(ok).toBe(false);
  expect(findings).toHaveLength(1000);
  expect(findings.at(-1)?.path).toMatch(/^\/matches\/124\/\w+$/);
});

test("a finding has a JSON pointer, and describes both values", () => {
  const body = broken(...POSTING, "/date", "2025-3-4");
  expect(validateEvent("banktransaction.created", body).findings).toEqual([
    {
      requirement: "CONV-03",
      claim: "CONV-03.form",
      level: "error",
      path: "/date",
      message:
        "banktransaction.created /date: expected an existing day, like 2025-03-04, " +
        'got string "2025-3-4"',
      expected: "an existing day, like 2025-03-04",
      actual: 'string "2025-3-4"',
    },
  ]);
});

test.each<[value: unknown, actual: string]>([
  [{ href: "/network-bulk-feeds/1", title: "Feed" }, "object with 2 members"],
  [null, "null"],
  ["str", 'string "str"'],
])("the forbidden link %j of a subscription is shown as %s", (value, actual) => {
  const body = broken(...MINTED, "/_links/networkBulkFeed", value);
  const { findings } = validateEvent("cardsubscription.created", body);
  expect(findings.map((finding) => finding.actual)).toEqual([actual]);
});

test("a value that could be a secret is never shown", () => {
  const body = { access_token: "not-a-jwt-but-secret", expires_in: 300, token_type: "Bearer" };
  const key = "POST /auth/realms/{account_id}/protocol/openid-connect/token";
  const { findings } = validateResponse(key, 200, body);
  expect(findings.map(({ requirement }) => requirement)).toEqual(["AUTH-02"]);
  expect(JSON.stringify(findings)).not.toContain("not-a-jwt");
});

test("a long value is truncated", () => {
  const body = broken(...POSTING, "/date", "x".repeat(5000));
  const [finding] = validateEvent("banktransaction.created", body).findings;
  expect(finding?.message.length).toBeLessThan(200);
});

test.each<[string, string, unknown, string[]]>([
  ["GET /subaccounts", "", [], ["EP-01"]],
  ["GET /subaccounts", "/_links/self", undefined, ["PAGE-04"]],
  ["GET /subaccounts", "/_embedded", undefined, ["PAGE-10"]],
  ["GET /cards", "/totalItems", undefined, ["PAGE-08"]],
  ["GET /cards", "/_links/last", undefined, ["PAGE-06"]],
  ["GET /bank-transactions", "/_embedded/bankTransactions/0/category", "FOOD", ["BTX-03"]],
  ["GET /bank-transactions", "/_embedded/bankTransactions/0/id", undefined, ["EP-10"]],
  ["GET /transaction-matches", "/_embedded/transactionMatches/0/id", undefined, ["EP-12"]],
])("a response of %s with %s as %j breaks %j", (operation, path, value, expected) => {
  const body = path === "" ? value : broken(operation, undefined, path, value);
  const { findings } = validateResponse(operation as "GET /cards", 200, body);
  expect(findings.map(({ requirement }) => requirement)).toEqual(expected);
});

test.each<[string, number, unknown, "ok" | "not ok", string[]]>([
  ["GET /cards", 404, { any: "error" }, "ok", ["ERR-02"]],
  ["PATCH /bank-links/{bankLinkId}", 200, { any: "thing" }, "ok", ["ERR-02"]],
  ["GET /unicorns", 200, {}, "not ok", ["CONV-06"]],
  ["__proto__", 200, {}, "not ok", ["CONV-06"]],
])("a response of %s with status %i is %s", (operation, status, body, verdict, expected) => {
  const { ok, findings } = validateResponse(operation as "GET /cards", status as 200, body);
  expect(ok).toBe(verdict === "ok");
  expect(findings.map(({ requirement }) => requirement)).toEqual(expected);
});

test.each([
  ["null", null],
  ["{}", {}],
  ["one code", { c: "NETWORK_C" }],
  ["an undefined code", { a: undefined }],
])("network codes of %s are completed by the defaults", async (_title, networks) => {
  const options = { networks } as unknown as ContractOptions;
  const body = broken(...UPDATED, "/network", "NETWORK_B");
  expect(validateEvent("transaction.updated", body, options).findings).toEqual([]);
  const response = validateResponse("GET /transactions/{transactionId}", 200, body, options);
  expect(response.findings).toEqual([]);
  const feed = broken(...FEED, "/network", "NETWORK_B");
  const delivery = { headers: { "webhook-event-type": FEED[0] }, body: feed };
  expect((await checkHistory([delivery], options)).findings).toEqual([]);
});

test.each(["200", 200.5, Number.NaN, null, undefined])("the status %s is an error", (status) => {
  const { ok, findings } = validateResponse("GET /cards", status as 200, []);
  expect(ok).toBe(false);
  expect(findings).toEqual([
    expect.objectContaining({ requirement: "CONV-06", level: "error", path: "" }),
  ]);
  expect(findings[0]?.expected).toBe("a whole number, such as 200");
});
