import { testRandomCalls } from "./calls.ts";
import { openMemory, openSqlite } from "./stores.ts";
import { testConcurrentWorkers } from "./suite.ts";

/** Set RUNS for a longer test. */
const RUNS = Number(process.env["RUNS"] ?? 100);

testRandomCalls("memoryInbox", openMemory, RUNS * 5);
testRandomCalls("sqliteInbox", openSqlite, RUNS);
testConcurrentWorkers(openMemory, 3000);
testConcurrentWorkers(openSqlite, 3000);
