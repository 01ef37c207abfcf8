import type { components } from "../../../generated/types.ts";
import type { Networks } from "../networks.ts";
import type { HistoryReporter } from "./history-reporter.ts";
import { DeliveredContents, RecentIds, Resources } from "./memory.ts";

type Schemas = components["schemas"];

/** What is kept of a transaction: its latest snapshot, as far as the next one is compared to it. */
export interface TransactionState {
  readonly contents: DeliveredContents;
  /** The line of `transaction.created`; undefined where only updates came. */
  createdLine: number | undefined;
  line: number;
  createdAt: string;
  updatedAt: string;
  status: string;
  /** Whether it was SETTLED at some time (TXN-20). */
  wasSettled: boolean;
  supersededMessageIds: readonly string[];
  messageIds: readonly string[];
  settledAmount: number;
  /** Whether both settled amounts were 0 at some time (TXN-14). */
  wasNetted: boolean;
  /** Whether a match of it was taken back; whether that un-settles it is open. */
  wasRetracted: boolean;
  /** What settled it while it was PENDING, where only bank postings did. */
  settledBy: BankSettlement | undefined;
}

/** The move of a purchase from PENDING to SETTLED by bank postings alone. */
export interface BankSettlement {
  readonly bankTransactionIds: readonly string[];
  readonly line: number;
}

/** The fields that a message alone and its projection share. */
export type SharedMessageFields = Partial<
  Omit<Schemas["ProjectedTransactionMessage"], "superseded" | "_links">
>;

/** What is kept of a message. */
export interface MessageState {
  readonly contents: DeliveredContents;
  /** The line of `transactionmessage.created`; undefined while only a projection showed it. */
  createdLine: number | undefined;
  line: number;
  fields: SharedMessageFields;
  /** Whether a transaction lists it. */
  isListed: boolean;
  /** Whether a projection has told what its announcement may have left out. */
  isWhole: boolean;
}

export interface BankTransactionState {
  readonly contents: DeliveredContents;
  readonly line: number;
  readonly bankAccountId: string;
  readonly isPending: boolean;
  readonly isCredit: boolean;
  /** Its first match of high confidence; while there is none, its latest match. */
  bestMatch: MatchState | undefined;
  deletedLine: number | undefined;
}

export interface MatchState {
  readonly contents: DeliveredContents;
  readonly line: number;
  readonly confidence: string;
  readonly cardTransactionId: string;
  readonly bankTransactionIds: readonly string[];
  /** The line of the deletion of its bank transaction: a retraction is owed (BTX-05). */
  retractionDueLine: number | undefined;
}

export interface SubscriptionState {
  readonly contents: DeliveredContents;
  createdLine: number | undefined;
  line: number;
  updatedAt: string;
  cardId: string;
  enrollmentType: string;
  state: string;
  bankAccountId: string | undefined;
  /** Whether a real card number took its place: it keeps its bank account (SUB-06). */
  wasUpgraded: boolean;
}

export interface FeedState {
  readonly contents: DeliveredContents;
  line: number;
  newState: string;
  readonly hasCount: boolean;
}

export interface BankLinkState {
  readonly contents: DeliveredContents;
  readonly line: number;
}

export interface BankAccountState {
  readonly contents: DeliveredContents;
  line: number;
  /** The states that it may be in: two where a delivery may be a repeat or a new turn. */
  states: ReadonlySet<string>;
}

/** Something that was named and has to be announced, or was announced and has to follow. */
export interface Obligation {
  readonly line: number;
  readonly event: string;
  readonly path: string;
}

/** A created card of a completed link, whose subscription is to be announced (BLK-05). */
export interface ExpectedSubscription extends Obligation {
  readonly cardId: string;
}

/** A retraction that blames a deletion which did not come yet (BTX-05). */
export interface EarlyRetraction extends Obligation {
  readonly matchId: string;
}

/** All that a history is judged by, and no body of it: it grows with the live resources only. */
export class HistoryState {
  readonly reporter: HistoryReporter;
  readonly networks: Networks;

  readonly transactions = new Map<string, TransactionState>();
  readonly messages = new Map<string, MessageState>();
  readonly bankTransactions = new Resources<BankTransactionState>();
  readonly matches = new Resources<MatchState>();
  readonly subscriptions = new Map<string, SubscriptionState>();
  readonly feeds = new Map<string, FeedState>();
  readonly bankLinks = new Map<string, BankLinkState>();
  readonly bankAccounts = new Map<string, BankAccountState>();

  /** The bank-only transaction of a bank transaction. */
  readonly standalones = new Map<string, string>();
  /** The purchase that a bank transaction settled. */
  readonly purchases = new Map<string, string>();
  /** The live matches of a bank transaction. */
  readonly matchesOf = new Map<string, Set<string>>();
  /** The bank-feed subscription of a card. */
  readonly bankFeedOfCard = new Map<string, string>();
  /** The accounts that completed links named. */
  readonly linkedAccounts = new Set<string>();

  /** Messages that something leads to and that were not announced yet. */
  readonly unannouncedMessages = new Map<string, Obligation & { readonly isBankOnly: boolean }>();
  /** Bank transactions that a message or a match names and that were not announced yet. */
  readonly unannouncedBankTransactions = new Map<
    string,
    Obligation & { readonly requirement: "MSG-11" | "MAT-04" }
  >();
  /** Accounts that a subscription links to and that no completed link named yet. */
  readonly unlinkedAccounts = new Map<string, Obligation>();
  readonly expectedSubscriptions = new Map<string, ExpectedSubscription>();
  /** Retractions "as the bank transaction is retired", by bank transactions that are there yet. */
  readonly earlyRetractions = new Map<string, EarlyRetraction[]>();

  /** Resources that a delivery of another shape names: what it says of them is not known. */
  readonly unreadable = new RecentIds();

  constructor(reporter: HistoryReporter, networks: Networks) {
    this.reporter = reporter;
    this.networks = networks;
  }

  /** The debts that no delivery of another shape may have paid. */
  *outstanding<Value>(obligations: ReadonlyMap<string, Value>): Iterable<readonly [string, Value]> {
    for (const obligation of obligations) if (!this.unreadable.has(obligation[0])) yield obligation;
  }

  /** The delivery at work as a debt, at a place of its body. */
  obligation(path: string): Obligation {
    const { line, event } = this.reporter;
    return { line, event, path };
  }
}

/** Contents that begin with what was just delivered. */
export function rememberedDeliveries(content: number): DeliveredContents {
  const contents = new DeliveredContents();
  contents.isDuplicate(content);
  return contents;
}
