import type { components } from "../../../generated/types.ts";
import { idOf } from "../rules/link.ts";
import { OPEN_BANKING } from "../rules/vocabulary.ts";
import { type HistoryState, rememberedDeliveries, type TransactionState } from "./history-state.ts";
import { idsNotIn } from "./memory.ts";
import { recordProjections } from "./messages.ts";
import { bankSettlementOf, checkDuplicateIsMarked, checkInheritance } from "./settlement.ts";

type Transaction = components["schemas"]["TransactionEvent"];

/** Checks and records a `transaction.created` event. */
export function onTransactionCreated(body: Transaction, hash: number, history: HistoryState): void {
  const before = history.transactions.get(body.id);
  const { reporter } = history;
  // Created and updated events can have the same body; `~` gives them different hashes.
  if (before?.contents.isDuplicate(~hash)) return;
  if (before?.createdLine !== undefined) {
    reporter.violation("WHK-05.once", {
      path: "",
      expected: `one transaction.created of ${body.id}; later changes as updated`,
      value: body,
      lines: [before.createdLine],
    });
  }
  if (body.network === OPEN_BANKING) reporter.caseIfComplete("TXN-15.transaction-event");
  if (body.network === OPEN_BANKING && body.status === "PENDING") {
    reporter.violationIfComplete("TXN-15.transaction-event", {
      path: "/status",
      expected: "SETTLED for a bank-only movement",
      value: body.status,
    });
  }
  const state = recordSnapshot(
    body,
    before ?? stateOf(body, ~hash, reporter.line),
    before,
    history,
  );
  state.createdLine ??= reporter.line;
}

/** Checks and records a `transaction.updated` event. */
export function onTransactionUpdated(body: Transaction, hash: number, history: HistoryState): void {
  const before = history.transactions.get(body.id);
  if (before?.contents.isDuplicate(hash)) return;
  history.reporter.caseIfComplete("WHK-05.before-updated");
  if (!before && !history.unreadable.has(body.id)) {
    history.reporter.violationIfComplete("WHK-05.before-updated", {
      path: "",
      expected: `transaction.created of ${body.id} before its first transaction.updated`,
    });
  }
  recordSnapshot(body, before ?? stateOf(body, hash, history.reporter.line), before, history);
}

function recordSnapshot(
  body: Transaction,
  state: TransactionState,
  before: TransactionState | undefined,
  history: HistoryState,
): TransactionState {
  history.transactions.set(body.id, state);
  if (before?.createdLine !== undefined) history.reporter.case("WHK-05.once");
  const messageIds = body._links.messages.map(({ href }) => idOf(href));
  recordProjections(body, messageIds, history);
  const isOlder = before !== undefined && body.updatedAt < before.updatedAt;
  if (before) compareSnapshots(before, body, isOlder, history);
  const added = before ? idsNotIn(before.messageIds, messageIds) : messageIds;
  if (added.length > 0) {
    checkInheritance(body, messageIds, added, history);
    if (before && !isOlder) {
      checkDuplicateIsMarked(body, before, messageIds, added, history);
      state.settledBy ??= bankSettlementOf(body, before, messageIds, added, history);
    }
  }
  // The state is the snapshot with the newest `updatedAt`. The `was` flags cover every snapshot.
  if (!isOlder) update(state, body, messageIds, history);
  state.wasSettled ||= body.status === "SETTLED";
  state.wasNetted ||=
    body.transactionSettledAmount === 0 && body.cardholderBillingSettledAmount === 0;
  return state;
}

function compareSnapshots(
  before: TransactionState,
  body: Transaction,
  isOlder: boolean,
  { reporter }: HistoryState,
): void {
  const lines = [before.line];
  reporter.case("TXN-18.created-at");
  reporter.caseIfComplete("TXN-18.updated-at");
  if (body.createdAt !== before.createdAt) {
    const expected = `${before.createdAt}, as before`;
    reporter.violation("TXN-18.created-at", {
      path: "/createdAt",
      expected,
      value: body.createdAt,
      lines,
    });
  }
  if (isOlder) {
    const expected = `${before.updatedAt} or later`;
    reporter.violationIfComplete("TXN-18.updated-at", {
      path: "/updatedAt",
      expected,
      value: body.updatedAt,
      lines,
    });
    return;
  }
  if (before.wasSettled) reporter.caseIfComplete("TXN-20.no-return");
  if (before.wasSettled && body.status === "PENDING") {
    // The interface leaves open whether a retracted match un-settles its transaction.
    const report = before.wasRetracted ? "notice" : "violationIfComplete";
    reporter[report]("TXN-20.no-return", {
      path: "/status",
      expected: "SETTLED, as before",
      value: body.status,
      lines,
    });
  }
  if (before.supersededMessageIds.length > 0) reporter.caseIfComplete("TXN-11.never-shrinks");
  const lost = idsNotIn(body.supersededMessageIds, before.supersededMessageIds);
  if (lost.length > 0) {
    reporter.violationIfComplete("TXN-11.never-shrinks", {
      path: "/supersededMessageIds",
      expected: `the full set, including the earlier ${lost.join(", ")}`,
      value: body.supersededMessageIds,
      lines,
    });
  }
}

function stateOf(body: Transaction, hash: number, line: number): TransactionState {
  return {
    contents: rememberedDeliveries(hash),
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
  history: HistoryState,
): void {
  state.line = history.reporter.line;
  state.updatedAt = body.updatedAt;
  state.supersededMessageIds = body.supersededMessageIds;
  state.messageIds = messageIds;
  state.settledAmount = body.transactionSettledAmount;
  state.status = body.status;
  const postings = new Set<string>();
  const owners = body.network === OPEN_BANKING ? history.standalones : history.purchases;
  for (const id of messageIds) {
    const bankTransactionId = history.messages.get(id)?.fields.bankData?.bankTransactionId;
    if (!bankTransactionId) continue;
    owners.set(bankTransactionId, body.id);
    postings.add(bankTransactionId);
  }
  const isInParts = owners === history.purchases && postings.size > 1;
  if (isInParts) history.reporter.caseIfComplete("MAT-08.own-leg");
}
