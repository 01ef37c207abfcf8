export {
  type SqliteDuplicates,
  type SqliteDuplicatesOptions,
  sqliteDuplicates,
} from "./duplicates.ts";
export { type SqliteQueue, sqliteQueue } from "./queue.ts";
