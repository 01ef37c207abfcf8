import { expect, test } from "vitest";
import { BANK_TRANSACTION_TRANSITIONS } from "../../../src/model/bank-transaction.ts";
import type { Transition } from "../../../src/model/state-machine.ts";
import { TRANSACTION_TRANSITIONS } from "../../../src/model/transaction.ts";
import { MATCH_TRANSITIONS } from "../../../src/model/transaction-match.ts";
import { requireTransition } from "../../../src/world/state-machine.ts";
import { TestSandbox } from "../test-sandbox.ts";
import { cardOnAccount, namesOf } from "./fixture.ts";

test.each<[string, readonly Transition[]]>([
  ["transactions", TRANSACTION_TRANSITIONS],
  ["bank transactions", BANK_TRANSACTION_TRANSITIONS],
  ["matches", MATCH_TRANSITIONS],
])("of %s, a trigger without a row for the state is refused", (_kind, rows) => {
  const states = [...new Set(["new", ...rows.map(({ to }) => to)])];
  for (const { trigger, from } of rows) {
    for (const state of states.filter((one) => !from.includes(one))) {
      expect(() => requireTransition(rows, trigger, state, "it")).toThrow(`but it is ${state}`);
    }
  }
});

test("TXN-20: no row of the table returns a transaction to PENDING", () => {
  const back = TRANSACTION_TRANSITIONS.filter(({ from, to }: Transition) => {
    return to === "PENDING" && !from.every((state) => state === "new");
  });
  expect(back).toEqual([]);
});

test("a settled, cleared, rematched and removed purchase uses every row", () => {
  const sandbox = new TestSandbox();
  const { bankAccountId } = cardOnAccount(sandbox);
  const played = [
    sandbox.do("purchase"),
    sandbox.do("bank-post"),
    sandbox.do("clear"),
    sandbox.do("rematch"),
    sandbox.do("bank-post", { bankAccountId, amount: 7, description: "KIOSK 8" }),
    sandbox.do("retire-duplicate"),
    sandbox.do("provider-remove"),
  ];
  const sent = new Set(played.flatMap(({ events }) => namesOf(events)));
  const rows: readonly Transition[] = [
    ...TRANSACTION_TRANSITIONS,
    ...BANK_TRANSACTION_TRANSITIONS,
    ...MATCH_TRANSITIONS,
  ];
  expect(rows.flatMap(({ sends }) => sends).filter((name) => !sent.has(name))).toEqual([]);
});
