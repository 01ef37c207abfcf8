import type { EventName, EventPayloads } from "../../../generated/events.ts";
import { EXPERIMENTAL } from "../feed-event.ts";
import { networksIn } from "../networks.ts";
import { idOf } from "../rules/link.ts";
import { judgeEvent } from "../validate.ts";
import { onBankAccountMoved } from "./bank-accounts.ts";
import { onBankLinkCompleted } from "./bank-links.ts";
import { onBankTransactionCreated, onBankTransactionDeleted } from "./bank-transactions.ts";
import { Chronicle } from "./chronicle.ts";
import { contentOf } from "./content.ts";
import { judgeDebts } from "./debts.ts";
import type { HistoryFinding, HistoryOptions, RecordedDelivery } from "./delivery.ts";
import { onEnrichmentCreated } from "./enrichment.ts";
import { onFeedMoved } from "./feeds.ts";
import { onMatchCreated, onMatchDeleted } from "./matches.ts";
import { onMessageCreated } from "./messages.ts";
import { onSubscriptionCreated, onSubscriptionUpdated } from "./subscriptions.ts";
import { onTransactionCreated, onTransactionUpdated } from "./transactions.ts";
import { World } from "./world.ts";

type Reader<Body> = (body: Body, content: number, world: World) => void;

const READERS: { readonly [Name in EventName]: Reader<EventPayloads[Name]> } = {
  "transactionmessage.created": onMessageCreated,
  "transaction.created": onTransactionCreated,
  "transaction.updated": onTransactionUpdated,
  "cardsubscription.created": onSubscriptionCreated,
  "cardsubscription.updated": onSubscriptionUpdated,
  "networkbulkfeed.statechanged": onFeedMoved,
  "banklink.completed": onBankLinkCompleted,
  "bankaccount.state_changed": onBankAccountMoved,
  "banktransaction.created": onBankTransactionCreated,
  "banktransaction.deleted": onBankTransactionDeleted,
  "transaction.match.created": onMatchCreated,
  "transaction.match.deleted": onMatchDeleted,
  "enrichment.merchant.created": (body, _content, world) => onEnrichmentCreated(body, world),
};

/**
 * Checks a history delivery by delivery. It keeps what later deliveries are compared to, a few
 * fields for each resource, and no body; of ended resources it remembers the latest 50,000.
 */
export class HistoryCheck {
  readonly #chronicle: Chronicle;
  readonly #world: World;
  readonly #options: HistoryOptions;
  #deliveries = 0;

  constructor(options: HistoryOptions = {}) {
    const { complete = false } = options;
    this.#options = options;
    this.#chronicle = new Chronicle(complete);
    this.#world = new World(this.#chronicle, networksIn(options));
  }

  /** Reads the next delivery. Returns what it shows, of its payload and beside the ones before. */
  add({ headers, body, line }: RecordedDelivery): readonly HistoryFinding[] {
    this.#deliveries += 1;
    const name = headers["webhook-event-type"];
    this.#chronicle.line = line ?? this.#deliveries;
    this.#chronicle.event = name;
    const { findings, shapeHolds } = judgeEvent(name, body, this.#options);
    for (const finding of findings) this.#chronicle.add(finding);
    const reader = READERS[name as EventName] as Reader<unknown> | undefined;
    if (shapeHolds) reader?.(body, contentOf(body), this.#world);
    // Nothing follows from the experimental event, which may be of any shape (ENR-02).
    else if (name !== EXPERIMENTAL) noteUnreadable(body, this.#world);
    return this.#chronicle.take();
  }

  /** Ends the history. Returns what is missing in it. */
  end(): readonly HistoryFinding[] {
    this.#chronicle.line = 0;
    judgeDebts(this.#world);
    return this.#chronicle.take();
  }
}

/** How long an identifier is. */
const UUID_LENGTH = 36;

/**
 * What announces a resource announces it even where it breaks its shape, and of what it names, what
 * it says is not known.
 */
function noteUnreadable(body: unknown, { unreadable }: World): void {
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
