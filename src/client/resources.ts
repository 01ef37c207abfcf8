import type { OperationKey } from "../../generated/operations.ts";
import type { paths } from "../../generated/types.ts";
import type { LinkLike } from "./link.ts";
import type { CallOptions } from "./options.ts";
import type { Pages } from "./pages.ts";
import type { BodyOf, Result } from "./result.ts";

/** The path of an operation that reads. */
export type PathOf = {
  [Key in OperationKey]: Key extends `GET ${infer Path extends keyof paths}` ? Path : never;
}[OperationKey];

/** The body of a path's 200. */
export type ResourceAt<Path extends PathOf> = BodyOf<`GET ${Path}`>;

/** What a page's items are. */
type ItemOf<Page> = Page extends { _embedded: infer Embedded }
  ? Embedded[keyof Embedded] extends readonly (infer Item)[]
    ? Item
    : never
  : never;

/** A resource that is read by its id. */
export interface Readable<Path extends PathOf> {
  /**
   * Gets one.
   *
   * @param id Its id, as an answer or an event has it.
   * @returns Resolves to it. Rejects with a FeedHttpError at any status but 200, with every
   * other FeedError, and with a TxfeedError `usage` at an id or an option that makes no sense.
   */
  get(id: string, options?: CallOptions): Promise<ResourceAt<Path>>;
  /**
   * Asks for one, whatever is answered.
   *
   * @returns Resolves to the answer: match on `status`. Rejects as {@link get} does, but for a
   * status.
   */
  getResult(id: string, options?: CallOptions): Promise<Result<`GET ${Path}`>>;
}

/** A resource that is read by the ids of its subaccount and of itself. */
export interface ReadableInSubaccount<Path extends PathOf> {
  /**
   * Gets one.
   *
   * @param subaccountId The subaccount that owns it.
   * @param id Its id, as an answer or an event has it.
   * @returns Resolves to it. Rejects with a FeedHttpError at any status but 200, with every
   * other FeedError, and with a TxfeedError `usage` at an id or an option that makes no sense.
   */
  get(subaccountId: string, id: string, options?: CallOptions): Promise<ResourceAt<Path>>;
  /**
   * Asks for one, whatever is answered.
   *
   * @returns Resolves to the answer: match on `status`. Rejects as {@link get} does, but for a
   * status.
   */
  getResult(
    subaccountId: string,
    id: string,
    options?: CallOptions,
  ): Promise<Result<`GET ${Path}`>>;
}

/** How a list is read. */
export interface ListOptions extends CallOptions {
  /** How many items a page holds at most, 1 to 100 (PAGE-01); the service decides unless set. */
  readonly limit?: number | undefined;
  /**
   * Takes the list up where a page's link leads, which keeps the page's limit (PAGE-15); at its
   * beginning where there is none, as on a last page.
   */
  readonly from?: LinkLike | undefined;
  /** Fetches the next page while the items of this one are consumed, needed or not. */
  readonly ahead?: boolean | undefined;
}

/** A collection. */
export interface Listable<Path extends PathOf> {
  /**
   * Lists all, page by page, as they are consumed: `for await (const item of list)`, `.pages()`,
   * `.toArray({ max })`. Nothing is sent before. `timeoutMs` and the like hold for each page.
   *
   * @returns what iterates them. Throws a TxfeedError `usage` at a limit that makes no sense.
   */
  list(options?: ListOptions): Pages<ItemOf<ResourceAt<Path>>, ResourceAt<Path>>;
  /**
   * Asks for one page, whatever is answered.
   *
   * @returns Resolves to the answer: match on `status`. Rejects with a FeedError where no answer
   * comes that counts.
   */
  listResult(options?: Omit<ListOptions, "ahead">): Promise<Result<`GET ${Path}`>>;
}

/** What may be sent with the completion of a bank link. */
export interface CompleteOptions extends CallOptions {
  /** JSON; what the service takes is not specified. */
  readonly body?: unknown;
}

/** Bank links, which are listed and completed. */
export interface BankLinks extends Listable<"/bank-links"> {
  /**
   * Completes a bank link by hand, which sends `banklink.completed` (EP-07). The request is sent
   * once, unless `retries` says otherwise.
   *
   * @param id The bank link.
   * @returns Resolves to the body of the answer, which is not specified. Rejects with a
   * FeedHttpError at a status that is no 2xx, and with every other FeedError.
   */
  complete(id: string, options?: CompleteOptions): Promise<unknown>;
  /**
   * Completes a bank link, whatever is answered.
   *
   * @returns Resolves to the answer: match on `status`. Rejects as {@link complete} does, but for a
   * status.
   */
  completeResult(
    id: string,
    options?: CompleteOptions,
  ): Promise<Result<"PATCH /bank-links/{bankLinkId}">>;
}

type TransactionMatches = ReadableInSubaccount<"/transaction-matches/{subaccountId}/{matchId}"> &
  Listable<"/transaction-matches">;

/** The resources in plain words. */
export interface Resources {
  readonly subaccounts: Readable<"/subaccounts/{id}"> & Listable<"/subaccounts">;
  readonly cards: Readable<"/cards/{id}"> & Listable<"/cards">;
  readonly cardSubscriptions: Readable<"/card-subscriptions/{id}">;
  readonly networkBulkFeeds: Readable<"/network-bulk-feeds/{id}">;
  readonly transactions: Readable<"/transactions/{transactionId}"> & Listable<"/transactions">;
  readonly transactionMessages: Readable<"/transaction-messages/{id}">;
  readonly bankLinks: BankLinks;
  readonly bankAccounts: Readable<"/bank-accounts/{id}"> & Listable<"/bank-accounts">;
  readonly bankTransactions: ReadableInSubaccount<"/bank-transactions/{subaccountId}/{id}"> &
    Listable<"/bank-transactions">;
  readonly transactionMatches: TransactionMatches;
}
