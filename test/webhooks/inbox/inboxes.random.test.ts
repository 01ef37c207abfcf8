import { describe } from "vitest";
import { testCalls } from "./calls.ts";
import { openMemory, openSqlite } from "./stores.ts";
import { testConcurrentWorkers } from "./workers.ts";

/** Set RUNS for a longer test. */
const RUNS = Number(process.env["RUNS"] ?? 100);

describe("memoryInbox", () => testCalls(openMemory, RUNS * 5));
describe("sqliteInbox", () => testCalls(openSqlite, RUNS));
testConcurrentWorkers("memoryInbox", openMemory, 3000);
testConcurrentWorkers("sqliteInbox", openSqlite, 3000);
