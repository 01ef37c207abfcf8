import { openSqlite } from "./stores.ts";
import { testInbox } from "./suite.ts";

testInbox("sqliteInbox", openSqlite);
