import type { components } from "../../../generated/types.ts";
import { contentsWith, type World } from "./world.ts";

type Schemas = components["schemas"];

/** Reads `banktransaction.created`. */
export function onBankTransactionCreated(
  body: Schemas["BankTransactionEvent"],
  content: number,
  world: World,
): void {
  const before = world.bankTransactions.get(body.id);
  if (before?.contents.isRepeat(content)) return;
  if (before) {
    // The interface has no update of a bank transaction, and does not say that it is final either.
    world.chronicle.notice("BTX-01", {
      path: "",
      expected: `bank transaction ${body.id} as it was announced`,
      value: body,
      lines: [before.line],
    });
    return;
  }
  world.unannouncedBankTransactions.delete(body.id);
  world.bankTransactions.live.set(body.id, {
    contents: contentsWith(content),
    line: world.chronicle.line,
    bankAccountId: body.bankAccountId,
    isPending: body.pending,
    isCredit: body.transactionType === "credit",
    bestMatch: undefined,
    deletedLine: undefined,
  });
}

/** Reads `banktransaction.deleted`. */
export function onBankTransactionDeleted(
  body: Schemas["BankTransactionDeletedEvent"],
  content: number,
  world: World,
): void {
  const { chronicle } = world;
  const before = world.bankTransactions.get(body.id);
  if (before?.contents.isRepeat(content)) return;
  if (!before) {
    oweRetractions(body.id, world);
    if (world.unreadable.has(body.id)) return;
    const expected = "the id of an earlier banktransaction.created";
    chronicle.doubt("BTX-04", { path: "/id", expected, value: body.id });
    return;
  }
  if (before.deletedLine !== undefined) {
    // Whether a removal may be announced anew is not said.
    const expected = `nothing more of ${body.id}, which is deleted`;
    chronicle.notice("BTX-04", { path: "", expected, value: body, lines: [before.deletedLine] });
    return;
  }
  if (body.bankAccountId !== before.bankAccountId) {
    const expected = `${before.bankAccountId}, as announced`;
    const value = body.bankAccountId;
    chronicle.breach("BTX-04", { path: "/bankAccountId", expected, value, lines: [before.line] });
  }
  before.deletedLine = chronicle.line;
  world.bankTransactions.end(body.id, before);
  oweRetractions(body.id, world);
}

/** BTX-05: a match of the deleted one is to be retracted after it, and because of it. */
function oweRetractions(bankTransactionId: string, world: World): void {
  const { chronicle } = world;
  for (const matchId of world.matchesOf.get(bankTransactionId) ?? []) {
    const match = world.matches.live.get(matchId);
    if (match) match.owedSince = chronicle.line;
  }
  for (const { matchId, line } of world.earlyRetractions.get(bankTransactionId) ?? []) {
    chronicle.doubt("BTX-05", {
      path: "/id",
      expected: `banktransaction.deleted before the retraction of match ${matchId}`,
      value: bankTransactionId,
      lines: [line],
    });
  }
  world.earlyRetractions.delete(bankTransactionId);
}
