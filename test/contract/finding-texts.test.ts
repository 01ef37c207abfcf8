import { expect, test } from "vitest";
import { validateEvent, validateResponse } from "../../src/contract/index.ts";
import { change, delivery, LEGS, response } from "./cases/payload.ts";

const POSTING = delivery("banktransaction.created", "debit");
const MATCH = response("GET /transaction-matches/{subaccountId}/{matchId}", "high");

const leg = (index: number, amount: number) => ({
  [`/_embedded/messages/${index}/transactionAmount`]: amount,
  [`/_embedded/messages/${index}/cardholderBillingAmount`]: amount,
});

test.each([
  [0.1, 0.2, "0.3"],
  [1.1, 2.2, "3.3"],
  [0.125, 0.2, "0.325"],
  [100, 20, "120"],
  [1e-7, 2e-7, "3e-7"],
  [0.1, 1e21, "1e+21"],
])("the settlements %d and %d add up to %s", (first, second, sum) => {
  const { body } = change(LEGS, { ...leg(1, first), ...leg(2, second) });
  const { findings } = validateEvent("transaction.updated", body);
  const expected = `${sum}, without superseded messages`;
  expect(findings.map((finding) => finding.expected)).toEqual([expected, expected]);
});

test("a character that reorders or hides text is shown as an escape", () => {
  const status = "\u202e\u2066abc\u200b\u00ad\u2028\u007f\u{e0041}";
  const { body } = change(LEGS, { "/status": status });
  const { findings } = validateEvent("transaction.updated", body);
  const shown = String.raw`string "\u202e\u2066abc\u200b\u00ad\u2028\u007f\u{e0041}"`;
  expect(findings.map(({ actual }) => actual)).toEqual([shown]);
  expect(findings[0]?.message).toContain(shown);
});

test("letters and emoji of any script are shown unchanged", () => {
  const { body } = change(LEGS, { "/status": "Grüße 日本語 😀" });
  const [finding] = validateEvent("transaction.updated", body).findings;
  expect(finding?.actual).toBe('string "Grüße 日本語 😀"');
});

test.each([58, 59, 60])("a value with an emoji after %i letters is cut between characters", (n) => {
  const { body } = change(POSTING, { "/date": `${"x".repeat(n)}😀😀` });
  const [finding] = validateEvent("banktransaction.created", body).findings;
  expect(finding?.actual).toMatch(/^string "x{58,60}(😀)?…$/u);
});

test("long text of escapes is truncated", () => {
  const network = "A".repeat(20) + "\u202e".repeat(1000);
  const { body } = change(LEGS, { "/cardId": null, "/network": network });
  const { findings } = validateEvent("transaction.updated", body);
  expect(findings.length).toBeGreaterThan(1);
  for (const { message } of findings) {
    expect(message.length).toBeLessThan(800);
    expect(message).toMatch(/^[ -~…]+$/);
  }
});

test.each([[{}], [null], [0.98], ["SURE"], ["toString"]])(
  "the confidence %j of a response is one notice",
  (confidence) => {
    const { operation, body } = change(MATCH, { "/confidence": confidence });
    const { findings } = validateResponse(operation, 200, body);
    const notices = findings.map(({ requirement, level }) => `${requirement} ${level}`);
    expect(notices).toEqual(["EP-12 notice"]);
  },
);
