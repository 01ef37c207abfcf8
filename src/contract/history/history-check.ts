import type { EventName, EventPayloads } from "../../../generated/events.ts";
import { EXPERIMENTAL } from "../feed-event.ts";
import { networksIn } from "../networks.ts";
import { idOf } from "../rules/link.ts";
import { checkEvent } from "../validate.ts";
import { onBankAccountStateChanged, onBankLinkCompleted } from "./bank-accounts.ts";
import { onBankTransactionCreated, onBankTransactionDeleted } from "./bank-transactions.ts";
import { contentHash } from "./content-hash.ts";
import type { HistoryFinding, HistoryOptions, RecordedDelivery } from "./delivery.ts";
import { onFeedStateChanged } from "./feeds.ts";
import { HistoryReporter, type OnCase } from "./history-reporter.ts";
import { HistoryState } from "./history-state.ts";
import { checkLiveMatches, onMatchCreated, onMatchDeleted } from "./matches.ts";
import { checkUnlistedMessages, onEnrichmentCreated, onMessageCreated } from "./messages.ts";
import { checkMatches, checkUnsureSettlements } from "./settlement.ts";
import { onSubscriptionCreated, onSubscriptionUpdated } from "./subscriptions.ts";
import { onTransactionCreated, onTransactionUpdated } from "./transactions.ts";

type Reader<Body> = (body: Body, hash: number, history: HistoryState) => void;

/** What each event shows of the history. An event without a reader shows nothing. */
const READERS: { readonly [Name in EventName]?: Reader<EventPayloads[Name]> } = {
  "transactionmessage.created": onMessageCreated,
  "transaction.created": onTransactionCreated,
  "transaction.updated": onTransactionUpdated,
  "cardsubscription.created": onSubscriptionCreated,
  "cardsubscription.updated": onSubscriptionUpdated,
  "networkbulkfeed.statechanged": onFeedStateChanged,
  "banklink.completed": onBankLinkCompleted,
  "bankaccount.state_changed": onBankAccountStateChanged,
  "banktransaction.created": onBankTransactionCreated,
  "banktransaction.deleted": onBankTransactionDeleted,
  "transaction.match.created": onMatchCreated,
  "transaction.match.deleted": onMatchDeleted,
  "enrichment.merchant.created": (body, _content, history) => onEnrichmentCreated(body, history),
};

/**
 * Checks a history delivery by delivery. Keeps a few fields of each resource, and no bodies. Keeps
 * the latest 50,000 resources that have ended.
 */
export class HistoryCheck {
  readonly #reporter: HistoryReporter;
  readonly #history: HistoryState;
  readonly #options: HistoryOptions;
  #deliveries = 0;

  /** `onCase` is called while a delivery is added, or at the end. */
  constructor(options: HistoryOptions = {}, onCase?: OnCase) {
    const { complete = false } = options;
    this.#options = options;
    this.#reporter = new HistoryReporter(complete, onCase);
    this.#history = new HistoryState(this.#reporter, networksIn(options));
  }

  /** Reads the next delivery. Returns the findings about it and about the deliveries so far. */
  add({ headers, body, line }: RecordedDelivery): readonly HistoryFinding[] {
    this.#deliveries += 1;
    const name = headers["webhook-event-type"];
    this.#reporter.line = line ?? this.#deliveries;
    this.#reporter.event = name;
    const { findings, isShapeValid } = checkEvent(name, body, this.#options);
    for (const finding of findings) this.#reporter.add(finding);
    const reader = READERS[name as EventName] as Reader<unknown> | undefined;
    if (isShapeValid) reader?.(body, contentHash(body), this.#history);
    // The experimental event may have any shape (ENR-02), so nothing follows from it.
    else if (name !== EXPERIMENTAL) recordUnreadable(body, this.#history);
    return this.#reporter.take();
  }

  /** Ends the history. Returns the findings about missing events. */
  end(): readonly HistoryFinding[] {
    this.#reporter.line = 0;
    checkObligations(this.#history);
    return this.#reporter.take();
  }
}

/** The length of an identifier. */
const UUID_LENGTH = 36;

/**
 * Records the ids in a delivery with an invalid shape. It may announce these resources, or change
 * them in an unknown way.
 */
function recordUnreadable(body: unknown, { unreadable }: HistoryState): void {
  const values = [body];
  while (values.length > 0) {
    const value = values.pop();
    if (typeof value === "object" && value !== null)
      for (const one of Object.values(value)) values.push(one);
    if (typeof value !== "string") continue;
    const id = idOf(value);
    if (id.length === UUID_LENGTH) unreadable.add(id);
  }
}

/** Reports, at the end of a capture, the required events that never arrived. */
function checkObligations(history: HistoryState): void {
  const { reporter } = history;
  for (const [id, { line, event, path, isBankOnly }] of history.outstanding(
    history.unannouncedMessages,
  )) {
    // TXN-15 requires the message for a bank-only movement, CONV-09 for every link.
    const claim = isBankOnly ? "TXN-15.message-event" : "CONV-09.announced";
    const expected = "a message that transactionmessage.created announces";
    reporter.violationIfComplete(claim, { event, path, expected, value: id, lines: [line] });
  }
  for (const [id, { line, event, path, claim }] of history.outstanding(
    history.unannouncedBankTransactions,
  )) {
    const expected = "a bank transaction that banktransaction.created announces";
    reporter.violationIfComplete(claim, { event, path, expected, value: id, lines: [line] });
  }
  for (const [id, { line, event, path }] of history.outstanding(history.unlinkedAccounts)) {
    const expected = "a bank account that banklink.completed names";
    reporter.violationIfComplete("CONV-09.delivery-links", {
      event,
      path,
      expected,
      value: id,
      lines: [line],
    });
  }
  for (const [id, { line, event, path }] of history.outstanding(history.expectedSubscriptions)) {
    const expected = `cardsubscription.created of ${id} to be sent`;
    reporter.violationIfComplete("BLK-05.created-sent", { event, path, expected, lines: [line] });
  }
  checkUnlistedMessages(history);
  checkLiveMatches(history);
  checkMatches(history);
  checkUnsureSettlements(history);
}
