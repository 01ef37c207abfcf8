import { expect, test } from "vitest";
import { normalizedType } from "../../src/model/bank-account.ts";

test.each([
  ["credit", "credit"],
  ["CREDIT", "credit"],
  ["Credit Card", "credit"],
  ["credit_card", "credit"],
  ["CreditCard", "credit"],
  ["credit/credit card", "credit"],
  ["depository/checking", "depository"],
  ["Current Account", "depository"],
  ["CACC", "depository"],
  ["SAVINGS", "depository"],
  ["loan/mortgage", "loan"],
  ["something/brokerage", "investment"],
  ["something else", "other"],
  ["constructor", "other"],
  ["/", "other"],
])("normalizes %s to %s", (type, normalized) => {
  expect(normalizedType(type)).toBe(normalized);
});
