import type { components } from "../../../generated/types.ts";
import { contentsWith, type World } from "./world.ts";

/**
 * Reads `bankaccount.state_changed`. The event has neither id nor time, so what was delivered
 * before may be a repeat or the same turn again: the account is then in one state or the other.
 */
export function onBankAccountMoved(
  body: components["schemas"]["BankAccountStateEvent"],
  content: number,
  world: World,
): void {
  const { chronicle } = world;
  const { bankAccountId, state, previousState } = body;
  const before = world.bankAccounts.get(bankAccountId);
  const isUnknown = !before || world.unreadable.has(bankAccountId);
  const isInStep = isUnknown || before.states.has(previousState);
  if (before?.contents.isRepeat(content)) {
    if (isInStep) before.states = new Set([...before.states, state]);
    return;
  }
  if (!isInStep) {
    chronicle.doubt("BAC-03", {
      path: "/previousState",
      expected: `${[...before.states].join(" or ")}, as its event before says`,
      value: previousState,
      lines: [before.line],
    });
  }
  if (state === "auth_required" && previousState === "disconnected") {
    const expected = "active, from where auth_required is entered";
    chronicle.breach("BAC-05", { path: "/previousState", expected, value: previousState });
  }
  world.bankAccounts.set(bankAccountId, {
    contents: before?.contents ?? contentsWith(content),
    line: chronicle.line,
    states: new Set([state]),
  });
}
