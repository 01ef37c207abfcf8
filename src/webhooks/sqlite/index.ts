export {
  type SqliteDuplicates,
  type SqliteDuplicatesOptions,
  sqliteDuplicates,
} from "./duplicates.ts";
export { type SqliteQueue, type SqliteQueueOptions, sqliteQueue } from "./queue.ts";
