import { openMemory, openSqlite } from "./stores.ts";
import { testInbox } from "./suite.ts";

testInbox("memoryInbox", openMemory);
testInbox("sqliteInbox", openSqlite);
