/**
 * A receiver in a process that reports its memory use when its parent asks. The argument is
 * `plain`, `handled` or `stored`.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { toNodeHandler } from "../../src/webhooks/adapters/node.ts";
import { createReceiver } from "../../src/webhooks/index.ts";
import { memoryInbox, sqliteInbox } from "../../src/webhooks/sqlite/index.ts";

const [kind = "", directory = ""] = process.argv.slice(2);
const path = join(directory, `${kind}.db`);
const inboxes = {
  plain: () => ({}),
  handled: () => ({ inbox: memoryInbox(), acknowledge: "handled" as const }),
  stored: () => ({ inbox: sqliteInbox({ path }) }),
};
const receiver = createReceiver<unknown>({
  on: { "banktransaction.created": () => {} },
  fallback: () => {},
  ...inboxes[kind as keyof typeof inboxes](),
});

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

process.on("message", (ask) => {
  if (ask === "collect") collect();
  const { rss, heapUsed, external, arrayBuffers } = process.memoryUsage();
  process.send?.({ rss, heapUsed, external, arrayBuffers });
});
const server = createServer(toNodeHandler(receiver));
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
