export { type ErrorCode, TxfeedError } from "../errors.ts";
export type { Clock } from "./clock.ts";
export {
  type AuthenticationStage,
  type CallFacts,
  FeedAbortedError,
  FeedAuthenticationError,
  FeedContractError,
  FeedError,
  FeedHttpError,
  FeedLinkError,
  FeedNetworkError,
  FeedTimeoutError,
} from "./errors.ts";
export {
  createFeedClient,
  type FeedClient,
  type Followed,
  type FollowedResult,
} from "./feed-client.ts";
export type { FeedFetch, FetchInit } from "./feed-fetch.ts";
export type { Fetch } from "./fetch-transport.ts";
export type { LinkLike } from "./link.ts";
export type { LogEntry } from "./log.ts";
export type { FeedRequest, Middleware, Next } from "./middleware.ts";
export type { OpenapiClient } from "./openapi-client.ts";
export type { CallOptions, FeedClientOptions, ValidationMode } from "./options.ts";
export type { Pages } from "./pages.ts";
export type {
  BankLinks,
  CompleteOptions,
  Listable,
  ListOptions,
  Readable,
  ReadableInSubaccount,
  Resources,
} from "./resources.ts";
export type { BodyOf, Failure, OtherFailure, Result, Success } from "./result.ts";
export type { StoredToken, TokenStore } from "./token-store.ts";
export type { CallTrace, Span, SpanTracer } from "./tracing.ts";
export {
  type ResponseHeaders,
  ResponseTooLong,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from "./transport.ts";
