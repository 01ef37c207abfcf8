import type { components } from "../../../generated/types.ts";
import { AUTHORIZATION, OPEN_BANKING, SETTLEMENT } from "../rules/vocabulary.ts";
import type {
  BankSettlement,
  HistoryState,
  MatchState,
  MessageState,
  SharedMessageFields,
  TransactionState,
} from "./history-state.ts";

type Transaction = components["schemas"]["TransactionEvent"];
type Projected = components["schemas"]["ProjectedTransactionMessage"];
type Listed = { readonly id: string; readonly fields: SharedMessageFields };

/** Less than any amount, and more than the error of binary addition. */
const ROUNDING = 0.005;

/**
 * TXN-12: the message that a bank posting adds to a purchase inherits fields from its
 * authorization. The reference of NETWORK_C has no meaning.
 */
export function checkInheritance(
  body: Transaction,
  messageIds: readonly string[],
  added: readonly string[],
  history: HistoryState,
): void {
  const isFromBank = (id: string) => Boolean(history.messages.get(id)?.fields.bankData);
  if (body.network === OPEN_BANKING || !added.some(isFromBank)) return;
  const listed = listedBy(messageIds, history, body._embedded?.messages);
  const authorizations = listed.filter(({ fields }) => fields.messageType === AUTHORIZATION);
  if (authorizations.length === 0) return;
  const isNew = new Set(added);
  for (const { id, fields } of listed) {
    if (!isNew.has(id) || fields.messageType !== SETTLEMENT || !fields.bankData) continue;
    noteInheritance(fields, authorizations, history);
    const inherits = (from: Listed) => differenceOf(from.fields, fields, history) === undefined;
    if (authorizations.some(inherits)) continue;
    const from = (authorizations[0] as Listed).fields;
    const name = differenceOf(from, fields, history) ?? "network";
    history.reporter.violationIfComplete(INHERITED[name], {
      path: `/_links/messages/${messageIds.indexOf(id)}/href`,
      expected: `${name} ${JSON.stringify(from[name])} of its authorization`,
      value: fields[name],
    });
  }
}

/** Notes the claims of fields that are present on both sides and mean something. */
function noteInheritance(
  fields: SharedMessageFields,
  authorizations: readonly Listed[],
  { reporter, networks }: HistoryState,
): void {
  for (const name of inherited) {
    const isPresent = (of: SharedMessageFields) => of[name] !== undefined;
    if (name === "transactionReference" && fields.network === networks.c) continue;
    if (isPresent(fields) && authorizations.some((from) => isPresent(from.fields))) {
      reporter.caseIfComplete(INHERITED[name]);
    }
  }
}

/** The fields that a bank's message inherits, and the claim that each does (TXN-12). */
export const INHERITED = {
  network: "TXN-12.inherits-network",
  approvalCode: "TXN-12.inherits-approval-code",
  transactionReference: "TXN-12.inherits-reference",
} as const;
type Inherited = keyof typeof INHERITED;
const inherited = Object.keys(INHERITED) as Inherited[];

function differenceOf(
  from: SharedMessageFields,
  to: SharedMessageFields,
  { networks }: HistoryState,
): Inherited | undefined {
  return inherited.find((name) => {
    if (name === "transactionReference" && from.network === networks.c) return false;
    return differ(from[name], to[name]);
  });
}

/** Whether two values differ. An abridged announcement may omit either. */
function differ(one: unknown, other: unknown): boolean {
  return one !== undefined && other !== undefined && one !== other;
}

/**
 * TXN-13: when the network clears what a bank posting has settled, the update marks the bank's
 * message as superseded. The clearing is a duplicate if more is settled than was authorized. A
 * clearing of a part that no bank message settled has no duplicate.
 */
export function checkDuplicateIsMarked(
  body: Transaction,
  before: TransactionState,
  messageIds: readonly string[],
  added: readonly string[],
  history: HistoryState,
): void {
  if (before.status !== "SETTLED" || body.network === OPEN_BANKING) return;
  const listed = listedBy(messageIds, history);
  const [isNew, isMarked] = [new Set(added), new Set(body.supersededMessageIds)];
  const settlements = listed.filter(({ fields }) => fields.messageType === SETTLEMENT);
  const inForce = settlements.filter(({ id }) => !isMarked.has(id));
  const provisional = inForce.find(({ id, fields }) => !isNew.has(id) && fields.bankData);
  const wasPosted = settlements.some(({ id, fields }) => !isNew.has(id) && fields.bankData);
  const isCleared = settlements.some(({ id, fields }) => isNew.has(id) && fields.bankData === null);
  if (wasPosted && isCleared) history.reporter.caseIfComplete("TXN-13.marks-in-same-event");
  const clearings = inForce.filter(({ fields }) => !fields.bankData);
  // If no clearing is in force, the clearing may be marked instead of the bank's message.
  const clearing =
    clearings.length > 0
      ? clearings.find(({ id }) => isNew.has(id))
      : settlements.find(({ id, fields }) => isNew.has(id) && fields.bankData === null);
  if (!clearing || !provisional) return;
  if (!isMarked.has(clearing.id)) {
    const authorized = authorizedBy(listed);
    const isDuplicate = clearing.fields.transactionAmount === provisional.fields.transactionAmount;
    const isTooMuch = authorized > 0 && sumOf(inForce) > authorized + ROUNDING;
    if (!isTooMuch && !(isDuplicate && authorized === 0)) return;
  }
  history.reporter.violationIfComplete("TXN-13.marks-in-same-event", {
    path: "/supersededMessageIds",
    expected: `${provisional.id}, because the network's clearing ${clearing.id} replaces it`,
    value: body.supersededMessageIds,
    lines: [before.line],
  });
}

/**
 * The transition from PENDING to SETTLED by bank postings only. Undefined for any other transition,
 * and if not all messages are known.
 */
export function bankSettlementOf(
  body: Transaction,
  before: TransactionState,
  messageIds: readonly string[],
  added: readonly string[],
  history: HistoryState,
): BankSettlement | undefined {
  if (before.status !== "PENDING" || body.status !== "SETTLED") return undefined;
  if (body.network === OPEN_BANKING) return undefined;
  const listed = listedBy(messageIds, history, body._embedded?.messages);
  const settlements = listed.filter(({ fields }) => fields.messageType === SETTLEMENT);
  const isOfBank = settlements.every(({ fields }) => fields.bankData);
  if (listed.length < messageIds.length || !isOfBank) return undefined;
  const isNew = new Set(added);
  const bankTransactionIds = settlements.flatMap(({ id, fields: { bankData } }) =>
    bankData && isNew.has(id) ? [bankData.bankTransactionId] : [],
  );
  return { bankTransactionIds, line: history.reporter.line };
}

/**
 * Checks at the end: the only row of the status table that settles by a bank posting requires a
 * match of high confidence (TXN-12). Postings without a match are ignored.
 */
export function checkUnsureSettlements(history: HistoryState): void {
  for (const [id, { settledBy }] of history.outstanding(history.transactions)) {
    if (!settledBy || settledBy.bankTransactionIds.length === 0) continue;
    const matches = settledBy.bankTransactionIds.map(
      (bankTransactionId) => history.bankTransactions.get(bankTransactionId)?.bestMatch,
    );
    if (matches.some(Boolean)) history.reporter.caseIfComplete("TXN-12.high-only");
    const unsure = matches.filter((match) => match && isUnsureOf(id, match, history));
    const [match] = unsure;
    if (!match || unsure.length < matches.length) continue;
    history.reporter.warningIfComplete("TXN-12.high-only", {
      event: "transaction.updated",
      path: "/status",
      expected: `PENDING, because the posting is matched with ${match.confidence} confidence`,
      value: "SETTLED",
      lines: [match.line, settledBy.line],
    });
  }
}

/** Whether a match is below HIGH, and of this purchase or of a leg, which no event announces. */
function isUnsureOf(
  transactionId: string,
  { confidence, cardTransactionId }: MatchState,
  { transactions }: HistoryState,
): boolean {
  if (confidence === "HIGH") return false;
  return cardTransactionId === transactionId || !transactions.has(cardTransactionId);
}

/** Checks at the end: a HIGH match settles its purchase, and any match nets the standalone. */
export function checkMatches(history: HistoryState): void {
  for (const [, match] of history.outstanding(history.matches.live)) {
    if (match.retractionDueLine !== undefined) continue;
    checkSettlement(match, history);
    for (const id of match.bankTransactionIds) checkNetting(id, match.line, history);
  }
}

function checkSettlement(match: MatchState, history: HistoryState): void {
  const { confidence, cardTransactionId, bankTransactionIds } = match;
  const transaction = history.transactions.get(cardTransactionId);
  if (confidence !== "HIGH" || !transaction) return;
  if (history.unreadable.has(cardTransactionId)) return;
  const isPosted = bankTransactionIds.some((id) => {
    const posting = history.bankTransactions.get(id);
    return posting && !posting.isPending && !posting.isCredit;
  });
  if (!isPosted) return;
  history.reporter.caseIfComplete("TXN-12.settles");
  if (isSettled(transaction, history)) return;
  history.reporter.violationIfComplete("TXN-12.settles", {
    event: "transaction.match.created",
    path: "/cardTransaction/id",
    expected: `transaction.updated that settles ${cardTransactionId} with a FINL_ADVC message`,
    lines: [match.line, transaction.line],
  });
}

/** Whether a purchase may have been settled. An unknown status counts as settled. */
function isSettled(transaction: TransactionState, history: HistoryState): boolean {
  const { status, wasSettled, settledAmount, messageIds } = transaction;
  const listed = listedBy(messageIds, history);
  if (status === "SETTLED") {
    const isAuthorization = ({ fields }: Listed) => fields.messageType === AUTHORIZATION;
    return listed.length < messageIds.length || !listed.every(isAuthorization);
  }
  if (status !== "PENDING" || wasSettled) return true;
  // A part of the purchase may be settled while the rest is pending.
  return settledAmount !== 0 && settledAmount < authorizedBy(listed) - ROUNDING;
}

function checkNetting(bankTransactionId: string, matchLine: number, history: HistoryState): void {
  const id = history.standalones.get(bankTransactionId);
  if (id === undefined || history.unreadable.has(id)) return;
  const standalone = history.transactions.get(id);
  if (!standalone || (standalone.createdLine ?? matchLine) >= matchLine) return;
  history.reporter.caseIfComplete("TXN-14.netted");
  if (standalone.wasNetted) return;
  history.reporter.violationIfComplete("TXN-14.netted", {
    event: "transaction.match.created",
    path: "/matches",
    expected: `transaction.updated of ${id} with its settled amounts revised to 0`,
    lines: [matchLine, standalone.line],
  });
}

function listedBy(
  messageIds: readonly string[],
  history: HistoryState,
  projected: readonly Projected[] = [],
): Listed[] {
  const projections = new Map(projected.map((message) => [message.id, message]));
  return messageIds.flatMap((id) => {
    const message = history.messages.get(id);
    const shown = projections.get(id);
    if (shown) return [{ id, fields: shownFields(shown, message) }];
    return message ? [{ id, fields: message.fields }] : [];
  });
}

/**
 * The fields of a message from its projection and its announcement. A projection is complete, so a
 * missing code means that there is none. If the two contradict each other (MSG-12), neither counts.
 */
function shownFields(shown: Projected, message: MessageState | undefined): SharedMessageFields {
  if (message?.createdLine === undefined) return { approvalCode: null, ...shown };
  const fields: SharedMessageFields = { approvalCode: null, ...shown, ...message.fields };
  for (const name of inherited) if (differ(message.fields[name], shown[name])) delete fields[name];
  return fields;
}

function authorizedBy(listed: readonly Listed[]): number {
  return sumOf(listed.filter(({ fields }) => fields.messageType === AUTHORIZATION));
}

function sumOf(listed: readonly Listed[]): number {
  return listed.reduce((sum, { fields }) => sum + (fields.transactionAmount ?? 0), 0);
}
