import type { components } from "../../generated/types.ts";
import type { AccountState, LinkState } from "../model/bank-account.ts";
import type { Posting } from "../model/bank-transaction.ts";
import type { FeedState } from "../model/network-bulk-feed.ts";
import type { TransactionState } from "../model/settlement.ts";
import type { Confidence } from "../model/transaction-match.ts";

type Schemas = components["schemas"];

/** An account that the provider shows when a bank link is completed. */
export interface LinkableAccount {
  readonly name: string;
  /** The last four digits; of a credit account, of its card's number (BLK-01). */
  readonly mask: string;
  /** In the provider's words, such as `Credit Card`; normalized when it is linked. */
  readonly type: string;
  readonly currency: string;
  /** The card's network, of a credit account. */
  readonly network: string;
}

/**
 * Each kind of resource, by the first segment of its path: the body that the interface serves, and
 * the internal state that it does not show.
 */
export interface ResourceKinds {
  subaccounts: { body: Schemas["Subaccount"]; internal: { name: string } };
  /** Its parent is the subaccount. */
  cards: {
    body: Schemas["Card"];
    internal: { last4: string; network: string; subscriptionId: string };
  };
  /** Its parent is the card. */
  "card-subscriptions": { body: Schemas["CardSubscription"]; internal: Record<string, never> };
  /** Its parent is the subaccount. */
  "network-bulk-feeds": {
    body: Schemas["NetworkBulkFeed"];
    internal: {
      state: FeedState;
      network: string;
      networkReference: string;
      expectedCardCount: number | null;
    };
  };
  /** Its parent is the subaccount. */
  "bank-links": {
    body: Schemas["BankLink"];
    internal: {
      /** `finished`: the cardholder completed the flow, but the service has not been notified. */
      state: LinkState;
      provider: string;
      accounts: readonly LinkableAccount[];
    };
  };
  /** Its parent is the bank link. */
  "bank-accounts": {
    body: Schemas["BankAccount"];
    internal: {
      name: string;
      mask: string;
      /** Normalized, as in banklink.completed. */
      type: string;
      currency: string;
      provider: string;
      state: AccountState;
      /** In the order in which they were linked (TXN-17). */
      cardIds: string[];
      /** The postings while the bank was not connected. */
      unsynced: Posting[];
    };
  };
  /** Its parent is the bank account, its day the posting's; closed once matched or deleted. */
  "bank-transactions": {
    body: Schemas["BankTransaction"];
    internal: {
      posting: Posting;
      matchId: string | null;
      /** The bank-only transaction that was created for it, if any. */
      standaloneId: string | null;
      deleted: boolean;
    };
  };
  /** Its parent is the card; of a bank-only one, the bank account. Closed once fully matched. */
  transactions: { body: Schemas["Transaction"]; internal: TransactionState };
  /** Its parent is the transaction. */
  "transaction-messages": {
    body: Schemas["TransactionMessage"];
    internal: Record<string, never>;
  };
  /** Its parent is the bank transaction. */
  "transaction-matches": {
    body: Schemas["TransactionMatch"];
    internal: { transactionId: string; legId: string; confidence: Confidence };
  };
}

/** The first segment of a resource's path. */
export type Kind = keyof ResourceKinds;

/** A resource as it is stored. */
export interface Resource<K extends Kind = Kind> {
  readonly kind: K;
  readonly id: string;
  readonly accountId: string;
  readonly subaccountId: string;
  /** The id of its parent; see {@link ResourceKinds}. */
  readonly parent: string;
  /** YYYY-MM-DD, if the resource is matched by its day; otherwise empty. */
  readonly day: string;
  /** Milliseconds since 1970, by the sandbox's clock. */
  readonly createdMs: number;
  /** Whether it can still be matched. */
  open: boolean;
  /** Whether its collection lists it; a deleted or retracted one is not listed. */
  listed: boolean;
  body: ResourceKinds[K]["body"];
  internal: ResourceKinds[K]["internal"];
}

const NAMES: Readonly<Record<Kind, string>> = {
  subaccounts: "subaccount",
  cards: "card",
  "card-subscriptions": "card subscription",
  "network-bulk-feeds": "bulk feed",
  "bank-links": "bank link",
  "bank-accounts": "bank account",
  "bank-transactions": "bank transaction",
  transactions: "transaction",
  "transaction-messages": "transaction message",
  "transaction-matches": "match",
};

/** Every kind of resource. */
export const kinds = Object.keys(NAMES) as readonly Kind[];

/** Whether a world keeps resources of this kind. */
export function isKind(name: string): name is Kind {
  return Object.hasOwn(NAMES, name);
}

/** The name of a kind in messages. */
export function nameOf(kind: Kind): string {
  return NAMES[kind];
}
