export type { EventName, EventPayloads } from "../../generated/events.ts";
export { eventNames } from "../../generated/events.ts";
export { type KnownValue, knownValues, type OpenSet } from "../../generated/known-values.ts";
export type { EventBody, FeedEvent, KnownEvent, UnknownEvent } from "./feed-event.ts";
export type { Finding, Level } from "./finding.ts";
export type {
  HistoryFinding,
  HistoryOptions,
  HistoryReport,
  RecordedDelivery,
} from "./history/delivery.ts";
export { checkHistory } from "./history/index.ts";
export { isKnown } from "./known.ts";
export { type ContractOptions, DEFAULT_NETWORKS, type Networks } from "./networks.ts";
export { type EventSchema, eventSchema, eventSchemas } from "./standard-schema.ts";
export {
  type EventReading,
  type OperationWithResponse,
  readEvent,
  type Validation,
  validateEvent,
  validateResponse,
} from "./validate.ts";
