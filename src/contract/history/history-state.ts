import type { ClaimId } from "../../../generated/requirements.ts";
import type { components } from "../../../generated/types.ts";
import type { Networks } from "../networks.ts";
import type { HistoryReporter } from "./history-reporter.ts";
import { DeliveredContents, RecentIds, Resources } from "./memory.ts";

type Schemas = components["schemas"];

/** A transaction: the fields of its latest snapshot that the next one is compared with. */
export interface TransactionState {
  readonly contents: DeliveredContents;
  /** The line of `transaction.created`; undefined if only updates came. */
  createdLine: number | undefined;
  line: number;
  createdAt: string;
  updatedAt: string;
  status: string;
  /** Whether it was ever SETTLED (TXN-20). */
  wasSettled: boolean;
  supersededMessageIds: readonly string[];
  messageIds: readonly string[];
  settledAmount: number;
  /** Whether both settled amounts were ever 0 (TXN-14). */
  wasNetted: boolean;
  /** Whether a match of it was retracted; the interface leaves open whether that un-settles it. */
  wasRetracted: boolean;
  /** Its settlement, if only bank postings settled it. */
  settledBy: BankSettlement | undefined;
}

/** The transition of a purchase from PENDING to SETTLED by bank postings only. */
export interface BankSettlement {
  readonly bankTransactionIds: readonly string[];
  readonly line: number;
}

/** The fields that a standalone message and its projection share. */
export type SharedMessageFields = Partial<
  Omit<Schemas["ProjectedTransactionMessage"], "superseded" | "_links">
>;

export interface MessageState {
  readonly contents: DeliveredContents;
  /** The line of `transactionmessage.created`; undefined if only a projection has shown it. */
  createdLine: number | undefined;
  line: number;
  fields: SharedMessageFields;
  /** Whether a transaction lists it. */
  isListed: boolean;
  /** Whether a projection has given the fields that the announcement may omit. */
  isWhole: boolean;
}

interface BankTransactionState {
  readonly contents: DeliveredContents;
  readonly line: number;
  readonly bankAccountId: string;
  readonly isPending: boolean;
  readonly isCredit: boolean;
  /** Its first match of high confidence, or else its latest match. */
  bestMatch: MatchState | undefined;
  deletedLine: number | undefined;
}

export interface MatchState {
  readonly contents: DeliveredContents;
  readonly line: number;
  readonly confidence: string;
  readonly cardTransactionId: string;
  readonly bankTransactionIds: readonly string[];
  /** The line of its bank transaction's deletion, which requires a retraction (BTX-05). */
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
  /** Whether it was upgraded to a real card number. It keeps its bank account (SUB-06). */
  wasUpgraded: boolean;
}

interface FeedState {
  readonly contents: DeliveredContents;
  line: number;
  newState: string;
  readonly hasCount: boolean;
}

interface BankLinkState {
  readonly contents: DeliveredContents;
  readonly line: number;
}

interface BankAccountState {
  readonly contents: DeliveredContents;
  line: number;
  /** The states that it may be in: two if a delivery is either a duplicate or a new change. */
  states: ReadonlySet<string>;
}

/** An event that a previous event requires. */
interface Obligation {
  readonly line: number;
  readonly event: string;
  readonly path: string;
}

/** The subscription of a card that a completed link created; it must be announced (BLK-05). */
interface ExpectedSubscription extends Obligation {
  readonly cardId: string;
}

/** A retraction whose reason is a deletion that has not come yet (BTX-05). */
export interface EarlyRetraction extends Obligation {
  readonly matchId: string;
}

/** The state of a history, without bodies. It grows only with the live resources. */
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
  /** The bank accounts of completed links. */
  readonly linkedAccounts = new Set<string>();

  /** Messages that are linked to but not announced yet. */
  readonly unannouncedMessages = new Map<string, Obligation & { readonly isBankOnly: boolean }>();
  /** Bank transactions that a message or a match names and that are not announced yet. */
  readonly unannouncedBankTransactions = new Map<
    string,
    Obligation & { readonly claim: "MSG-11.announced" | "MAT-04.announced" }
  >();
  /** Bank accounts that a subscription links to and that no completed link has named yet. */
  readonly unlinkedAccounts = new Map<string, Obligation>();
  readonly expectedSubscriptions = new Map<string, ExpectedSubscription>();
  /** Retractions because of a deletion that has not come yet, by bank transaction. */
  readonly earlyRetractions = new Map<string, EarlyRetraction[]>();

  /** Resources in deliveries with an invalid shape. Their state is unknown. */
  readonly unreadable = new RecentIds();

  constructor(reporter: HistoryReporter, networks: Networks) {
    this.reporter = reporter;
    this.networks = networks;
  }

  /** Notes a case about a resource, unless its state is unknown. */
  caseUnlessUnreadable(claim: ClaimId, id: string): void {
    if (!this.unreadable.has(id)) this.reporter.caseIfComplete(claim);
  }

  /** The obligations that no delivery with an invalid shape may have met. */
  *outstanding<Value>(obligations: ReadonlyMap<string, Value>): Iterable<readonly [string, Value]> {
    for (const obligation of obligations) if (!this.unreadable.has(obligation[0])) yield obligation;
  }

  /** An obligation from the current delivery, at a path of its body. */
  obligation(path: string): Obligation {
    const { line, event } = this.reporter;
    return { line, event, path };
  }
}

/** The delivered contents of a resource, starting with one. */
export function rememberedDeliveries(content: number): DeliveredContents {
  const contents = new DeliveredContents();
  contents.isDuplicate(content);
  return contents;
}
