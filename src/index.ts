export * from "./contract/index.ts";
export { type ErrorCode, TxfeedError } from "./errors.ts";
