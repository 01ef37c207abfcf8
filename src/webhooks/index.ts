export { QuarantineError, RetryLaterError } from "../errors.ts";
export type { Delivery, OrderBy } from "./delivery.ts";
export type { Fallback, Handler, HandlerContext, Handlers } from "./handlers.ts";
export type { Health } from "./health.ts";
export type { DeliveryReport, Hooks, Outcome } from "./hooks.ts";
export type {
  DeliveryFilter,
  Inbox,
  InboxStatus,
  Lease,
  RunPart,
  Settlement,
} from "./inbox.ts";
export { finalState, isNewer } from "./is-newer.ts";
export { type CloseOptions, createReceiver, type FeedReceiver } from "./receiver.ts";
export type { ReceiverOptions } from "./receiver-options.ts";
export type { DeliveryRequest, DeliveryResponse, Receive, Receiver } from "./request.ts";
export { resourceOf } from "./resource.ts";
export type { ObservedReceiver, Observer, Receipt, Telemetry } from "./telemetry.ts";
export { none, type Verified, type Verify } from "./verification.ts";
export { type HmacSha256Options, hmacSha256 } from "./verify/hmac-sha256.ts";
export { type SharedSecretOptions, sharedSecret } from "./verify/shared-secret.ts";
export { type StandardWebhooksOptions, standardWebhooks } from "./verify/standard-webhooks.ts";
export type { WorkOptions } from "./worker.ts";
