import { openMemory } from "./stores.ts";
import { testInbox } from "./suite.ts";

testInbox("memoryInbox", openMemory);
