import { memoryInbox } from "../../../src/webhooks/index.ts";
import { testInbox } from "./suite.ts";

testInbox("memoryInbox", (options = {}) => {
  let now = 0;
  const inbox = memoryInbox({ ...options, now: () => now });
  const advance = (ms: number) => {
    now += ms;
  };
  return { inbox, again: () => inbox, advance };
});
