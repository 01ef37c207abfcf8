import type { EventName } from "../generated/events.ts";

/**
 * Triggers events at a target, so that checks can observe the effects. Every verb is optional:
 * checks that need a missing verb are skipped with a reason.
 *
 * - A verb resolves when the target has accepted it; the effects may follow later. It rejects if
 *   the target refuses: the checks that need it are then skipped with the error message.
 * - Ids are those of the interface. All resources belong to one subaccount of the account that the
 *   run authenticates as.
 * - Amounts are in EUR and in major units, such as 31.19. A merchant is the text that the card side
 *   and the bank side both write, such as `KIOSK MORGENROT`.
 * - A verb may be called repeatedly, in one run and in many: each call creates new resources.
 *
 * `txfeed conformance --driver ./my-driver.js` loads a module whose default export is a driver, or
 * a function that takes `{ baseUrl }` and returns a driver or a promise of one.
 * `conformance/drivers/sandbox.ts` is an example to copy.
 */
export interface Driver {
  /**
   * Subscribes a URL, used unchanged with its path, to all events or to the listed ones (WHK-06).
   * Several URLs may be subscribed at once.
   */
  subscribe?(to: { url: string; events?: readonly EventName[] }): Promise<void>;
  /** Ends the subscription of a URL. Called at the end of every run, even a failed one. */
  unsubscribe?(from: { url: string }): Promise<void>;
  /**
   * Resolves when all due deliveries have been sent: none arrives later. Omit it if the target
   * can't know that; the run then waits for the expected deliveries, up to a timeout.
   */
  settle?(): Promise<void>;
  /** Advances the target's clock and runs everything due by then: polling, late matching. */
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
  /** A submitted feed is accepted. Returns the subscriptions that it creates, if any. */
  acceptFeed?(of: { feedId: string }): Promise<{ subscriptionIds: readonly string[] }>;
  /** A submitted feed is rejected. */
  rejectFeed?(of: { feedId: string }): Promise<void>;

  /** A bank link is started but not completed; the bank must show these accounts. */
  startLink?(what: { accounts: readonly BankShows[] }): Promise<{ bankLinkId: string }>;
  /**
   * The cardholder finishes the hosted flow. The provider's notification arrives, or it is lost and
   * only polling detects the completion (BLK-02). Returns the bank accounts in the order given to
   * `startLink`; empty if the link is not complete yet.
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
  /** The network clears a purchase: `amount` of it if set, otherwise the uncleared rest. */
  clear?(what: { transactionId: string; amount?: number }): Promise<{ messageId: string }>;
  /**
   * The bank posts a debit, today. With `transactionId`, it is the debit of that purchase or a part
   * of it, cleared or not, and must match it with high confidence. Without, it must match nothing
   * in the feed. Without `merchant`, the bank's text names no merchant.
   */
  postAtBank?(what: {
    bankAccountId: string;
    amount: number;
    merchant?: string;
    transactionId?: string;
  }): Promise<{ bankTransactionId: string }>;
  /** Delivers card data for a purchase that the bank has already posted (TXN-14, MAT-09). */
  tellLate?(what: {
    cardId: string;
    bankTransactionId: string;
    amount: number;
    merchant: string;
  }): Promise<{ transactionId: string }>;
  /** The provider removes a bank transaction (BTX-04). */
  removeAtProvider?(of: { bankTransactionId: string }): Promise<void>;
  /** One of two equal postings is detected as a duplicate and retired (BTX-04). */
  retireDuplicate?(of: { bankTransactionId: string }): Promise<void>;
  /** A matched purchase is forcibly rematched (MAT-07). */
  rematch?(of: { transactionId: string }): Promise<void>;
  /** Merchant data is found for a message (ENR-01). */
  enrich?(of: { messageId: string }): Promise<void>;

  /**
   * Keeps the target's whole state, with its clock and its subscribed URLs, under a name of up to
   * 64 of a-z, 0-9 and -. Only `--explore` uses it, to go back instead of creating new resources.
   */
  snapshot?(as: { name: string }): Promise<void>;
  /** Restores a state as often as wanted. Nothing that was due before is delivered after it. */
  restore?(to: { name: string }): Promise<void>;
}

export interface EnrolledCard {
  readonly subscriptionId: string;
  readonly cardId: string;
  /** The last 4 digits of its number, which a bank account may share (BLK-04). */
  readonly last4: string;
}

/** A bank account as its bank shows it. */
export interface BankShows {
  readonly type: "credit" | "depository";
  /** Its mask. Default: a mask that matches no enrolled card. */
  readonly last4?: string;
}

export type Verb = keyof Driver;

/** The parameter of a verb; undefined if it has none. */
export type VerbParams<V extends Verb> = Parameters<NonNullable<Driver[V]>>[0];

/** The result of a verb. */
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
  snapshot: true,
  restore: true,
};

/** All verbs. */
export const verbs = Object.keys(VERBS) as Verb[];
