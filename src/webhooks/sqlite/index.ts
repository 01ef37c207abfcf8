export {
  type SqliteInbox,
  type SqliteInboxOptions,
  type SqliteTransaction,
  sqliteInbox,
} from "./inbox.ts";
