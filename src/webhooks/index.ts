export type {
  Claim,
  DuplicateStore,
  DuplicateTimes,
} from "./duplicates.ts";
export type { Fallback, Handler, Handlers } from "./handlers.ts";
export { type MemoryDuplicatesOptions, memoryDuplicates } from "./memory-duplicates.ts";
export type {
  DeliveryQueue,
  NewDelivery,
  Quarantine,
  QuarantinedDelivery,
  TakenDelivery,
} from "./queue.ts";
export { type CloseOptions, createReceiver, type FeedReceiver } from "./receiver.ts";
export type { ReceiverOptions } from "./receiver-options.ts";
export type { DeliveryReport, Hooks, Outcome } from "./report.ts";
export type {
  DeliveryRequest,
  DeliveryResponse,
  Incoming,
  Receive,
  Receiver,
  Verified,
  Verify,
} from "./request.ts";
export { type HmacSha256Options, hmacSha256 } from "./verify/hmac-sha256.ts";
export { none } from "./verify/none.ts";
export { type SharedSecretOptions, sharedSecret } from "./verify/shared-secret.ts";
export { type StandardWebhooksOptions, standardWebhooks } from "./verify/standard-webhooks.ts";
export type { WorkOptions } from "./worker.ts";
