import { expect, test } from "vitest";
import { BANK_TRANSACTION_MOVES, MATCH_MOVES } from "../../../src/sandbox/activity/bank-moves.ts";
import { TRANSACTION_MOVES } from "../../../src/sandbox/activity/transaction-moves.ts";
import { requireTransition, type Transition } from "../../../src/sandbox/state-machine.ts";
import { Stage } from "../stage.ts";
import { cardOnAccount, namesOf } from "./scene.ts";

test.each<[string, readonly Transition[]]>([
  ["transactions", TRANSACTION_MOVES],
  ["bank transactions", BANK_TRANSACTION_MOVES],
  ["matches", MATCH_MOVES],
])("of %s, a trigger that the table does not have for a state is refused", (_kind, rows) => {
  const states = [...new Set(["new", ...rows.map(({ to }) => to)])];
  for (const { trigger, from } of rows) {
    for (const state of states.filter((one) => !from.includes(one))) {
      expect(() => requireTransition(rows, trigger, state, "it")).toThrow(`and it is ${state}`);
    }
  }
});

test("TXN-20: no row of the table leads a transaction back to PENDING", () => {
  const back = TRANSACTION_MOVES.filter(({ from, to }: Transition) => {
    return to === "PENDING" && !from.every((state) => state === "new");
  });
  expect(back).toEqual([]);
});

test("every row is played by a purchase that is settled, cleared, matched anew and removed", () => {
  const stage = new Stage();
  const { bankAccountId } = cardOnAccount(stage);
  const played = [
    stage.do("purchase"),
    stage.do("bank-post"),
    stage.do("clear"),
    stage.do("rematch"),
    stage.do("bank-post", { bankAccountId, amount: 7, description: "KIOSK 8" }),
    stage.do("retire-duplicate"),
    stage.do("provider-remove"),
  ];
  const sent = new Set(played.flatMap(({ events }) => namesOf(events)));
  const rows: readonly Transition[] = [
    ...TRANSACTION_MOVES,
    ...BANK_TRANSACTION_MOVES,
    ...MATCH_MOVES,
  ];
  expect(rows.flatMap(({ sends }) => sends).filter((name) => !sent.has(name))).toEqual([]);
});
