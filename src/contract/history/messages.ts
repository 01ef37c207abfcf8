import type { components } from "../../../generated/types.ts";
import { idOf } from "../rules/link.ts";
import { OPEN_BANKING } from "../rules/vocabulary.ts";
import {
  type HistoryState,
  rememberedDeliveries,
  type SharedMessageFields,
} from "./history-state.ts";

type Schemas = components["schemas"];
type Message = Schemas["TransactionMessageEvent"];
type Transaction = Schemas["TransactionEvent"];

/** The fields that a standalone message and its projection share, except bankData (MSG-12). */
const SHARED = [
  "messageType",
  "network",
  "result",
  "approvalCode",
  "transactionReference",
  "transactionAmount",
  "transactionCurrency",
  "cardholderBillingAmount",
  "cardholderBillingCurrency",
  "dateTime",
  "traceId",
  "accountId",
  "subaccountId",
  "cardId",
] as const satisfies readonly (keyof SharedMessageFields)[];

/** Checks and records a `transactionmessage.created` event. */
export function onMessageCreated(body: Message, hash: number, history: HistoryState): void {
  const { reporter } = history;
  const { line } = reporter;
  const before = history.messages.get(body.id);
  if (before?.contents.isDuplicate(hash)) return;
  reporter.case("MSG-09.once");
  if (before?.createdLine !== undefined) {
    reporter.violation("MSG-09.once", {
      path: "",
      expected: `message ${body.id} as announced before`,
      value: body,
      lines: [before.createdLine],
    });
    return;
  }
  if (before) compareFields(before.fields, body, "", before.line, history);
  const contents = before?.contents ?? rememberedDeliveries(hash);
  const fields = fieldsOf(body);
  const isListed = before?.isListed ?? false;
  const isWhole = false;
  history.messages.set(body.id, { contents, createdLine: line, line, fields, isListed, isWhole });
  recordBankTransaction(body.bankData, "/bankData/bankTransactionId", history);

  const named = history.unannouncedMessages.get(body.id);
  history.unannouncedMessages.delete(body.id);
  if (named?.isBankOnly) {
    reporter.violationIfComplete("TXN-15.message-first", {
      path: "",
      expected: `message ${body.id} before the transaction.created that lists it`,
      value: body,
      lines: [named.line],
    });
  }
}

/** Reads the messages that a transaction lists and projects. */
export function recordProjections(
  body: Transaction,
  messageIds: readonly string[],
  history: HistoryState,
): void {
  const { line, event } = history.reporter;
  const isBankOnly = event === "transaction.created" && body.network === OPEN_BANKING;
  messageIds.forEach((id, index) => {
    history.caseUnlessUnreadable(isBankOnly ? "TXN-15.message-event" : "CONV-09.announced", id);
    const known = history.messages.get(id);
    if (known) known.isListed = true;
    const isAnnounced = known?.createdLine !== undefined || history.unreadable.has(id);
    const named = history.unannouncedMessages.get(id);
    if (isAnnounced || (named && !(isBankOnly && !named.isBankOnly))) return;
    const path = `/_links/messages/${index}/href`;
    history.unannouncedMessages.set(id, { ...history.obligation(path), isBankOnly });
  });
  body._embedded?.messages?.forEach((projected, index) => {
    const at = `/_embedded/messages/${index}`;
    const known = history.messages.get(projected.id);
    if (known) {
      // A projection must agree with the standalone message, not with another projection.
      if (known.createdLine !== undefined) {
        compareFields(known.fields, projected, at, known.createdLine, history);
      }
      if (!known.isWhole) fillMissingFields(known.fields, projected, at, history);
      known.isWhole = true;
      return;
    }
    const contents = rememberedDeliveries(Number.NaN);
    const fields = fieldsOf(projected);
    const state = { contents, createdLine: undefined, line, fields, isListed: true, isWhole: true };
    history.messages.set(projected.id, state);
    recordBankTransaction(projected.bankData, `${at}/bankData/bankTransactionId`, history);
  });
}

/** MSG-11: a message's posting is announced, before or after the message. */
function recordBankTransaction(
  bankData: Schemas["BankData"] | null | undefined,
  path: string,
  history: HistoryState,
): void {
  if (!bankData) return;
  const id = bankData.bankTransactionId;
  history.caseUnlessUnreadable("MSG-11.announced", id);
  if (history.bankTransactions.get(id) || history.unreadable.has(id)) return;
  if (history.unannouncedBankTransactions.has(id)) return;
  history.unannouncedBankTransactions.set(id, {
    ...history.obligation(path),
    claim: "MSG-11.announced",
  });
}

/** MSG-12: compares the fields that both messages have. */
function compareFields(
  known: SharedMessageFields,
  other: SharedMessageFields,
  at: string,
  line: number,
  { reporter }: HistoryState,
): void {
  reporter.case("MSG-12.event-agrees");
  for (const name of SHARED) {
    const [one, two] = [known[name], other[name]];
    if (one === undefined || two === undefined || one === two) continue;
    const expected = `${JSON.stringify(one)}, as on line ${line}`;
    reporter.violation("MSG-12.event-agrees", {
      path: `${at}/${name}`,
      expected,
      value: two,
      lines: [line],
    });
  }
  if (known.bankData === undefined || other.bankData === undefined) return;
  if (isSameBankData(known.bankData, other.bankData)) return;
  reporter.violation("MSG-12.event-agrees", {
    path: `${at}/bankData`,
    expected: `bankData as on line ${line}`,
    value: other.bankData,
    lines: [line],
  });
}

/** Adds the fields that an abridged announcement omitted, from a projection. */
function fillMissingFields(
  known: SharedMessageFields,
  projected: Schemas["ProjectedTransactionMessage"],
  at: string,
  history: HistoryState,
): void {
  for (const name of SHARED) {
    if (known[name] === undefined && projected[name] !== undefined) {
      Object.assign(known, { [name]: projected[name] });
    }
  }
  if (known.bankData !== undefined) return;
  known.bankData = projected.bankData;
  recordBankTransaction(projected.bankData, `${at}/bankData/bankTransactionId`, history);
}

function isSameBankData(one: Schemas["BankData"] | null, two: Schemas["BankData"] | null): boolean {
  if (!one || !two) return one === two;
  return (
    one.provider === two.provider &&
    one.bankTransactionId === two.bankTransactionId &&
    one.personalFinanceCategory.primary === two.personalFinanceCategory.primary &&
    one.personalFinanceCategory.detailed === two.personalFinanceCategory.detailed
  );
}

function fieldsOf(body: SharedMessageFields): SharedMessageFields {
  const fields: Record<string, unknown> = {};
  for (const name of SHARED) if (body[name] !== undefined) fields[name] = body[name];
  if (body.bankData !== undefined) fields.bankData = body.bankData;
  return fields;
}

/** TXN-15, at the end: a bank-only message belongs to an announced transaction. */
export function checkUnlistedMessages(history: HistoryState): void {
  for (const [id, { fields, isListed, line }] of history.messages) {
    if (isListed || fields.network !== OPEN_BANKING || history.unreadable.has(id)) continue;
    history.reporter.violationIfComplete("TXN-15.transaction-event", {
      event: "transactionmessage.created",
      path: "/id",
      expected: `transaction.created that lists message ${id}`,
      lines: [line],
    });
  }
}

/** Reads an `enrichment.merchant.created` with a valid shape. */
export function onEnrichmentCreated(
  body: components["schemas"]["MerchantEnrichmentEvent"],
  history: HistoryState,
): void {
  const id = idOf(body._links.message.href);
  if (history.messages.get(id)?.createdLine !== undefined || history.unreadable.has(id)) return;
  if (history.unannouncedMessages.has(id)) return;
  history.unannouncedMessages.set(id, {
    ...history.obligation("/_links/message/href"),
    isBankOnly: false,
  });
}
