export {
  type SqliteDuplicates,
  type SqliteDuplicatesOptions,
  sqliteDuplicates,
} from "./duplicates.ts";
export {
  type SqliteInbox,
  type SqliteInboxOptions,
  type SqliteTransaction,
  sqliteInbox,
} from "./inbox.ts";
export { type SqliteQueue, type SqliteQueueOptions, sqliteQueue } from "./queue.ts";
