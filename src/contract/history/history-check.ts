import type { EventName, EventPayloads } from "../../../generated/events.ts";
import { EXPERIMENTAL } from "../feed-event.ts";
import { networksIn } from "../networks.ts";
import { idOf } from "../rules/link.ts";
import { checkEvent } from "../validate.ts";
import { onBankAccountStateChanged } from "./bank-accounts.ts";
import { onBankLinkCompleted } from "./bank-links.ts";
import { onBankTransactionCreated, onBankTransactionDeleted } from "./bank-transactions.ts";
import { contentHash } from "./content-hash.ts";
import type { HistoryFinding, HistoryOptions, RecordedDelivery } from "./delivery.ts";
import { onEnrichmentCreated } from "./enrichment.ts";
import { onFeedStateChanged } from "./feeds.ts";
import { HistoryReporter } from "./history-reporter.ts";
import { HistoryState } from "./history-state.ts";
import { onMatchCreated, onMatchDeleted } from "./matches.ts";
import { onMessageCreated } from "./messages.ts";
import { checkObligations } from "./obligations.ts";
import { onSubscriptionCreated, onSubscriptionUpdated } from "./subscriptions.ts";
import { onTransactionCreated, onTransactionUpdated } from "./transactions.ts";

type Reader<Body> = (body: Body, hash: number, history: HistoryState) => void;

const READERS: { readonly [Name in EventName]: Reader<EventPayloads[Name]> } = {
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
 * Checks a history delivery by delivery. It keeps what later deliveries are compared to, a few
 * fields for each resource, and no body; of ended resources it remembers the latest 50,000.
 */
export class HistoryCheck {
  readonly #reporter: HistoryReporter;
  readonly #history: HistoryState;
  readonly #options: HistoryOptions;
  #deliveries = 0;

  constructor(options: HistoryOptions = {}) {
    const { complete = false } = options;
    this.#options = options;
    this.#reporter = new HistoryReporter(complete);
    this.#history = new HistoryState(this.#reporter, networksIn(options));
  }

  /** Reads the next delivery. Returns what it shows, of its payload and beside the ones before. */
  add({ headers, body, line }: RecordedDelivery): readonly HistoryFinding[] {
    this.#deliveries += 1;
    const name = headers["webhook-event-type"];
    this.#reporter.line = line ?? this.#deliveries;
    this.#reporter.event = name;
    const { findings, isShapeValid } = checkEvent(name, body, this.#options);
    for (const finding of findings) this.#reporter.add(finding);
    const reader = READERS[name as EventName] as Reader<unknown> | undefined;
    if (isShapeValid) reader?.(body, contentHash(body), this.#history);
    // Nothing follows from the experimental event, which may be of any shape (ENR-02).
    else if (name !== EXPERIMENTAL) recordUnreadable(body, this.#history);
    return this.#reporter.take();
  }

  /** Ends the history. Returns what is missing in it. */
  end(): readonly HistoryFinding[] {
    this.#reporter.line = 0;
    checkObligations(this.#history);
    return this.#reporter.take();
  }
}

/** How long an identifier is. */
const UUID_LENGTH = 36;

/**
 * What announces a resource announces it even where it breaks its shape, and of what it names, what
 * it says is not known.
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
