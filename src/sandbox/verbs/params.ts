import type { LinkableAccount } from "../store/resources.ts";

/** Whose resources are taken where no id is given; the first account's unless set. */
export interface OfAccount {
  readonly accountId?: string | undefined;
}

/** Where a purchase is made. */
export interface MerchantParams {
  /** What the card side writes, such as `CORNER CAFE 12`. */
  readonly descriptor?: string | undefined;
  /** Four digits. */
  readonly mcc?: string | undefined;
  readonly city?: string | undefined;
  readonly country?: string | undefined;
  readonly state?: string | undefined;
}

/** A card is used. Amounts are in major units, as on the wire. */
export interface PurchaseParams extends OfAccount {
  /** An active card with a network behind it; the latest such one unless set. */
  readonly cardId?: string | undefined;
  /** 42.5 unless set. */
  readonly amount?: number | undefined;
  /** EUR unless set. */
  readonly currency?: string | undefined;
  /** What the cardholder is billed; the amount itself in the same currency unless set. */
  readonly billingAmount?: number | undefined;
  readonly billingCurrency?: string | undefined;
  readonly merchant?: MerchantParams | undefined;
  /** APPROVED unless set. */
  readonly result?: "APPROVED" | "DECLINED" | undefined;
}

/** The network clears a purchase. */
export interface ClearParams extends OfAccount {
  /** The latest purchase that the network has not cleared unless set. */
  readonly transactionId?: string | undefined;
  /** In the transaction's currency; what is not cleared yet unless set, of a part half of it. */
  readonly amount?: number | undefined;
}

/** The bank posts a movement. */
export interface BankPostParams extends OfAccount {
  readonly bankAccountId?: string | undefined;
  /** The purchase that it is made for: amount, day and text come from it unless set. */
  readonly transactionId?: string | undefined;
  /** Above 0. */
  readonly amount?: number | undefined;
  readonly currency?: string | undefined;
  readonly description?: string | undefined;
  readonly merchantName?: string | null | undefined;
  /** Primary and detailed personal-finance category; empty where the provider has none. */
  readonly category?: readonly string[] | undefined;
  /** YYYY-MM-DD; today unless set. */
  readonly date?: string | undefined;
  /** Not posted yet: neither matched nor a transaction of its own. */
  readonly pending?: boolean | undefined;
  readonly transactionType?: "debit" | "credit" | undefined;
}

/** A purchase of which the card side tells after the bank has posted it. */
export interface LateCardDataParams extends OfAccount {
  /** The movement that it explains: the latest that stands alone unless set. */
  readonly bankTransactionId?: string | undefined;
  readonly cardId?: string | undefined;
  /** The movement's unless set. */
  readonly amount?: number | undefined;
  readonly merchant?: MerchantParams | undefined;
  /** The day of the purchase, YYYY-MM-DD; that of the movement unless set. */
  readonly date?: string | undefined;
}

/** A bank transaction, or the latest one that is there. */
export interface BankTransactionParams extends OfAccount {
  readonly bankTransactionId?: string | undefined;
}

/**
 * What is matched anew: one purchase, one movement, or all of a bank account; the latest match
 * unless set.
 */
export interface RematchParams extends OfAccount {
  readonly transactionId?: string | undefined;
  readonly bankTransactionId?: string | undefined;
  readonly bankAccountId?: string | undefined;
}

/** The message that is enriched: one of a transaction, or the latest of all. */
export interface EnrichParams extends OfAccount {
  readonly messageId?: string | undefined;
  readonly transactionId?: string | undefined;
}

/** A cardholder enrolls a card. */
export interface EnrollParams extends OfAccount {
  readonly subaccountId?: string | undefined;
  /** 12 to 19 digits, of which the last four are kept; drawn unless set. */
  readonly cardNumber?: string | undefined;
  /** The code of a card network; NETWORK_A's unless set. */
  readonly network?: string | undefined;
  readonly customerReferenceId?: string | null | undefined;
}

/** A card subscription; the latest one in a state for it unless set. */
export interface SubscriptionParams extends OfAccount {
  readonly subscriptionId?: string | undefined;
}

/** A bulk feed is submitted to its network. */
export interface FeedSubmitParams extends OfAccount {
  readonly subaccountId?: string | undefined;
  /** The code of a card network; NETWORK_B's unless set. */
  readonly network?: string | undefined;
  /** NBF-03: left out unless set. */
  readonly expectedCardCount?: number | undefined;
}

/** A feed is accepted, and its cards are enrolled. */
export interface FeedAcceptParams extends OfAccount {
  /** The latest submitted feed; one is submitted where there is none. */
  readonly feedId?: string | undefined;
  /** How many cards come by it, at most 100; expectedCardCount or 2 unless set. */
  readonly cards?: number | undefined;
}

/** A feed is rejected. */
export interface FeedRejectParams extends OfAccount {
  readonly feedId?: string | undefined;
  /** NBF-02: told for feeds of NETWORK_B. */
  readonly errorReason?: string | undefined;
}

/** A cardholder begins to link a bank by the hosted flow. */
export interface LinkStartParams extends OfAccount {
  readonly subaccountId?: string | undefined;
  readonly provider?: string | undefined;
  /** What the bank shows; a credit account and a current account unless set. */
  readonly accounts?: readonly Partial<LinkableAccount>[] | undefined;
}

/** A hosted flow comes to its end. */
export interface LinkCompleteParams extends OfAccount {
  /** The latest that is not completed; one is started where there is none. */
  readonly bankLinkId?: string | undefined;
  /** Whether the provider's notification comes, or is lost, and the polling finds out. */
  readonly by?: "notification" | "polling" | undefined;
}

/** SUB-07: an enrolled card is linked to a bank account that is connected already. */
export interface LinkCardParams extends OfAccount {
  readonly cardId?: string | undefined;
  readonly bankAccountId?: string | undefined;
}

/** A bank account; the latest one in a state for it unless set. */
export interface BankAccountParams extends OfAccount {
  readonly bankAccountId?: string | undefined;
}

/** A bank account's consent expires soon. */
export interface ConsentExpireParams extends BankAccountParams {
  /** consent_expiring unless set. */
  readonly reason?: string | undefined;
  /** A timestamp; seven days from now unless set, null where it is not known. */
  readonly expiresAt?: string | null | undefined;
}

/** TXN-10: whether an account's transactions carry their messages. */
export interface SwitchProjectionParams extends OfAccount {
  readonly on: boolean;
}

/** A subaccount is opened. */
export interface OpenSubaccountParams extends OfAccount {
  readonly name?: string | undefined;
}

/** What each verb takes. */
export interface VerbParams {
  purchase: PurchaseParams;
  clear: ClearParams;
  "clear-partial": ClearParams;
  "bank-post": BankPostParams;
  "late-card-data": LateCardDataParams;
  "retire-duplicate": BankTransactionParams;
  "provider-remove": BankTransactionParams;
  rematch: RematchParams;
  enrich: EnrichParams;
  enroll: EnrollParams;
  "sca-pass": SubscriptionParams;
  "sca-fail": SubscriptionParams;
  upgrade: SubscriptionParams;
  deactivate: SubscriptionParams;
  "feed-submit": FeedSubmitParams;
  "feed-accept": FeedAcceptParams;
  "feed-reject": FeedRejectParams;
  "link-start": LinkStartParams;
  "link-complete": LinkCompleteParams;
  "link-card": LinkCardParams;
  "consent-expire": ConsentExpireParams;
  disconnect: BankAccountParams;
  recover: BankAccountParams;
  "open-subaccount": OpenSubaccountParams;
  "switch-projection": SwitchProjectionParams;
}

/** What can be made to happen. */
export type VerbName = keyof VerbParams;

interface OfTransaction {
  readonly transactionId: string;
  readonly messageId: string;
}

interface OfSubscription {
  readonly subscriptionId: string;
  readonly cardId: string;
}

interface OfBankLink {
  readonly bankLinkId: string;
  /** Empty until it is completed. */
  readonly bankAccountIds: readonly string[];
}

/** What each verb tells of what it did: the ids of what it made or changed. */
export interface VerbResults {
  purchase: OfTransaction;
  clear: OfTransaction;
  "clear-partial": OfTransaction;
  /** All null where the bank is not connected: it is synced with the recovery. */
  "bank-post": {
    readonly bankTransactionId: string | null;
    readonly matchId: string | null;
    /** The purchase that it was matched to, or the transaction that it became. */
    readonly transactionId: string | null;
  };
  "late-card-data": OfTransaction;
  "retire-duplicate": { readonly bankTransactionId: string };
  "provider-remove": { readonly bankTransactionId: string };
  rematch: { readonly matchIds: readonly string[] };
  enrich: { readonly enrichmentId: string; readonly messageId: string };
  enroll: OfSubscription;
  "sca-pass": OfSubscription;
  "sca-fail": OfSubscription;
  upgrade: OfSubscription;
  deactivate: OfSubscription;
  "feed-submit": { readonly feedId: string };
  "feed-accept": { readonly feedId: string; readonly subscriptionIds: readonly string[] };
  "feed-reject": { readonly feedId: string };
  "link-start": OfBankLink;
  "link-complete": OfBankLink;
  "link-card": OfSubscription;
  "consent-expire": { readonly bankAccountId: string };
  disconnect: { readonly bankAccountId: string };
  recover: { readonly bankAccountId: string };
  "open-subaccount": { readonly subaccountId: string };
  "switch-projection": { readonly accountId: string };
}
