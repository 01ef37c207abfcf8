import type { EventName } from "../generated/events.ts";

/** How a card comes to be enrolled (SUB-01). A `bank-feed` one comes by the completion of a link. */
export type EnrollmentKind = "cardholder-single" | "network-bulk";

/**
 * Makes things happen at a target, so that what it owes for them can be seen. Every verb is
 * optional: a check that needs a missing one is skipped, and says so. A verb resolves when the
 * target has taken it; what it owes may come later. It rejects where the target refuses: the checks
 * that need it are then skipped, with what it said.
 *
 * Amounts are in major units, dates YYYY-MM-DD. Ids that a verb gives are those of the interface.
 */
export interface Driver {
  /** Has deliveries sent to a URL: of every event, or of those named (WHK-06). */
  subscribe?(to: { url: string; events?: readonly EventName[] }): Promise<void>;
  /** Ends what `subscribe` began. Called when the run is over, whatever became of it. */
  unsubscribe?(to: { url: string }): Promise<void>;
  /** Moves the target's clock on; what falls due by then happens. */
  advance?(by: { seconds: number }): Promise<void>;
  /** Resolves when everything under way has been sent. Without it the run waits for a while. */
  settle?(): Promise<void>;

  /** Enrolls a card, with SCA still to be cleared where it is `cardholder-single` (SUB-04). */
  enroll?(how: { kind: EnrollmentKind; last4?: string }): Promise<EnrolledCard>;
  /** Clears the SCA of a subscription in `reqSCA`. */
  clearSca?(of: { subscriptionId: string }): Promise<void>;
  /** Ends an active subscription. */
  deactivate?(of: { subscriptionId: string }): Promise<void>;
  /** Enrolls the real card number of a `bank-feed` subscription (SUB-06). */
  upgrade?(of: { subscriptionId: string }): Promise<void>;
  /** Links an enrolled card to a connected bank account (SUB-07). */
  linkCard?(what: { cardId: string; bankAccountId: string }): Promise<void>;

  /** Submits a bulk feed to NETWORK_B; `expectedCardCount` is left out where it is (NBF-03). */
  submitFeed?(what: { expectedCardCount?: number }): Promise<{ feedId: string }>;
  /** Accepts a submitted feed. */
  acceptFeed?(of: { feedId: string }): Promise<void>;
  /** Rejects a submitted feed. */
  rejectFeed?(of: { feedId: string }): Promise<void>;

  /** Begins a bank link, and leaves it to be completed. */
  startLink?(what: {
    /** What the bank shows; the target's choice unless set. Types as in BLK-01. */
    accounts?: readonly { type: string; last4: string }[];
  }): Promise<{ bankLinkId: string }>;
  /** Completes a link by the hosted flow: its notification, or only the polling finds out. */
  completeLink?(what: {
    bankLinkId: string;
    by: "notification" | "polling";
  }): Promise<{ bankAccountIds: readonly string[] }>;
  /** A consent is about to expire (BAC-04). */
  expireConsent?(of: { bankAccountId: string }): Promise<void>;
  /** The connection is lost. */
  disconnect?(of: { bankAccountId: string }): Promise<void>;
  /** The connection is back. */
  recover?(of: { bankAccountId: string }): Promise<void>;

  /** An active card is used: an approved authorization in EUR. */
  authorize?(what: {
    cardId: string;
    amount: number;
    merchant: string;
    /** The day; today unless set. */
    date?: string;
  }): Promise<{ transactionId: string; messageId: string }>;
  /** The network clears a purchase, or what is left of it; `amount` of it where that is set. */
  clear?(what: { transactionId: string; amount?: number }): Promise<{ messageId: string }>;
  /** The bank posts a debit, for a purchase (as it would post that one) or for itself. */
  postAtBank?(what: {
    bankAccountId: string;
    amount: number;
    merchant: string;
    transactionId?: string;
  }): Promise<{ bankTransactionId: string }>;
  /** The card side tells of a purchase after the bank has posted it (TXN-14, MAT-09). */
  tellLate?(what: {
    cardId: string;
    bankTransactionId: string;
    amount: number;
    merchant: string;
  }): Promise<{ transactionId: string }>;
  /** The provider removes a posting, announced as `provider_removed` (BTX-04). */
  removeAtProvider?(of: { bankTransactionId: string }): Promise<void>;
  /** A posting turns out to be another's duplicate, announced as `duplicate_retired`. */
  retireDuplicate?(of: { bankTransactionId: string }): Promise<void>;
  /** Matches a purchase anew, whether it has a match or not (MAT-07). */
  rematch?(of: { transactionId: string }): Promise<void>;
  /** Merchant data is found for a message (ENR-01). */
  enrich?(of: { messageId: string }): Promise<void>;
}

export interface EnrolledCard {
  readonly subscriptionId: string;
  readonly cardId: string;
}

export type Verb = keyof Driver;

/** What a verb takes. */
export type VerbParams<V extends Verb> = Parameters<NonNullable<Driver[V]>>[0];

/** What a verb resolves to. */
export type VerbResult<V extends Verb> = Awaited<ReturnType<NonNullable<Driver[V]>>>;

const VERBS: Readonly<Record<Verb, true>> = {
  subscribe: true,
  unsubscribe: true,
  advance: true,
  settle: true,
  enroll: true,
  clearSca: true,
  deactivate: true,
  upgrade: true,
  linkCard: true,
  submitFeed: true,
  acceptFeed: true,
  rejectFeed: true,
  startLink: true,
  completeLink: true,
  expireConsent: true,
  disconnect: true,
  recover: true,
  authorize: true,
  clear: true,
  postAtBank: true,
  tellLate: true,
  removeAtProvider: true,
  retireDuplicate: true,
  rematch: true,
  enrich: true,
};

/** Every verb that there may be. */
export const verbs = Object.keys(VERBS) as Verb[];
