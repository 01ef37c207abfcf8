import type { OperationKey } from "../../generated/operations.ts";
import type { paths } from "../../generated/types.ts";
import type { LinkLike } from "./link.ts";
import type { CallOptions } from "./options.ts";
import type { Pages } from "./pages.ts";
import type { BodyOf, Result } from "./result.ts";

/** The path of a GET operation. */
export type PathOf = {
  [Key in OperationKey]: Key extends `GET ${infer Path extends keyof paths}` ? Path : never;
}[OperationKey];

/** The body of a path's 200. */
export type ResourceAt<Path extends PathOf> = BodyOf<`GET ${Path}`>;

/** The type of a page's items. */
type ItemOf<Page> = Page extends { _embedded: infer Embedded }
  ? Embedded[keyof Embedded] extends readonly (infer Item)[]
    ? Item
    : never
  : never;

/** A resource with a GET by its id. */
export interface Readable<Path extends PathOf> {
  /**
   * Fetches one resource by its id.
   *
   * @param id The id, from a response or an event.
   * @returns Resolves to the resource.
   * @throws {FeedHttpError} `http` for a status other than 200
   * @throws {FeedError} any other code
   * @throws {TxfeedError} `usage` if an id or an option is invalid
   */
  get(id: string, options?: CallOptions): Promise<ResourceAt<Path>>;
  /**
   * Fetches one resource, and accepts any status.
   *
   * @returns Resolves to the result: match on `status`.
   * @throws as {@link get} does, except for a status
   */
  getResult(id: string, options?: CallOptions): Promise<Result<`GET ${Path}`>>;
}

/** A resource with a GET by the id of its subaccount and its own id. */
export interface ReadableInSubaccount<Path extends PathOf> {
  /**
   * Fetches one resource by its id.
   *
   * @param subaccountId The id of the subaccount that owns the resource.
   * @param id The id, from a response or an event.
   * @returns Resolves to the resource.
   * @throws {FeedHttpError} `http` for a status other than 200
   * @throws {FeedError} any other code
   * @throws {TxfeedError} `usage` if an id or an option is invalid
   */
  get(subaccountId: string, id: string, options?: CallOptions): Promise<ResourceAt<Path>>;
  /**
   * Fetches one resource, and accepts any status.
   *
   * @returns Resolves to the result: match on `status`.
   * @throws as {@link get} does, except for a status
   */
  getResult(
    subaccountId: string,
    id: string,
    options?: CallOptions,
  ): Promise<Result<`GET ${Path}`>>;
}

/** The options of a list. */
export interface ListOptions extends CallOptions {
  /** The maximum number of items per page, 1 to 100 (PAGE-01; default: set by the service). */
  readonly limit?: number | undefined;
  /**
   * The link to the page to start from, which has its own limit (PAGE-15). If it is undefined,
   * such as `next` of the last page, the list starts at the first page.
   */
  readonly from?: LinkLike | undefined;
  /** Whether to prefetch the next page while the items of this one are consumed. */
  readonly ahead?: boolean | undefined;
}

/** A resource with a GET for its collection. */
export interface Listable<Path extends PathOf> {
  /**
   * Lists the resources; pages are fetched on demand. Iterate with `for await`, `.pages()` or
   * `.toArray({ max })`. Options such as `timeoutMs` apply to each page.
   *
   * @returns the list. No request is sent until it is iterated.
   * @throws {TxfeedError} `usage` if an option is invalid
   */
  list(options?: ListOptions): Pages<ItemOf<ResourceAt<Path>>, ResourceAt<Path>>;
  /**
   * Fetches one page, and accepts any status.
   *
   * @returns Resolves to the result: match on `status`.
   * @throws {FeedError} any code except `http` and `authentication` for a status
   * @throws {TxfeedError} `usage` if an option is invalid
   */
  listResult(options?: Omit<ListOptions, "ahead">): Promise<Result<`GET ${Path}`>>;
}

/** The options of `bankLinks.complete`. */
export interface CompleteOptions extends CallOptions {
  /** The JSON body of the request, which the interface does not specify. */
  readonly body?: unknown;
}

/** Bank links, which are listed and completed. */
export interface BankLinks extends Listable<"/bank-links"> {
  /**
   * Completes a bank link manually; the service then sends `banklink.completed` (EP-07). The
   * request is not retried unless `retries` is set.
   *
   * @param id The id of the bank link.
   * @returns Resolves to the body of the response, which the interface does not specify.
   * @throws {FeedHttpError} `http` if the status is not 2xx
   * @throws {FeedError} any other code
   * @throws {TxfeedError} `usage` if the id or an option is invalid
   */
  complete(id: string, options?: CompleteOptions): Promise<unknown>;
  /**
   * Completes a bank link, and accepts any status.
   *
   * @returns Resolves to the result: match on `status`.
   * @throws as {@link complete} does, except for a status
   */
  completeResult(
    id: string,
    options?: CompleteOptions,
  ): Promise<Result<"PATCH /bank-links/{bankLinkId}">>;
}

type TransactionMatches = ReadableInSubaccount<"/transaction-matches/{subaccountId}/{matchId}"> &
  Listable<"/transaction-matches">;

/** The methods of each resource. */
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
