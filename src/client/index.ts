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
export type { CallTrace, Span, SpanTracer } from "./spans.ts";
export type { FeedRequest, Next, Step } from "./steps.ts";
export type { StoredToken, TokenStore } from "./token-store.ts";
export {
  type AnswerHeaders,
  AnswerTooLong,
  type Transport,
  type TransportAnswer,
  type TransportRequest,
} from "./transport.ts";
