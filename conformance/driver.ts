import type { EventName } from "../generated/events.ts";

/**
 * Makes things happen at a target, so that what it owes for them can be seen. Every verb is
 * optional: a check that needs a missing one is skipped, and says so.
 *
 * - A verb resolves when the target has taken it; what it owes may come later. It rejects where the
 *   target refuses: the checks that need it are then skipped, with what it said.
 * - Ids are those of the interface, and everything belongs to the account that the run
 *   authenticates as, and there to one subaccount.
 * - Amounts are in EUR and in major units, such as 31.19. A merchant is what the card side and the
 *   bank side both write, such as `KIOSK MORGENROT`.
 * - A verb may be called again and again, in one run and in many: what it makes is new each time.
 *
 * `txfeed conformance --driver ./my-driver.js` takes a module whose default export is a driver, or
 * a function that is given `{ baseUrl }` and returns one, or a promise of one.
 * `conformance/drivers/sandbox.ts` is one to copy.
 */
export interface Driver {
  /**
   * Has deliveries sent to a URL, as it stands, its path included: of every event, or of those
   * named (WHK-06). Several URLs may be subscribed to at once.
   */
  subscribe?(to: { url: string; events?: readonly EventName[] }): Promise<void>;
  /** Ends what `subscribe` began. Called when the run is over, whatever became of it. */
  unsubscribe?(from: { url: string }): Promise<void>;
  /**
   * Resolves when all that is due has been delivered: then what did not come never will. Leave it
   * out where that can't be told; the run then waits, within a limit, for what is owed.
   */
  settle?(): Promise<void>;
  /** Moves the target's clock on, and what falls due by then happens: polling, late matching. */
  advance?(by: { seconds: number }): Promise<void>;

  /** A cardholder enrolls a new card; its SCA is still to be cleared (SUB-04). */
  enroll?(): Promise<EnrolledCard>;
  /** The SCA of a subscription in `reqSCA` is cleared. */
  clearSca?(of: { subscriptionId: string }): Promise<void>;
  /** An active subscription ends. */
  deactivate?(of: { subscriptionId: string }): Promise<void>;
  /** The real card number of a `bank-feed` subscription is enrolled (SUB-06). */
  upgrade?(of: { subscriptionId: string }): Promise<void>;
  /** An enrolled card is linked to a connected bank account (SUB-07). */
  linkCard?(what: { cardId: string; bankAccountId: string }): Promise<void>;

  /** A bulk feed is submitted to NETWORK_B, with the count or without (NBF-03). */
  submitFeed?(what: { expectedCardCount?: number }): Promise<{ feedId: string }>;
  /** A submitted feed is accepted. Tells the subscriptions that come by it, if any. */
  acceptFeed?(of: { feedId: string }): Promise<{ subscriptionIds: readonly string[] }>;
  /** A submitted feed is rejected. */
  rejectFeed?(of: { feedId: string }): Promise<void>;

  /** A bank link is begun, and left to be completed; the bank is to show these accounts. */
  startLink?(what: { accounts: readonly BankShows[] }): Promise<{ bankLinkId: string }>;
  /**
   * The cardholder ends the hosted flow: the provider's notification of it comes, or is lost, so
   * that only the polling finds out (BLK-02). Tells the bank accounts in the order in which the
   * link was begun with them; none where it is not complete yet.
   */
  completeLink?(what: {
    bankLinkId: string;
    by: "notification" | "polling";
  }): Promise<{ bankAccountIds: readonly string[] }>;
  /** The consent to an active bank account is about to expire (BAC-04). */
  expireConsent?(of: { bankAccountId: string }): Promise<void>;
  /** The connection to a bank account is lost. */
  disconnect?(of: { bankAccountId: string }): Promise<void>;
  /** The connection to a bank account is back. */
  recover?(of: { bankAccountId: string }): Promise<void>;

  /** An active card is used: an approved authorization, today. */
  authorize?(what: {
    cardId: string;
    amount: number;
    merchant: string;
  }): Promise<{ transactionId: string; messageId: string }>;
  /** The network clears a purchase: a part of it where `amount` is set, else all that is left. */
  clear?(what: { transactionId: string; amount?: number }): Promise<{ messageId: string }>;
  /**
   * The bank posts a debit, today. With `transactionId` it is the debit of that purchase or of a
   * part of it, cleared or not, and leaves no doubt about that: it is to be matched with high
   * confidence.
   * Without, nothing in the feed explains it; without `merchant`, the bank's text names none.
   */
  postAtBank?(what: {
    bankAccountId: string;
    amount: number;
    merchant?: string;
    transactionId?: string;
  }): Promise<{ bankTransactionId: string }>;
  /** The card side tells of a purchase that the bank has posted already (TXN-14, MAT-09). */
  tellLate?(what: {
    cardId: string;
    bankTransactionId: string;
    amount: number;
    merchant: string;
  }): Promise<{ transactionId: string }>;
  /** The provider removes a bank transaction (BTX-04). */
  removeAtProvider?(of: { bankTransactionId: string }): Promise<void>;
  /** One of two equal postings is found to be the other's duplicate, and retired (BTX-04). */
  retireDuplicate?(of: { bankTransactionId: string }): Promise<void>;
  /** A matched purchase is matched anew by force (MAT-07). */
  rematch?(of: { transactionId: string }): Promise<void>;
  /** Merchant data is found for a message (ENR-01). */
  enrich?(of: { messageId: string }): Promise<void>;
}

export interface EnrolledCard {
  readonly subscriptionId: string;
  readonly cardId: string;
  /** The last 4 digits of its number, which a bank may show again (BLK-04). */
  readonly last4: string;
}

/** A bank account as its bank shows it. */
export interface BankShows {
  readonly type: "credit" | "depository";
  /** Its mask; one of no enrolled card unless set. */
  readonly last4?: string;
}

export type Verb = keyof Driver;

/** What a verb takes; undefined where it takes nothing. */
export type VerbParams<V extends Verb> = Parameters<NonNullable<Driver[V]>>[0];

/** What a verb resolves to. */
export type VerbResult<V extends Verb> = Awaited<ReturnType<NonNullable<Driver[V]>>>;

const VERBS: Readonly<Record<Verb, true>> = {
  subscribe: true,
  unsubscribe: true,
  settle: true,
  advance: true,
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
