import { judgeLiveMatches } from "./matches.ts";
import { judgeUnlistedMessages } from "./messages.ts";
import { judgeMatches, judgeUnsureSettlements } from "./settlement.ts";
import type { World } from "./world.ts";

/** At the end of a capture: what was never announced, and what was owed and never came. */
export function judgeDebts(world: World): void {
  const { chronicle } = world;
  for (const [id, { line, event, path, isBankOnly }] of world.stillOwed(
    world.unannouncedMessages,
  )) {
    // TXN-15 says it of bank-only movements, CONV-09 of every link.
    const requirement = isBankOnly ? "TXN-15" : "CONV-09";
    const expected = "a message that transactionmessage.created announces";
    chronicle.doubt(requirement, { event, path, expected, value: id, lines: [line] });
  }
  for (const [id, { line, event, path, requirement }] of world.stillOwed(
    world.unannouncedBankTransactions,
  )) {
    const expected = "a bank transaction that banktransaction.created announces";
    chronicle.doubt(requirement, { event, path, expected, value: id, lines: [line] });
  }
  for (const [id, { line, event, path }] of world.stillOwed(world.unlinkedAccounts)) {
    const expected = "a bank account that banklink.completed names";
    chronicle.doubt("CONV-09", { event, path, expected, value: id, lines: [line] });
  }
  for (const [id, { line, event, path }] of world.stillOwed(world.owedSubscriptions)) {
    const expected = `cardsubscription.created of ${id} to be sent`;
    chronicle.doubt("BLK-05", { event, path, expected, lines: [line] });
  }
  judgeUnlistedMessages(world);
  judgeLiveMatches(world);
  judgeMatches(world);
  judgeUnsureSettlements(world);
}
