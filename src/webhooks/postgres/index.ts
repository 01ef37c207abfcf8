export type { PostgresClient, TransactionOf } from "./clients.ts";
export { type PostgresInbox, type PostgresInboxOptions, postgresInbox } from "./inbox.ts";
