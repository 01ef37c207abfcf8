export type { Clock } from "../clock.ts";
export type { Fetch } from "../fetch-transport.ts";
export type { LogEntry } from "../log.ts";
export type { StoredToken, TokenStore } from "../token-store.ts";
export type {
  ResponseHeaders,
  Transport,
  TransportRequest,
  TransportResponse,
} from "../transport.ts";
export { createSdkTokenHandler, type SdkTokenHandlerOptions } from "./token-handler.ts";
