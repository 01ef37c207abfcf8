import type { components } from "../../../generated/types.ts";
import { idOf } from "../rules/link.ts";
import { OPEN_BANKING } from "../rules/vocabulary.ts";
import { idsBeside } from "./memory.ts";
import { noteProjections } from "./messages.ts";
import { bankSettlementOf, checkDuplicateIsMarked, checkInheritance } from "./settlement.ts";
import { contentsWith, type TransactionState, type World } from "./world.ts";

type Transaction = components["schemas"]["TransactionEvent"];

/** Reads `transaction.created`. */
export function onTransactionCreated(body: Transaction, content: number, world: World): void {
  const before = world.transactions.get(body.id);
  const { chronicle } = world;
  // A created and an updated may say the same: each repeats only its own kind.
  if (before?.contents.isRepeat(~content)) return;
  if (before?.createdLine !== undefined) {
    chronicle.breach("WHK-05", {
      path: "",
      expected: `transaction.created of ${body.id} once, changes as transaction.updated`,
      value: body,
      lines: [before.createdLine],
    });
  }
  if (body.network === OPEN_BANKING && body.status === "PENDING") {
    chronicle.doubt("TXN-15", {
      path: "/status",
      expected: "SETTLED for a bank-only movement",
      value: body.status,
    });
  }
  const state = noteSnapshot(
    body,
    before ?? stateOf(body, ~content, chronicle.line),
    before,
    world,
  );
  state.createdLine ??= chronicle.line;
}

/** Reads `transaction.updated`. */
export function onTransactionUpdated(body: Transaction, content: number, world: World): void {
  const before = world.transactions.get(body.id);
  if (before?.contents.isRepeat(content)) return;
  if (!before && !world.unreadable.has(body.id)) {
    world.chronicle.doubt("WHK-05", {
      path: "",
      expected: `transaction.created of ${body.id} before its first transaction.updated`,
    });
  }
  noteSnapshot(body, before ?? stateOf(body, content, world.chronicle.line), before, world);
}

function noteSnapshot(
  body: Transaction,
  state: TransactionState,
  before: TransactionState | undefined,
  world: World,
): TransactionState {
  world.transactions.set(body.id, state);
  const messageIds = body._links.messages.map(({ href }) => idOf(href));
  noteProjections(body, messageIds, world);
  const isOlder = before !== undefined && body.updatedAt < before.updatedAt;
  if (before) compare(before, body, isOlder, world);
  const added = before ? idsBeside(before.messageIds, messageIds) : messageIds;
  if (added.length > 0) {
    checkInheritance(body, messageIds, added, world);
    if (before && !isOlder) {
      checkDuplicateIsMarked(body, before, messageIds, added, world);
      state.settledBy ??= bankSettlementOf(body, before, messageIds, added, world);
    }
  }
  // The newest snapshot is the state, whichever came last; what was so once, any of them tells.
  if (!isOlder) update(state, body, messageIds, world);
  state.wasSettled ||= body.status === "SETTLED";
  state.wasNetted ||=
    body.transactionSettledAmount === 0 && body.cardholderBillingSettledAmount === 0;
  return state;
}

function compare(
  before: TransactionState,
  body: Transaction,
  isOlder: boolean,
  { chronicle }: World,
): void {
  const lines = [before.line];
  if (body.createdAt !== before.createdAt) {
    const expected = `${before.createdAt}, as before`;
    chronicle.breach("TXN-18", { path: "/createdAt", expected, value: body.createdAt, lines });
  }
  if (isOlder) {
    const expected = `${before.updatedAt} or later`;
    chronicle.doubt("TXN-18", { path: "/updatedAt", expected, value: body.updatedAt, lines });
    return;
  }
  if (before.wasSettled && body.status === "PENDING") {
    // Whether a match that is taken back un-settles its transaction is left open.
    const report = before.wasRetracted ? "notice" : "doubt";
    chronicle[report]("TXN-20", {
      path: "/status",
      expected: "SETTLED, as before",
      value: body.status,
      lines,
    });
  }
  const lost = idsBeside(body.supersededMessageIds, before.supersededMessageIds);
  if (lost.length > 0) {
    chronicle.doubt("TXN-11", {
      path: "/supersededMessageIds",
      expected: `the full set, with ${lost.join(", ")} as before`,
      value: body.supersededMessageIds,
      lines,
    });
  }
}

function stateOf(body: Transaction, content: number, line: number): TransactionState {
  return {
    contents: contentsWith(content),
    createdLine: undefined,
    line,
    createdAt: body.createdAt,
    updatedAt: body.updatedAt,
    status: body.status,
    wasSettled: false,
    supersededMessageIds: body.supersededMessageIds,
    messageIds: [],
    settledAmount: body.transactionSettledAmount,
    wasNetted: false,
    wasRetracted: false,
    settledBy: undefined,
  };
}

function update(
  state: TransactionState,
  body: Transaction,
  messageIds: readonly string[],
  world: World,
): void {
  state.line = world.chronicle.line;
  state.updatedAt = body.updatedAt;
  state.supersededMessageIds = body.supersededMessageIds;
  state.messageIds = messageIds;
  state.settledAmount = body.transactionSettledAmount;
  state.status = body.status;
  const owners = body.network === OPEN_BANKING ? world.standalones : world.purchases;
  for (const id of messageIds) {
    const bankTransactionId = world.messages.get(id)?.fields.bankData?.bankTransactionId;
    if (bankTransactionId) owners.set(bankTransactionId, body.id);
  }
}
