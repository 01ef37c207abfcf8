export {
  type MemoryInboxOptions,
  memoryInbox,
  type SqliteInboxOptions,
  type SqliteTransaction,
  sqliteInbox,
} from "./inbox.ts";
