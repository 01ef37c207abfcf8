import { testRandomCalls } from "./calls.ts";
import { openMemory, openSqlite } from "./stores.ts";
import { testConcurrentWorkers } from "./workers.ts";

/** Set RUNS for a longer test. */
const RUNS = Number(process.env["RUNS"] ?? 100);

testRandomCalls("memoryInbox", openMemory, RUNS * 5);
testRandomCalls("sqliteInbox", openSqlite, RUNS);
testConcurrentWorkers("memoryInbox", openMemory, 3000);
testConcurrentWorkers("sqliteInbox", openSqlite, 3000);
