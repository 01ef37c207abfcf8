import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { EventName } from "../../../generated/events.ts";
import type { RequirementId } from "../../../generated/requirements.ts";
import { make } from "../../../src/fixtures/index.ts";
import { createSandbox, type Sandbox } from "../../../src/sandbox/index.ts";
import { afterPosting, type Posted } from "./posted.ts";

/** Checks of single deliveries. Each must pass on a correct body and fail on a broken one. */
let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await createSandbox({ world: "empty" });
});

afterAll(() => sandbox.close());

// biome-ignore lint/suspicious/noExplicitAny: faults reach into bodies as they like
type Json = any;
type Change = (body: Json) => unknown;

interface Case {
  readonly id: RequirementId;
  readonly name: EventName;
  readonly variant?: string;
  readonly change: Change;
}

/** Events that must precede a deletion. */
const ANNOUNCED: { readonly [Name in EventName]?: EventName } = {
  "banktransaction.deleted": "banktransaction.created",
  "transaction.match.deleted": "transaction.match.created",
};

const of = (name: EventName, variant?: string) => (id: RequirementId, change: Change) => {
  return { id, name, change, ...(variant !== undefined && { variant }) };
};
const transaction = of("transaction.updated", "settled-by-network");
const message = of("transactionmessage.created", "bank-posting");
const onNetworkC = of("transactionmessage.created", "authorization-network-c");
const subscription = of("cardsubscription.created", "network-bulk-linked");
const match = of("transaction.match.created");
const turn = of("bankaccount.state_changed");
const removal = of("banktransaction.deleted");

const CASES: readonly Case[] = [
  transaction("CONV-01", (body) => Object.assign(body, { id: "t-1" })),
  transaction("CONV-02", (body) => Object.assign(body, { createdAt: "2026-01-05T09:00:00Z" })),
  of("banktransaction.created")("CONV-03", (body) => Object.assign(body, { date: "5.1.2026" })),
  transaction("CONV-04", (body) => Object.assign(body, { transactionHoldAmount: "1.00" })),
  transaction("CONV-05", (body) => Object.assign(body._links, { self: "/transactions/1" })),
  transaction("CONV-07", (body) => Object.assign(body._links.self, { href: "/transactions" })),
  transaction("CONV-08", (body) => Object.assign(body._links.card, { href: "/cards/1" })),
  transaction("TXN-01", (body) => Object.assign(body, { descriptor: null })),
  transaction("TXN-02", (body) => delete body.cardId),
  transaction("TXN-03", (body) => delete body._links.card),
  transaction("TXN-04", (body) => Object.assign(body, { status: 1 })),
  transaction("TXN-05", (body) => Object.assign(body.acceptor, { mcc: 5812 })),
  transaction("TXN-06", (body) => body.supersededMessageIds.push(body.supersededMessageIds[0])),
  transaction("TXN-07", (body) => body._embedded.messages.pop()),
  transaction("TXN-08", (body) => Object.assign(body._embedded.messages[1], { superseded: false })),
  transaction("TXN-09", (body) => Object.assign(body, { transactionSettledAmount: 1 })),
  transaction("TXN-10", (body) => Object.assign(body._embedded, { messages: {} })),
  of("transactionmessage.created", "bank-only-cardless")("TXN-16", (body) =>
    Object.assign(body, { transactionReference: "ref" }),
  ),
  message("MSG-01", (body) => delete body.result),
  message("MSG-02", (body) => Object.assign(body, { superseded: false })),
  message("MSG-04", (body) => Object.assign(body, { traceId: "1" })),
  onNetworkC("MSG-05", (body) => Object.assign(body, { traceId: 12 })),
  onNetworkC("MSG-06", (body) => Object.assign(body, { approvalCode: "123" })),
  message("MSG-07", (body) => Object.assign(body, { dateTime: `${body.dateTime}Z` })),
  message("MSG-08", (body) => delete body.bankData.personalFinanceCategory),
  message("MSG-10", (body) => Object.assign(body.bankData, { provider: 1 })),
  subscription("SUB-01", (body) => Object.assign(body, { enrollmentType: "bulk" })),
  subscription("SUB-02", (body) => delete body._links.networkBulkFeed),
  subscription("SUB-03", (body) => delete body._links.bankAccount),
  of("networkbulkfeed.statechanged")("NBF-01", (body) => delete body.networkReference),
  of("networkbulkfeed.statechanged")("NBF-02", (body) =>
    Object.assign(body, { errorReason: "none" }),
  ),
  of("networkbulkfeed.statechanged")("NBF-05", (body) =>
    Object.assign(body, { newState: body.oldState }),
  ),
  of("banklink.completed")("BLK-01", (body) => delete body.bankAccounts[0].mask),
  of("banklink.completed")("BLK-03", (body) =>
    Object.assign(body.bankAccounts[0], { cardIds: [] }),
  ),
  turn("BAC-01", (body) => Object.assign(body, { previousState: body.state })),
  turn("BAC-02", (body) => delete body.reason),
  of("banktransaction.created")("BTX-01", (body) => delete body.pending),
  of("banktransaction.created")("BTX-02", (body) => Object.assign(body, { amount: -1 })),
  of("banktransaction.created")("BTX-03", (body) => Object.assign(body, { category: ["a"] })),
  removal("BTX-04", (body) => Object.assign(body, { reason: "lost" })),
  removal("BTX-06", (body) => Object.assign(body.metadata, { resourceId: "x" })),
  match("MAT-01", (body) => delete body.cardTransaction),
  match("MAT-02", (body) => Object.assign(body, { confidence: "LOW" })),
  match("MAT-03", (body) => delete body.reasons[0].diff),
  of("transaction.match.deleted")("MAT-05", (body) => delete body.cardTransactionId),
  of("transaction.match.deleted")("MAT-06", (body) =>
    Object.assign(body.metadata, { resourceId: body.matchId }),
  ),
  transaction("WHK-02", () => make("banktransaction.created")),
  removal("BTX-06", (body) => delete body.metadata),
  of("banktransaction.created")("WHK-03", (body) => Object.assign(body, { metadata: "x" })),
];

test.concurrent.each(CASES)(
  "$id passes on a correct $name and fails on a broken one",
  async ({ id, name, variant, change }) => {
    const made = () => {
      const body = structuredClone(make(name, {}, { variant } as object)) as Json;
      // The interface requires metadata only on removals.
      return { metadata: { resourceId: "any" }, ...body };
    };
    const body = made();
    const other = change(body);
    const broken = id === "WHK-02" ? other : body;
    const announced = ANNOUNCED[name];
    const before = announced ? [{ name: announced, body: make(announced) }] : [];
    const kept = await afterPosting(sandbox, id, [...before, { name, body: made() }]);
    const verdicts = kept.map(({ verdict }) => verdict);
    expect(verdicts).toContain("passed");
    expect(verdicts.filter((verdict) => !["passed", "skipped"].includes(verdict))).toEqual([]);
    const found = await afterPosting(sandbox, id, [{ name, body: broken }]);
    expect(found.map(({ verdict }) => verdict)).toContain(
      ["CONV-07", "CONV-08", "NBF-05"].includes(id) ? "warned" : "failed",
    );
  },
);

describe("WHK-01", () => {
  const body = make("transaction.created");
  const name = "transaction.created";
  test.each<[string, Posted]>([
    ["GET with the name of an event", { name, method: "GET" }],
    ["a body that is not JSON", { name, body: "<html>" }],
    ["an empty body", { name }],
    ["a form's content type", { name, body, headers: { "content-type": "multipart/form-data" } }],
    ["no event name", { body }],
    ["another event's name", { name: "transaction.deleted", body }],
  ])("fails on %s", async (_, posted) => {
    const found = await afterPosting(sandbox, "WHK-01", [posted]);
    expect(found.map(({ verdict }) => verdict)).toContain("failed");
  });

  test("a body that is too large to keep decides nothing", async () => {
    const posted = { name, body: `"${"x".repeat(600_000)}"` };
    const found = await afterPosting(sandbox, "WHK-01", [posted]);
    expect(found.map(({ verdict }) => verdict)).toEqual(["skipped", "skipped", "skipped"]);
  });

  test.each<[string, Posted]>([
    ["a charset", { name, body, headers: { "content-type": "application/json; charset=utf-8" } }],
    ["a type of JSON", { name, body, headers: { "content-type": "application/hal+json" } }],
    ["another method that carries a body", { name, body, method: "PUT" }],
    ["headers of its own", { name, body, headers: { "x-signature": "abc" } }],
  ])("passes with %s", async (_, posted) => {
    const found = await afterPosting(sandbox, "WHK-01", [posted]);
    expect(found.map(({ verdict }) => verdict)).toEqual(["passed", "passed", "passed"]);
  });

  test("a health check is not a delivery", async () => {
    const found = await afterPosting(sandbox, "WHK-01", [{ method: "GET" }]);
    expect(found[0]).toMatchObject({ verdict: "skipped", reason: "nothing was delivered" });
  });
});

describe("ENR-01", () => {
  const name = "enrichment.merchant.created";

  test("passes on a valid enrichment", async () => {
    const found = await afterPosting(sandbox, "ENR-01", [{ name, body: make(name) }]);
    expect(found[0]).toMatchObject({ verdict: "passed", assertions: 1 });
  });

  test("an invalid enrichment leaves it undecided", async () => {
    const { merchant: _, ...body } = make(name);
    const found = await afterPosting(sandbox, "ENR-01", [{ name, body }]);
    expect(found[0]).toMatchObject({
      verdict: "skipped",
      reason: expect.stringContaining("which ENR-02 lets it"),
    });
  });
});
